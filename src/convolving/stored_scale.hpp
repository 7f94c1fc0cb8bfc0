// SPDX-License-Identifier: Apache-2.0
// Factors that keep what a convolution stores between its launches within the range of fp16.
//
// For signals with |x| <= L and n_a elements on axis a, no bin is larger than L times the product
// of n_a over the transformed axes. The transform of axis a is therefore multiplied by
// 2^-ceil(log2 n_a), and the first one also by 2^(15 - ceil(log2 L)): no stored number exceeds
// 2^15, half of the largest fp16. Convolved columns, still transformed along the inner axes a >= 1
// with H_a and h_a elements, are sums of min(H_0, h_0) products, none larger than the product of
// both factors' bounds; they are scaled likewise. All factors are powers of two, so they cost no
// accuracy, and the last transform undoes them. Other types need no factors: there the inverse
// along axis 0 divides by the lengths of all axes, and the other inverses divide by nothing.
#pragma once

#include <cstddef>  // size_t
#include <string_view>
#include <vector>

#include "convolving/geometry.hpp"   // axis_geometry
#include "wingbeat/convolution.hpp"  // convolution_spec

namespace wingbeat::convolving {

/// Throws `plan_error` unless a peak is from 1 / largest to largest if fp16 needs it, and 0 if it
/// is not used, because `reason`.
void require_peak(std::string_view field, double peak, double largest, bool is_needed,
                  std::string_view reason);

/// Returns the stored type of a convolution's spectra and workspace.
[[nodiscard]] precision stored_between(const convolution_spec& spec);

/// The factors of one convolution.
class stored_scale {
 public:
  stored_scale(const convolution_spec& spec, const std::vector<axis_geometry>& axes);

  /// Returns the factor of the transform of a role's signals along axis `a`.
  [[nodiscard]] double forward(operand_role role, std::size_t a) const;

  /// Returns the factor that a role's signals have after the transforms of axes `a` and later.
  [[nodiscard]] double spectrum(operand_role role, std::size_t a) const;

  /// Returns the factor that results have after the inverse transforms of axes 0 to `a`; 1 after
  /// the last.
  [[nodiscard]] double result(std::size_t a) const;

  /// Returns the factor of the inverse transforms along axis `a` > 0, besides 1 / its length.
  [[nodiscard]] double back(std::size_t a) const;

 private:
  [[nodiscard]] std::size_t elements(operand_role role, std::size_t a) const;
  [[nodiscard]] int peak_exponent(operand_role role) const;

  const convolution_spec& spec_;
  const std::vector<axis_geometry>& axes_;
  bool is_needed_;
};

}  // namespace wingbeat::convolving
