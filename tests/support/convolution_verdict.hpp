// SPDX-License-Identifier: Apache-2.0
// Whether a convolution does what its request says and nothing else.
//
// Memory around the inputs, the workspace and, before they are made, the spectra are NaN. Bytes
// around every buffer are watched, and inputs are. Three runs, on memory filled with different
// patterns, must write the same bits. Each value is compared with the sum that defines it, in long
// double. With u the unit roundoff of what is computed, |f| and |t| the norms of image and kernel,
// and axes a, slowest first, padded to P_a, of which the result has m_a, docs/maths.md states
//     each value's error         <= 16 u |f| |t|
//     L2 error of all values     <= c u |f| |t| sqrt(4 s_1 + 3 sum over a of s_a log2 P_a)
// where c = 1.25 and s_a = product over b >= a of min(m_b / P_b, 1): the roundings along an axis
// spread over that axis and those that are transformed already; the others' padding has none. Of a
// short result or of few inputs, whose errors do not average out, (1 + 3/sqrt e) times as much; e
// is the least of the numbers of values of image and kernel together and of the result.
// Signals that are given as spectra are transformed once more. Where spectra are stored in 16 bits,
// r the roundoff of those and a axes, the root mean square of errors is compared with
//     (3 a - 1) r max(sqrt(mean f^2) |t|, root mean square of the result)
// and of few values, too, with (1 + 3/sqrt e) times as much.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <vector>

#include "support/plan_check.hpp"          // plan_verdict
#include "support/random_convolution.hpp"  // drawn_convolution
#include "wingbeat/buffer.hpp"             // buffer_view
#include "wingbeat/queue.hpp"              // queue

namespace wingbeat::test {

/// What is checked: a convolution, or in the checker's own tests, something that pretends to be.
struct planned_convolution {
  std::size_t image_bytes = 0, kernel_bytes = 0;
  std::size_t spectra_bytes = 0, workspace_bytes = 0;
  std::vector<std::size_t> padded, result;
  std::function<void(buffer_view signals, buffer_view spectra, buffer_view workspace)> prepare;
  std::function<void(buffer_view spectra, buffer_view signals, buffer_view out,
                     buffer_view workspace)>
      run;
};

/// Makes the convolution of a request. Throws `plan_error` to refuse it.
using convolution_maker = std::function<planned_convolution(queue& on, const convolution_spec&)>;

/// Makes a convolution as a user does.
[[nodiscard]] planned_convolution made_by_convolution(queue& on, const convolution_spec& spec);

/// Prepares a request once and runs it three times. Any `plan_error` is a fault: no request that is
/// drawn may be refused.
[[nodiscard]] plan_verdict verdict_of(queue& on, const drawn_convolution& drawn,
                                      const convolution_maker& make = made_by_convolution);

}  // namespace wingbeat::test
