// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/chirp_transform.hpp"

#include <algorithm>  // fill

#include "backend/host/rows/mixed_chain.hpp"  // row_cost
#include "backend/host/thresholds.hpp"        // limits
#include "formatted.hpp"                      // formatted
#include "tuning/padding.hpp"                 // padded_length

namespace wingbeat::backend::host {
namespace {

/// Returns the good length that rows of another are convolved within.
template <class Real>
std::size_t padded_length(std::size_t length, std::size_t width) {
  if (length <= limits.longest_searched_chirp) {
    return padded_length_of(length,
                            [&](std::size_t n) { return row_cost(n, width, sizeof(Real)); });
  }
  device_info processor;
  processor.runs_on = engine::host;
  return tuning::padded_length(2 * length - 1, processor);
}

}  // namespace

template <class Real>
chirp_transform<Real>::chirp_transform(const kernels<Real>& kernel_set, std::size_t length,
                                       unsigned n_slots)
    : kernels_(kernel_set),
      padded_(kernel_set, padded_length<Real>(length, static_cast<std::size_t>(kernel_set.width)),
              n_slots),
      table_(length, padded_.length()) {}

template <class Real>
double chirp_transform<Real>::cost() const {
  // Two transforms, and products of vectors of 32 bytes, ten instructions each.
  const auto width = static_cast<std::size_t>(kernels_.width);
  return 2 * row_cost(padded_.length(), width, sizeof(Real)) +
         10 * 2 * static_cast<double>(padded_.length() * sizeof(Real)) / 32;
}

template <class Real>
std::size_t chirp_transform<Real>::workspace_bytes() const noexcept {
  return aligned_up(2 * padded_.length() * sizeof(Real)) + padded_.workspace_bytes();
}

template <class Real>
std::string chirp_transform<Real>::explain() const {
  return formatted("{} points as a convolution with a chirp within {}\n{}, and back",
                   table_.view().length, padded_.length(), padded_.explain());
}

template <class Real>
void chirp_transform<Real>::multiply(const Real* x, const Real* factors, Real* out,
                                     std::size_t count, bool conjugates) const {
  kernels_.multiply(
      {.x = x, .spectrum = factors, .out = out, .count = count, .conjugates_spectrum = conjugates});
}

/// The chirp of an inverse transform, and its spectrum, are the conjugates of a forward one's.
template <class Real>
void chirp_transform<Real>::run(const rows<Real>& given, void* workspace,
                                unsigned n_threads) const {
  const auto [length, factors, spectrum] = table_.view();
  auto* const line = static_cast<Real*>(workspace);
  const std::size_t line_bytes = aligned_up(2 * padded_.length() * sizeof(Real));
  void* const scratch = static_cast<std::byte*>(workspace) + line_bytes;
  rows<Real> padded;
  padded.in = padded.out = line;
  padded.in_pitch = padded.out_pitch = padded_.length();
  padded.count = 1;
  for (std::size_t row = 0; row < given.count; ++row) {
    multiply(given.in + 2 * row * given.in_pitch, factors, line, length, given.is_swapped);
    std::fill(line + 2 * length, line + 2 * padded_.length(), Real{0});
    padded.is_swapped = false;
    padded.scale = 1;
    padded_.run(padded, scratch, n_threads);
    multiply(line, spectrum, line, padded_.length(), given.is_swapped);
    padded.is_swapped = true;
    padded.scale = given.scale;
    padded_.run(padded, scratch, n_threads);
    multiply(line, factors, given.out + 2 * row * given.out_pitch, length, given.is_swapped);
  }
}

template class chirp_transform<float>;
template class chirp_transform<double>;

}  // namespace wingbeat::backend::host
