// SPDX-License-Identifier: Apache-2.0
// Transforms along one axis; a transform of several axes is these in any order.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <optional>

#include "reference/by_chirp.hpp"
#include "reference/dft_by_definition.hpp"
#include "reference/iterative.hpp"
#include "reference/root_of_unity.hpp"  // row, roots_of_unity, direction

namespace wingbeat::reference {

/// The transform of every line along one axis: short lines by the definition, others by radix 2, by
/// a stage for each prime factor, or by a chirp if a factor is large.
class axis {
 public:
  static constexpr std::size_t longest_by_definition = 64;
  static constexpr std::size_t largest_factor = 100;

  axis(std::size_t length, direction dir) : length_(length) {
    if (is_by_chirp()) {
      chirp_.emplace(length, dir);
    } else {
      roots_ = roots_of_unity<long double>(is_by_definition() ? length : n_roots_of(length), length,
                                           dir);
    }
  }

  [[nodiscard]] bool is_by_definition() const noexcept { return length_ <= longest_by_definition; }
  [[nodiscard]] bool is_by_chirp() const {
    return !is_by_definition() && prime_factors(length_).back() > largest_factor;
  }

  /// Replaces the lines of `points`, whose values are `stride` apart, by their transforms.
  void operator()(row<long double>& points, std::size_t stride) const {
    row<long double> line(length_);
    for (std::size_t block = 0; block < points.size(); block += stride * length_) {
      for (std::size_t first = block; first < block + stride; ++first) {
        for (std::size_t j = 0; j < length_; ++j) line[j] = points[first + j * stride];
        if (chirp_) {
          (*chirp_)(line);
        } else if (is_by_definition()) {
          line = dft_by_definition(line, roots_);
        } else {
          iterative(line, roots_);
        }
        for (std::size_t k = 0; k < length_; ++k) points[first + k * stride] = line[k];
      }
    }
  }

 private:
  std::size_t length_;
  row<long double> roots_;  // w^0 .. w^(N-1); for radix 2 w^0 .. w^(N/2-1)
  std::optional<by_chirp<long double>> chirp_;
};

/// Completes rows of n that hold bins 0 .. n/2: bin 0 and, for even n, bin n/2 become real, and
/// bins above n/2 the conjugates of those below.
inline void mirror_rows(row<long double>& points, std::size_t n) {
  for (std::size_t first = 0; first < points.size(); first += n) {
    points[first] = points[first].real();
    if (n % 2 == 0) points[first + n / 2] = points[first + n / 2].real();
    for (std::size_t k = 1; 2 * k < n; ++k) points[first + n - k] = std::conj(points[first + k]);
  }
}

}  // namespace wingbeat::reference
