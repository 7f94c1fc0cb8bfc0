// SPDX-License-Identifier: Apache-2.0
#include "convolving/stored_scale.hpp"

#include <algorithm>  // min
#include <bit>        // bit_width
#include <cmath>      // ceil, ldexp, log2

#include "text/reject.hpp"  // reject

namespace wingbeat::convolving {
namespace {

constexpr int largest_exponent = 15;  ///< fp16 stores 2^15, and 2^16 is infinite.

int ceil_log2(std::size_t n) {
  return n <= 1 ? 0 : static_cast<int>(std::bit_width(n - 1));
}

}  // namespace

void require_peak(std::string_view field, double peak, double largest, bool is_needed,
                  std::string_view reason) {
  if (!is_needed && peak == 0) return;
  reject_if(!is_needed, "{} is {} and {}, so that it is not used; leave it 0", field, peak, reason);
  if (peak >= 1 / largest && peak <= largest) return;
  reject(
      "between is fp16, which ends at 65504, and {} is {}; state the largest magnitude "
      "of its values, from {} to {}, or store bf16",
      field, peak, 1 / largest, largest);
}

precision stored_between(const convolution_spec& spec) {
  return spec.between.value_or(spec.real);
}

stored_scale::stored_scale(const convolution_spec& spec, const std::vector<axis_geometry>& axes)
    : spec_(spec), axes_(axes), is_needed_(stored_between(spec) == precision::fp16) {}

/// Returns how many elements of axis `a` may be nonzero. Blocks of an image have no padding.
std::size_t stored_scale::elements(operand_role role, std::size_t a) const {
  if (role == operand_role::kernel) return axes_[a].kernel;
  return axes_[a].hop != 0 ? axes_[a].padded : axes_[a].image;
}

int stored_scale::peak_exponent(operand_role role) const {
  const double peak = role == operand_role::image ? spec_.image_peak : spec_.kernel_peak;
  return static_cast<int>(std::ceil(std::log2(peak)));
}

double stored_scale::forward(operand_role role, std::size_t a) const {
  if (!is_needed_) return 1;
  const bool is_first = a + 1 == axes_.size();
  return std::ldexp(
      1, (is_first ? largest_exponent - peak_exponent(role) : 0) - ceil_log2(elements(role, a)));
}

double stored_scale::spectrum(operand_role role, std::size_t a) const {
  double factor = 1;
  for (std::size_t inner = a; inner < axes_.size(); ++inner) factor *= forward(role, inner);
  return factor;
}

double stored_scale::result(std::size_t a) const {
  if (!is_needed_) {
    double factor = 1;
    for (std::size_t later = a + 1; later < axes_.size(); ++later) {
      factor /= static_cast<double>(axes_[later].padded);
    }
    return factor;
  }
  if (a + 1 == axes_.size()) return 1;
  int bound = peak_exponent(operand_role::image) + peak_exponent(operand_role::kernel);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const auto [image, kernel] = std::pair{axes_[axis].image, axes_[axis].kernel};
    bound += axis <= a ? ceil_log2(std::min(image, kernel)) : ceil_log2(image) + ceil_log2(kernel);
  }
  return std::ldexp(1, largest_exponent - bound);
}

double stored_scale::back(std::size_t a) const {
  return is_needed_ ? result(a) / result(a - 1) : static_cast<double>(axes_[a].padded);
}

}  // namespace wingbeat::convolving
