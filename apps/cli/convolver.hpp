// SPDX-License-Identifier: Apache-2.0
// Convolutions of numbers of this program: one input prepared on the device, the other given often.
#pragma once

#include <cstddef>  // size_t
#include <span>
#include <vector>

#include "wingbeat/buffer.hpp"       // buffer
#include "wingbeat/convolution.hpp"  // convolution, convolution_spec
#include "wingbeat/queue.hpp"        // queue

namespace wingbeat::cli {

/// Throws `plan_error` where a number is infinite or NaN, because the result exceeds the precision.
template <class Number>
void require_finite_result(std::span<const Number> numbers, precision real);

extern template void require_finite_result(std::span<const float>, precision);
extern template void require_finite_result(std::span<const double>, precision);

/// Runs a convolution whose prepared input stays the same. Complex numbers are two reals.
class convolver {
 public:
  /// Plans and prepares. Throws `plan_error` for a spec that cannot be planned, `device_error`.
  convolver(const queue& on, const convolution_spec& spec, std::span<const double> prepared);

  /// Returns all results, [pair][y][x]. Throws `plan_error` where a number of the result is
  /// infinite or NaN in the precision of the spec.
  [[nodiscard]] std::vector<double> operator()(std::span<const double> others);

  /// Returns the lengths of one result.
  [[nodiscard]] const std::vector<std::size_t>& result() const { return plan_.result(); }

 private:
  queue on_;
  convolution plan_;
  buffer spectra_, in_, out_;
};

}  // namespace wingbeat::cli
