// SPDX-License-Identifier: Apache-2.0
// Whether a plan does what its request says and nothing else, whatever its layouts and ranges.
//
// Every number that may not be read is NaN. Every byte that may not be written is watched, around
// the buffers too. Three runs, on outputs filled with different patterns, must write the same bits.
// What they write is compared with the engine `reference` on packed fp64; addresses are found here
// by the formula of plan.hpp.
//
// Of each transform of N points, with m of its elements written, u the unit roundoff of what is
// computed (2^-24, fp64 2^-53) and c = 1 (fp64 1.25), times 1.3 where an axis has a chirp,
// and N squared of a request with a multiplier:
//     L2 error       <= (1 + 1.5/sqrt e) (c u sqrt(log2 N) + f u + s) max(|written|, sqrt m rms)
//     element error  <= (1 + 1.5/sqrt i) 12 u largest + r |element|,  with a multiplier 12 sqrt 2
// rms and largest are those of the whole output, so that a cropped corner of small values is not
// held to them alone. e is how many elements hold the energy, |written|^4 / sum |element|^4, or how
// many numbers of input, i, there are if those are fewer: few errors do not average out. At
// 1/sqrt e one plan of 4,500 with four numbers of bf16 was over, and at 12 u one of 16,000 whose
// input is one number, because its roundings are alike everywhere. f = 2 where a factor is applied,
// it and the product being rounded, and 1 more in fp64 for the oracle. s is 3e-4 for fp16, 2.4e-3
// for bf16, 0 otherwise; r the storage's roundoff, 2^-11, 2^-8 or 0.
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
  std::string why = {};   ///< What is wrong, or the sentence of the refusal.
  long double share = 0;  ///< Of its bound, that the largest error has.
};

/// Runs a request three times. A `plan_error` that says "so far" is a refusal, any other a fault.
[[nodiscard]] plan_verdict check_plan(queue& on, const drawn_plan& drawn,
                                      const run_maker& make = made_by_plan);

}  // namespace wingbeat::test
