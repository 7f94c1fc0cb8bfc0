// SPDX-License-Identifier: Apache-2.0
// How another transform makes a transform of lines of reals, and its roots.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <numbers>  // sqrt2
#include <string_view>
#include <vector>

#include "programs/program.hpp"                     // constant
#include "request/traits.hpp"                       // traits, basis
#include "wingbeat/device/factors.hpp"              // greatest_factor, log2_of
#include "wingbeat/device/functors/reductions.hpp"  // folded_samples
#include "wingbeat/plan.hpp"                        // transform
#include "wingbeat/roots.hpp"                       // root

namespace wingbeat::programs {

/// How an inner transform makes one axis; see device/functors/reductions.hpp.
struct reduction {
  transform inner = transform::forward_from_real;
  std::size_t length = 1;  ///< Length of the inner transform.
  double factor = 1;       ///< Scale of the inner transform.
  /// Roots exp(-2 pi i (first + e step) / order), e < roots, which lines read; 0: none.
  std::size_t roots = 0, first = 0, step = 1, order = 1;
  bool are_loaded = false, are_stored = false;  ///< Which ends read roots.
  bool is_scattered = false;  ///< Neighbours of the inner transform are not neighbours of the line.
  std::string_view description = {};
};

/// Calls work(reduction, functor) for n points of a kind, with a class of
/// device/functors/reductions.hpp.
template <class Work>
void reduced(const request::traits& kind, std::size_t n, const Work& work) {
  namespace functors = device::functors;
  reduction chosen{.length = n};
  if (kind.functions == request::basis::cas) {
    chosen.description = "real and imaginary parts of bins";
    return work(chosen, functors::cas_bins{});
  }
  if (kind.half_in && kind.half_out && n % 2 == 1) {
    chosen.factor = std::numbers::sqrt2;
    chosen.description = "samples at places 1 mod 8";
    return work(chosen, functors::odd_places{});
  }
  if (kind.half_in && kind.half_out) {
    chosen = {.inner = transform::forward,
              .length = n / 2,
              .factor = 2,
              .roots = n / 2,
              .first = 1,
              .step = 8,
              .order = 16 * n,
              .are_loaded = true,
              .are_stored = true,
              .is_scattered = true,
              .description = "samples from both ends in pairs"};
    return work(chosen, functors::half_turned{});
  }
  if (kind.half_in || kind.half_out) {
    chosen.roots = n / 2 + 1;
    chosen.order = 4 * n;
    chosen.description = "evens ascending, odds descending";
    if (kind.half_in) {
      chosen.factor = 2;
      chosen.are_stored = true;
      return work(chosen, functors::folded_samples{});
    }
    chosen.inner = transform::inverse_to_real;
    chosen.are_loaded = true;
    chosen.is_scattered = true;
    return work(chosen, functors::folded_bins{});
  }
  chosen.length = kind.logical_length(n);
  chosen.description = "continued by mirror images";
  if (kind.functions == request::basis::cosine) return work(chosen, functors::even_extension{});
  work(chosen, functors::odd_extension{});
}

/// Calls work likewise for a line that is continued to 2 M reals, if M is odd and has a large prime
/// factor, because engines that compile kernels have no rows of M pairs then. Returns whether it
/// did.
template <class Work>
bool halved(const request::traits& kind, std::size_t n, const Work& work) {
  const bool is_continued =
      !kind.half_in && !kind.half_out && kind.functions != request::basis::cas;
  const std::size_t half = kind.logical_length(n) / 2;
  if (!is_continued || half % 2 == 0) return false;
  if (device::greatest_factor(static_cast<unsigned>(half)) <= device::largest_prime_radix) {
    return false;
  }
  const reduction chosen{.inner = transform::forward,
                         .length = half,
                         .is_scattered = true,
                         .description = "even and odd places of its mirror images"};
  if (kind.functions == request::basis::cosine) {
    work(chosen, device::functors::even_halves{});
  } else {
    work(chosen, device::functors::odd_halves{});
  }
  return true;
}

/// The largest table whose roots are read singly; for larger ones two roots are multiplied.
inline constexpr std::size_t max_single_roots = 6144;

inline unsigned fine_bits_of(std::size_t roots) {
  return roots <= max_single_roots ? 0 : (device::log2_of(roots) + 1) / 2;
}

/// Returns a reduction's roots, times a scale.
template <class Real>
constant roots_of(const reduction& chosen, double scale = 1) {
  if (chosen.roots == 0) return {};
  std::vector<std::complex<Real>> list;
  const auto add = [&](std::size_t e, long double factor) {
    list.push_back(std::complex<Real>(factor * root(e, chosen.order)));
  };
  const std::size_t fine = std::size_t{1} << fine_bits_of(chosen.roots);
  if (fine == 1) {
    for (std::size_t e = 0; e < chosen.roots; ++e) add(chosen.first + e * chosen.step, scale);
    return constant{list};
  }
  for (std::size_t e = 0; e < fine; ++e) add(e * chosen.step, 1);
  for (std::size_t e = 0; e < chosen.roots; e += fine) add(chosen.first + e * chosen.step, scale);
  return constant{list};
}

}  // namespace wingbeat::programs
