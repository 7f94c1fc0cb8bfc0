// SPDX-License-Identifier: Apache-2.0
// Transforms from reals to reals along one axis, by the sums that define them:
//
//     y[k] = sum over j of m[j] x[j] f(2 pi p[j] q[k] / M),   f = cos, sin or cos + sin
//
// m is 2, but 1 for samples that are their own mirror images. M is the logical length L, times 2 if
// samples stand between the points of the grid, and times 2 again if frequencies do: with p[j] = a
// j + b and q[k] = c k + d, M = a c L. So y is a part of a DFT of L points between roots,
//     w_M^(b q[k]) sum over j of w_L^(jk) (w_M^(a d j) m[j] x[j])
// For elements k = r + s i only, d is q[r], and w_L^(s i j) repeats after L / gcd(L, s) points.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <numbers>  // sqrt2_v
#include <numeric>  // gcd

#include "reference/axis.hpp"           // axis
#include "reference/root_of_unity.hpp"  // row, root_of_unity, direction
#include "request/traits.hpp"           // traits, basis

namespace wingbeat::reference {

/// The transform of every line of reals along one axis: all elements, or every `step`-th.
class real_axis {
 public:
  real_axis(const request::traits& kind, std::size_t length, bool orthogonalize,
            std::size_t first = 0, std::size_t step = 1)
      : kind_(kind),
        length_(length),
        orthogonalizes_(orthogonalize),
        n_points_(kind.logical_length(length) / std::gcd(kind.logical_length(length), step)),
        bin_step_(step * n_points_ / kind.logical_length(length)),
        dft_(n_points_, direction::forward) {
    const std::size_t order = kind.order(length), origin = kind.place_in(0);
    for (std::size_t j = 0; j < length; ++j) {
      const std::size_t angle = (kind.place_in(j) - origin) * kind.place_out(first);
      in_.push_back(factor_in(j) * root_of_unity<long double>(angle, order, direction::forward));
    }
    for (std::size_t k = first; k < length; k += step) {
      const std::size_t angle = origin * kind.place_out(k);
      out_.push_back(factor_out(k) * root_of_unity<long double>(angle, order, direction::forward));
    }
  }

  /// Returns the number of points that `fold` adds a line to.
  [[nodiscard]] std::size_t n_points() const noexcept { return n_points_; }
  /// Returns how many elements of each line are computed.
  [[nodiscard]] std::size_t n_elements() const noexcept { return out_.size(); }

  /// Adds sample j of a line to its points, which are `stride` apart and begin as zeros.
  void fold(std::size_t j, long double sample, std::complex<long double>* points,
            std::size_t stride) const {
    points[j % n_points_ * stride] += in_[j] * sample;
  }

  /// Transforms the points of a line, and writes its elements, `stride` apart.
  void finish(row<long double>& points, std::complex<long double>* elements,
              std::size_t stride) const {
    dft_(points, 1);
    for (std::size_t i = 0; i < out_.size(); ++i) {
      elements[i * stride] = part(out_[i] * points[i * bin_step_ % n_points_]);
    }
  }

  /// Replaces the lines of `lines`, whose values are `stride` apart, by the elements of their
  /// transforms, as far apart; lines become shorter if there are fewer elements.
  void operator()(row<long double>& lines, std::size_t stride) const {
    const std::size_t n_blocks = lines.size() / length_ / stride;
    for (std::size_t block = 0; block < n_blocks; ++block) {
      for (std::size_t line = 0; line < stride; ++line) {
        const std::complex<long double>* const samples = &lines[block * length_ * stride + line];
        row<long double> points(n_points_);
        for (std::size_t j = 0; j < length_; ++j) {
          fold(j, samples[j * stride].real(), points.data(), 1);
        }
        finish(points, &lines[block * out_.size() * stride + line], stride);
      }
    }
    lines.resize(n_blocks * out_.size() * stride);
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
  std::size_t n_points_, bin_step_;
  axis dft_;
  row<long double> in_, out_;  // m[j] w_M^(a d j); and w_M^(b q[k]) for the computed elements
};

}  // namespace wingbeat::reference
