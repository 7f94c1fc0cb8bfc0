// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/chirp_transform.hpp"

#include <algorithm>  // fill
#include <bit>        // bit_ceil
#include <complex>
#include <vector>

#include "backend/host/thresholds.hpp"  // limits
#include "chirp.hpp"                    // chirp
#include "formatted.hpp"                // formatted
#include "tuning/padding.hpp"           // padded_length

namespace wingbeat::backend::host {
namespace {

template <class Real>
aligned_array<Real> rounded(const std::vector<std::complex<double>>& numbers) {
  auto result = make_aligned<Real>(2 * numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    result[2 * i] = static_cast<Real>(numbers[i].real());
    result[2 * i + 1] = static_cast<Real>(numbers[i].imag());
  }
  return result;
}

}  // namespace

template <class Real>
std::size_t chirp_transform<Real>::padded_length(std::size_t length) {
  // One row of other lengths would fill one lane.
  const std::size_t power = std::bit_ceil(2 * length - 1);
  if (power <= limits.longest_in_lanes) return power;
  device_info processor;
  processor.runs_on = engine::host;
  return tuning::padded_length(2 * length - 1, processor);
}

template <class Real>
chirp_transform<Real>::chirp_transform(const kernels<Real>& kernel_set, std::size_t length,
                                       unsigned n_slots)
    : kernels_(kernel_set), length_(length), padded_(kernel_set, padded_length(length), n_slots) {
  const chirp forward{length, padded_.length(), true};
  factors_ = rounded<Real>(forward.factors);
  spectrum_ = rounded<Real>(forward.spectrum);
}

template <class Real>
std::size_t chirp_transform<Real>::workspace_bytes() const noexcept {
  return aligned_up(2 * padded_.length() * sizeof(Real)) + padded_.workspace_bytes();
}

template <class Real>
std::string chirp_transform<Real>::explain() const {
  return formatted("{} points as a convolution with a chirp within {}\n{}, and back", length_,
                   padded_.length(), padded_.explain());
}

template <class Real>
void chirp_transform<Real>::multiply(const Real* x, const aligned_array<Real>& factors, Real* out,
                                     std::size_t count, bool conjugates) const {
  kernels_.multiply({.x = x,
                     .spectrum = factors.get(),
                     .out = out,
                     .count = count,
                     .conjugates_spectrum = conjugates});
}

/// The chirp of an inverse transform, and its spectrum, are the conjugates of a forward one's.
template <class Real>
void chirp_transform<Real>::run(const rows<Real>& given, void* workspace,
                                unsigned n_threads) const {
  auto* const line = static_cast<Real*>(workspace);
  const std::size_t line_bytes = aligned_up(2 * padded_.length() * sizeof(Real));
  void* const scratch = static_cast<std::byte*>(workspace) + line_bytes;
  rows<Real> padded;
  padded.in = padded.out = line;
  padded.in_pitch = padded.out_pitch = padded_.length();
  padded.count = 1;
  for (std::size_t row = 0; row < given.count; ++row) {
    multiply(given.in + 2 * row * given.in_pitch, factors_, line, length_, given.is_swapped);
    std::fill(line + 2 * length_, line + 2 * padded_.length(), Real{0});
    padded.is_swapped = false;
    padded.scale = 1;
    padded_.run(padded, scratch, n_threads);
    multiply(line, spectrum_, line, padded_.length(), given.is_swapped);
    padded.is_swapped = true;
    padded.scale = given.scale;
    padded_.run(padded, scratch, n_threads);
    multiply(line, factors_, given.out + 2 * row * given.out_pitch, length_, given.is_swapped);
  }
}

template class chirp_transform<float>;
template class chirp_transform<double>;

}  // namespace wingbeat::backend::host
