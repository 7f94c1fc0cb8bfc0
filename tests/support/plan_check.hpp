// SPDX-License-Identifier: Apache-2.0
// Whether a plan does what its request says and nothing else, whatever its layouts and ranges.
//
// Every number that may not be read is NaN. Every byte that may not be written is watched, around
// the buffers too. Three runs, on outputs filled with different patterns, must write the same bits.
// What they write is compared with the engine `reference` on packed fp64, by the comparison of
// verify/agreement.hpp: the elements of a transform that are written are a sample of all, so that a
// cropped corner of small values is not held to them alone. Errors average out over as many
// elements as hold the energy, |written|^4 / sum |element|^4, or over the numbers of input if there
// are fewer; at their square root alone one plan of 4,500 with four numbers of bf16 was over, and
// at 12 u one of 16,000 whose input is one number, because its roundings are alike everywhere.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <string>

#include "support/random_plan.hpp"  // drawn_plan
#include "wingbeat/buffer.hpp"      // buffer_view
#include "wingbeat/queue.hpp"       // queue

namespace wingbeat::test {

/// What is checked: one made plan, or in the checker's own tests, something that pretends to be.
struct planned_run {
  std::size_t workspace_bytes = 0;
  std::function<void(buffer_view in, buffer_view out, buffer_view workspace)> run;
  /// Which bin an element is, where bins are scrambled.
  std::function<std::size_t(std::size_t)> bin_at = [](std::size_t place) { return place; };
};

/// Makes the run of a request. Throws `plan_error` to refuse it.
using run_maker = std::function<planned_run(queue& on, const plan_spec& spec)>;

/// Makes a plan as a user does.
[[nodiscard]] planned_run made_by_plan(queue& on, const plan_spec& spec);

struct plan_verdict {
  enum outcome { right, refused, wrong } is = right;
  std::string why = {};  ///< What is wrong, or the sentence of the refusal.
  double share = 0;      ///< Of its bound, that the largest error has.
};

/// Runs a request three times. A `plan_error` that says "so far" is a refusal, any other a fault.
[[nodiscard]] plan_verdict check_plan(queue& on, const drawn_plan& drawn,
                                      const run_maker& make = made_by_plan);

/// Expects a request to be right, on one buffer where it is in place, with each buffer `shift`
/// complex numbers behind its guard.
void expect_right_plan(queue& on, const plan_spec& spec, std::size_t shift = 0);

}  // namespace wingbeat::test
