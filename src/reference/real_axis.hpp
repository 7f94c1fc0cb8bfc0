// SPDX-License-Identifier: Apache-2.0
// Transforms from reals to reals along one axis, by the sums that define them:
//
//     y[k] = sum over j of m[j] x[j] f(2 pi p[j] q[k] / M),   f = cos, sin or cos + sin
//
// whose parts are those of one DFT of M points: its inputs p[j] are m[j] x[j], the others 0. M is
// the logical length; where samples stand between the points of the grid twice that, and twice
// again where frequencies do. m is 2, but 1 of samples that are their own mirror images.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <numbers>  // sqrt2_v

#include "reference/axis.hpp"           // axis
#include "reference/root_of_unity.hpp"  // row, direction
#include "request/traits.hpp"           // traits, basis

namespace wingbeat::reference {

/// The transform of every line of reals along one axis.
class real_axis {
 public:
  real_axis(const request::traits& kind, std::size_t length, bool orthogonalize)
      : kind_(kind),
        length_(length),
        orthogonalizes_(orthogonalize),
        order_(kind.order(length)),
        dft_(order_, direction::forward) {}

  /// Replaces the lines of `points`, whose values are `stride` apart, by their transforms.
  void operator()(row<long double>& points, std::size_t stride) const {
    for (std::size_t block = 0; block < points.size(); block += stride * length_) {
      for (std::size_t first = block; first < block + stride; ++first) {
        row<long double> grid(order_);
        for (std::size_t j = 0; j < length_; ++j) {
          grid[kind_.place_in(j)] = factor_in(j) * points[first + j * stride].real();
        }
        dft_(grid, 1);
        for (std::size_t k = 0; k < length_; ++k) {
          points[first + k * stride] = factor_out(k) * part(grid[kind_.place_out(k)]);
        }
      }
    }
  }

 private:
  static constexpr long double root_2 = std::numbers::sqrt2_v<long double>;

  [[nodiscard]] long double factor_in(std::size_t j) const {
    if (kind_.functions == request::basis::cas) return 1;
    if (!kind_.is_own_mirror_in(j, length_)) return 2;
    return orthogonalizes_ ? root_2 : 1;
  }
  [[nodiscard]] long double factor_out(std::size_t k) const {
    return orthogonalizes_ && kind_.is_own_mirror_out(k, length_) ? 1 / root_2 : 1;
  }
  /// Returns the sum of cosines, of sines, or of both: the DFT has exp(-i angle).
  [[nodiscard]] long double part(std::complex<long double> bin) const {
    switch (kind_.functions) {
      case request::basis::cosine: return bin.real();
      case request::basis::sine: return -bin.imag();
      default: return bin.real() - bin.imag();
    }
  }

  request::traits kind_;
  std::size_t length_;
  bool orthogonalizes_;
  std::size_t order_;  // M
  axis dft_;
};

}  // namespace wingbeat::reference
