// SPDX-License-Identifier: Apache-2.0
// Convolves numbers of this process: one input is prepared on the device, the other is given often.
#pragma once

#include <algorithm>  // max
#include <cmath>      // abs
#include <cstddef>    // byte, size_t
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/buffer.hpp"       // buffer
#include "wingbeat/convolution.hpp"  // convolution, convolution_spec
#include "wingbeat/queue.hpp"        // queue

namespace wingbeat::convolving {

/// Returns the numbers rounded to fp32 or fp64, as bytes of a buffer.
[[nodiscard]] std::vector<std::byte> pack(std::span<const double> values, precision real);

/// Throws `plan_error` because `subject` exceeds the precision. fp64_name: what users choose
/// instead of fp32, such as "--precision fp64".
[[noreturn]] void refuse_range(std::string_view subject, precision real,
                               std::string_view fp64_name);

/// Throws `plan_error` if a number is infinite or NaN, because the result exceeds the precision.
template <class Number>
void require_finite_result(std::span<const Number> values, precision real,
                           std::string_view fp64_name);

/// Magnitudes of numbers; they bound the results of a convolution.
struct magnitudes {
  double sum = 0, largest = 0;
};

/// Returns the magnitudes of floats or doubles.
template <class Number>
[[nodiscard]] magnitudes magnitudes_of(std::span<const Number> values) {
  magnitudes found;
  for (const Number number : values) {
    found.sum += std::abs(double{number});
    found.largest = std::max(found.largest, std::abs(double{number}));
  }
  return found;
}

/// Throws `plan_error` if no result of two nonzero inputs can reach the smallest normal number of
/// the precision.
void require_normal_result(const magnitudes& a, const magnitudes& b, precision real,
                           std::string_view fp64_name);

extern template void require_finite_result(std::span<const float>, precision, std::string_view);
extern template void require_finite_result(std::span<const double>, precision, std::string_view);

/// Runs a convolution whose prepared input stays the same. Complex numbers are two reals.
class convolver {
 public:
  /// Plans and prepares. fp64_name: as above. Throws `plan_error` for a spec that cannot be
  /// planned, `device_error`.
  convolver(const queue& on, const convolution_spec& spec, std::span<const double> prepared,
            std::string_view fp64_name);

  /// Returns all results, [pair][y][x]. Throws `plan_error` if a number of the result is infinite
  /// or NaN in the precision of the spec, or if all are below its normal numbers.
  [[nodiscard]] std::vector<double> operator()(std::span<const double> others);

  /// Returns the lengths of one result.
  [[nodiscard]] const std::vector<std::size_t>& result() const { return plan_.result(); }

 private:
  queue on_;
  convolution plan_;
  buffer spectra_, in_, out_;
  magnitudes prepared_;
  std::string fp64_name_;
};

}  // namespace wingbeat::convolving
