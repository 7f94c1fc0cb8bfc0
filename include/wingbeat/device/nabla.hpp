// SPDX-License-Identifier: Apache-2.0
// Nabla order: with g = l T + t,  T = 2^W threads,  l < 2^E elements of each,  L = 2^(E+W),
// element g holds the frequency  (l mod 2) L/2 + rev_W(t) 2^(E-1) + rev_(E-1)(l div 2).
#pragma once

#include "wingbeat/device/index.hpp"  // bits_reversed, mirror, reversed_mirror
#include "wingbeat/device/port.hpp"   // WINGBEAT_FN, size

namespace wingbeat::device::nabla {

/// The two sizes of a Nabla transform, as logarithms.
struct parameters {
  unsigned elements_log2;   ///< E: log2 of the elements per thread.
  unsigned workgroup_log2;  ///< W: log2 of the threads of the workgroup.

  /// Returns whether these sizes have a transform: every thread holds a pair, and L fits an index.
  WINGBEAT_FN constexpr bool is_valid() const {
    return elements_log2 >= 1 && elements_log2 < 31 && workgroup_log2 >= 1 &&
           workgroup_log2 <= 31 - elements_log2;
  }
};

/// Returns the parameters for `length` elements, padded to a power of two: as many threads as
/// `max_workgroup`, rounded down to a power of two, allows, and as few elements per thread as
/// possible, at least 2. Returns {0, 0}, which is not valid, for a subgroup of fewer than 4
/// threads, a workgroup smaller than a subgroup, a length of less than a pair per thread of a
/// subgroup, or a length above 2^31.
WINGBEAT_FN constexpr parameters optimal_parameters(unsigned max_workgroup, size length,
                                                    unsigned subgroup) {
  constexpr size longest = size{1} << 31;
  const bool is_possible =
      subgroup >= 4 && max_workgroup >= subgroup && length > subgroup && length <= longest;
  if (!is_possible) return {0, 0};
  const unsigned length_log2 = log2_rounded_up(length);
  const unsigned workgroup_log2 = minimum(length_log2 - 1, log2_of(max_workgroup));
  if (subgroup > 1u << workgroup_log2) return {0, 0};
  return {length_log2 - workgroup_log2, workgroup_log2};
}

/// Maps between elements and frequencies in Nabla order. Every index is below length(), and
/// 1 <= elements_log2, elements_log2 + workgroup_log2 <= 31. Usable as a constant and at run time,
/// on the host and in a kernel.
///
/// A Nabla index is  g = l T + t:  element l of thread t. Even l hold frequencies below L/2, odd l
/// the others.
struct index_map {
  unsigned elements_log2;   ///< E: log2 of the elements per thread.
  unsigned workgroup_log2;  ///< W: log2 of the threads of the workgroup.

  WINGBEAT_FN constexpr unsigned workgroup() const { return 1u << workgroup_log2; }
  WINGBEAT_FN constexpr unsigned length_log2() const { return elements_log2 + workgroup_log2; }
  WINGBEAT_FN constexpr unsigned length() const { return 1u << length_log2(); }

  /// Returns the frequency that element g holds:
  ///     g = (2p + b) T + t   ->   b L/2 + rev_W(t) 2^(E-1) + rev_(E-1)(p)
  WINGBEAT_FN constexpr unsigned dft_index(unsigned g) const {
    const unsigned l = g >> workgroup_log2;
    const unsigned t = g & (workgroup() - 1);
    return (l & 1) << (length_log2() - 1) | bits_reversed(t, workgroup_log2) << pairs_log2() |
           bits_reversed(l >> 1, pairs_log2());
  }

  /// Returns the element that holds frequency f, the inverse of dft_index:
  ///     f = b L/2 + r 2^(E-1) + q   ->   (2 rev_(E-1)(q) + b) T + rev_W(r)
  WINGBEAT_FN constexpr unsigned nabla_index(unsigned f) const {
    const unsigned p = bits_reversed(f, pairs_log2());
    const unsigned t = bits_reversed(f >> pairs_log2(), workgroup_log2);
    const unsigned b = f >> (length_log2() - 1);
    return (p << 1 | b) << workgroup_log2 | t;
  }

  /// Returns the frequency -f mod L.
  WINGBEAT_FN constexpr unsigned dft_mirror_index(unsigned f) const { return mirror(f, length()); }

  /// Returns the element that holds the frequency opposite to that of element g. With
  /// M = reversed_mirror:
  ///     (2p + b) T + t   ->   (2 M(p) + 1 - b) T + T - 1 - t     p > 0
  ///                           (1 - b) T + M(t)                   p = 0, t > 0
  ///                           itself: 0 or L/2                   p = 0, t = 0
  WINGBEAT_FN constexpr unsigned nabla_mirror_index(unsigned g) const {
    const unsigned l = g >> workgroup_log2;
    const unsigned t = g & (workgroup() - 1);
    if (g == zero_index() || g == nyquist_index()) return g;
    return mirror_element(l) << workgroup_log2 | mirror_thread(l, t);
  }

  /// Returns the thread that holds the mirror of element l of thread t. Threads trade in pairs: t
  /// holds the mirror of element l of that thread.
  WINGBEAT_FN constexpr unsigned mirror_thread(unsigned l, unsigned t) const {
    return l < 2 ? reversed_mirror(t) : workgroup() - 1 - t;
  }

  /// Returns the mirror's number in its thread for element l: the same for every thread, so it can
  /// be a register. Only thread 0 differs, for l < 2: Zero and Nyquist are their own mirrors.
  WINGBEAT_FN constexpr unsigned mirror_element(unsigned l) const {
    return reversed_mirror(l >> 1) << 1 | (~l & 1);
  }

  /// Returns the elements of frequency 0 and of frequency L/2.
  WINGBEAT_FN constexpr unsigned zero_index() const { return 0; }
  WINGBEAT_FN constexpr unsigned nyquist_index() const { return workgroup(); }

  /// Returns the element of row r < L/2 of the lower half: the even l of all threads in sequence.
  /// It holds frequency rev_(E+W-1)(r), and the element T behind it holds that plus L/2.
  WINGBEAT_FN constexpr unsigned lower_half_index(unsigned r) const {
    return r + (r >> workgroup_log2 << workgroup_log2);
  }

 private:
  WINGBEAT_FN constexpr unsigned pairs_log2() const { return elements_log2 - 1; }
};

}  // namespace wingbeat::device::nabla
