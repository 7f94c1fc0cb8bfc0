// SPDX-License-Identifier: Apache-2.0
// Any length through a cyclic convolution of M = 2^m >= 2 N - 1 points: with c[n] = w^(n^2 / 2),
//     X[k] = c[k] sum over n of (c[n] x[n]) conj(c[k - n])
// because n k = (n^2 + k^2 - (k - n)^2) / 2.
#pragma once

#include <bit>  // bit_ceil
#include <complex>
#include <cstddef>  // size_t

#include "reference/iterative.hpp"      // iterative, n_roots_of
#include "reference/root_of_unity.hpp"  // row, roots_of_unity, direction

namespace wingbeat::reference {

/// Transforms of one length and direction. Scale: none. Cost: two transforms of M points.
template <class Real>
class by_chirp {
 public:
  by_chirp(std::size_t length, direction dir)
      : forward_(roots_of(std::bit_ceil(2 * length), direction::forward)),
        inverse_(roots_of(std::bit_ceil(2 * length), direction::inverse)),
        spectrum_(std::bit_ceil(2 * length)) {
    std::size_t square = 0;  // n^2 mod 2 N
    for (std::size_t n = 0; n < length; ++n) {
      chirp_.push_back(root_of_unity<Real>(square, 2 * length, dir));
      const std::size_t mirrored = n == 0 ? 0 : spectrum_.size() - n;
      spectrum_[n] = spectrum_[mirrored] = std::conj(chirp_[n]) / static_cast<Real>(padded());
      square = (square + 2 * n + 1) % (2 * length);
    }
    iterative(spectrum_, forward_);
  }

  void operator()(row<Real>& x) const {
    row<Real> work(padded());
    for (std::size_t n = 0; n < x.size(); ++n) work[n] = x[n] * chirp_[n];
    iterative(work, forward_);
    for (std::size_t m = 0; m < padded(); ++m) work[m] *= spectrum_[m];
    iterative(work, inverse_);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = work[k] * chirp_[k];
  }

 private:
  static row<Real> roots_of(std::size_t padded, direction dir) {
    return roots_of_unity<Real>(n_roots_of(padded), padded, dir);
  }
  [[nodiscard]] std::size_t padded() const { return spectrum_.size(); }

  row<Real> forward_, inverse_;  // roots of M points
  row<Real> spectrum_, chirp_;
};

}  // namespace wingbeat::reference
