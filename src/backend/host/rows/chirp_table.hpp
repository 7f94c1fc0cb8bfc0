// SPDX-License-Identifier: Apache-2.0
// The numbers of a chirp, rounded for kernels; and the lengths that a chirp fits in.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <vector>

#include "backend/host/aligned.hpp"       // aligned_array, make_aligned
#include "backend/host/kernels.hpp"       // convolved
#include "programs/prepared_program.hpp"  // transform_forward
#include "roots/chirp.hpp"                // chirp
#include "tuning/padding.hpp"             // cheapest_good_length

namespace wingbeat::backend::host {

template <class Real>
aligned_array<Real> rounded(const std::vector<std::complex<double>>& numbers) {
  auto result = make_aligned<Real>(2 * numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    result[2 * i] = static_cast<Real>(numbers[i].real());
    result[2 * i + 1] = static_cast<Real>(numbers[i].imag());
  }
  return result;
}

/// The numbers of forward transforms of N points within M; an inverse transform takes their
/// conjugates.
template <class Real>
class chirp_table {
 public:
  chirp_table(std::size_t length, std::size_t padded) : length_(length) {
    const chirp forward{length, padded,
                        true,   sizeof(Real) == sizeof(double) ? precision::fp64 : precision::fp32,
                        0,      programs::transform_forward};
    factors_ = rounded<Real>(forward.factors);
    spectrum_ = rounded<Real>(forward.spectrum);
  }

  [[nodiscard]] convolved<Real> view() const noexcept {
    return {length_, factors_.get(), spectrum_.get()};
  }

 private:
  std::size_t length_;
  aligned_array<Real> factors_, spectrum_;
};

/// Returns the good length that costs least among those a transform of N points is convolved
/// within: 2 N - 1 and up to 1/4 more.
template <class Cost>
std::size_t padded_length_of(std::size_t length, const Cost& cost_of_length) {
  const std::size_t least = 2 * length - 1;
  return tuning::cheapest_good_length(least, least + least / 4, cost_of_length);
}

}  // namespace wingbeat::backend::host
