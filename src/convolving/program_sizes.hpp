// SPDX-License-Identifier: Apache-2.0
// Sizes and ranges of transforms that follow from a spec.
#pragma once

#include <algorithm>  // max
#include <cstddef>    // size_t
#include <utility>    // move
#include <vector>

#include "arrays/array.hpp"             // bytes_of_real
#include "arrays/spectra.hpp"           // product
#include "convolving/program.hpp"       // program_request
#include "convolving/stored_scale.hpp"  // stored_scale, stored_between
#include "request/traits.hpp"           // traits_of

namespace wingbeat::convolving {

/// Each column begins on a whole sector of 32 bytes, which is this many fp32 complex numbers.
inline constexpr std::size_t sector_bytes = 32, min_sector_numbers = 4;

/// One axis of a signal: its elements, the index of the first, and the padded length.
struct signal_axis {
  std::size_t length, at, padded;

  [[nodiscard]] index_range valid() const { return {at, at + length}; }
};

/// Sizes that follow from a spec.
class program_sizes {
 public:
  explicit program_sizes(const program_request& request)
      : spec_(request.spec),
        axes_(request.axes),
        count_(request.count),
        prepared_(request.prepared),
        scale_(request.spec, request.axes) {}

  [[nodiscard]] const stored_scale& scale() const { return scale_; }
  [[nodiscard]] std::size_t n_axes() const { return axes_.size(); }
  [[nodiscard]] const axis_geometry& axis(std::size_t a) const { return axes_[a]; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t prepared() const { return prepared_; }
  [[nodiscard]] std::size_t n_pairs() const { return count_ * prepared_; }
  [[nodiscard]] bool is_pairwise() const { return spec_.pairs == pairing::pairwise; }
  [[nodiscard]] bool is_real() const { return spec_.holds == values::real; }
  /// Whether the slowest axis is the only one and real.
  [[nodiscard]] bool is_real_row() const { return is_real() && n_axes() == 1; }

  /// Returns the bins of an axis.
  [[nodiscard]] std::size_t bins(std::size_t a) const {
    const bool is_half = is_real() && a + 1 == n_axes() && axes_[a].hop == 0;
    return is_half ? axes_[a].padded / 2 + 1 : axes_[a].padded;
  }
  /// Returns the numbers of one prepared spectrum.
  [[nodiscard]] std::size_t spectrum() const {
    std::size_t result = 1;
    for (std::size_t a = 0; a < n_axes(); ++a) result *= bins(a);
    return result;
  }
  /// Returns the bytes of a number of a spectrum, or of the workspace.
  [[nodiscard]] std::size_t number_bytes() const {
    return 2 * bytes_of_real(stored_between(spec_));
  }
  [[nodiscard]] std::size_t sector_aligned(std::size_t n) const {
    const std::size_t granule = std::max(sector_bytes / number_bytes(), min_sector_numbers);
    return (n + granule - 1) / granule * granule;
  }
  [[nodiscard]] std::size_t value_bytes() const { return convolving::value_bytes(spec_); }

  [[nodiscard]] std::vector<signal_axis> signal(operand_role role) const {
    std::vector<signal_axis> result;
    for (const axis_geometry& axis : axes_) {
      if (role == operand_role::image) {
        result.push_back({axis.image, axis.image_at, axis.padded});
      } else {
        result.push_back({axis.kernel, 0, axis.padded});
      }
    }
    return result;
  }

  /// Returns the kind of the transforms along an axis.
  [[nodiscard]] transform kind(bool is_forward, std::size_t a) const {
    if (!is_real() || a + 1 < n_axes()) return is_forward ? transform::forward : transform::inverse;
    return is_forward ? transform::forward_from_real : transform::inverse_to_real;
  }

  /// Returns a plan of one axis over `batch`, in its elements' memory.
  [[nodiscard]] plan_spec plan_of(std::size_t padded, std::vector<std::size_t> batch,
                                  transform kind) const {
    plan_spec spec{.lengths = {padded},
                   .batch = batch_shape{std::move(batch)},
                   .kind = kind,
                   .real = spec_.real};
    spec.scale = request::traits_of(kind).is_forward ? scaling::none : scaling::by_length;
    return spec;
  }

  /// Returns the product of a run's bin and a prepared bin.
  [[nodiscard]] product times() const {
    if (spec_.kind == operation::convolve) return product::plain;
    const bool runs_kernels = run_role(spec_) == operand_role::kernel;
    return runs_kernels ? product::conjugate_row : product::conjugate_spectrum;
  }

 private:
  const convolution_spec& spec_;
  const std::vector<axis_geometry>& axes_;
  std::size_t count_, prepared_;
  stored_scale scale_;
};

inline void range_in(plan_spec& spec, const signal_axis& axis) {
  if (spec.in.strides.empty()) spec.in.strides = {1};
  spec.in.origin = {axis.at};
  spec.valid_in = {axis.valid()};
}
inline void range_out(plan_spec& spec, const axis_geometry& axis) {
  if (spec.out.strides.empty()) spec.out.strides = {1};
  spec.out.origin = {axis.wanted.first};
  spec.valid_out = {axis.wanted};
}

}  // namespace wingbeat::convolving
