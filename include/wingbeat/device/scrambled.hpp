// SPDX-License-Identifier: Apache-2.0
// Scrambled order: what the last stage of workgroup/schedule.hpp leaves in each thread. With
// g = l T + t, l < E elements of each of T threads, element g is at position p = t E + l and holds
// the frequency of p's digits reversed. Of powers of two all digits are bits, and with T = 2^W and
// 2^E elements that is  rev_E(l) T + rev_W(t).
#pragma once

#include "wingbeat/device/factors.hpp"  // radix_list, digits_reversed, opposite
#include "wingbeat/device/index.hpp"    // bits_reversed, mirror, reversed_mirror
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, size

namespace wingbeat::device::scrambled {

/// Which frequency lies where, of any length that has this order: see `schedule::scrambled_map`.
/// Every index is below length(). Usable as a constant and at run time, on the host and in kernels,
/// where each map of an index that is no constant takes two divisions for each digit.
struct digit_map {
  unsigned elements;  ///< That each thread holds, E.
  unsigned threads;   ///< Of one transform, T.
  radix_list digits;  ///< Of positions, the most significant first: primes, whose product is E T.

  WINGBEAT_FN constexpr unsigned length() const { return elements * threads; }

  /// Returns the frequency that element g holds.
  WINGBEAT_FN constexpr unsigned dft_index(unsigned g) const {
    return digits_reversed(g % threads * elements + g / threads, digits);
  }

  /// Returns the element that holds frequency f.
  WINGBEAT_FN constexpr unsigned scrambled_index(unsigned f) const {
    const unsigned p = digits_reversed(f, opposite(digits));
    return p % elements * threads + p / elements;
  }

  /// Returns the frequency -f mod L.
  WINGBEAT_FN constexpr unsigned dft_mirror_index(unsigned f) const { return mirror(f, length()); }

  /// Returns the element that holds the frequency opposite to that of element g.
  WINGBEAT_FN constexpr unsigned scrambled_mirror_index(unsigned g) const {
    return scrambled_index(dft_mirror_index(dft_index(g)));
  }

  /// Returns the elements of frequency 0 and, of an even length, of L/2.
  WINGBEAT_FN constexpr unsigned zero_index() const { return 0; }
  WINGBEAT_FN constexpr unsigned nyquist_index() const { return scrambled_index(length() / 2); }
};

/// The same of powers of two in closed form: elements_log2 + threads_log2 <= 31. Each map takes a
/// few operations on bits.
///
/// A scrambled index is  g = l T + t:  element l of thread t. The bits of l and those of t are
/// reversed each in their place, so the map is its own inverse. Where E >= 1, frequencies below
/// L/2 lie where l is even, the others where l is odd.
struct index_map {
  unsigned elements_log2;  ///< Of the elements each thread holds, E.
  unsigned threads_log2;   ///< Of the threads of one transform, W.

  WINGBEAT_FN constexpr unsigned threads() const { return 1u << threads_log2; }
  WINGBEAT_FN constexpr unsigned elements() const { return 1u << elements_log2; }
  WINGBEAT_FN constexpr unsigned length() const { return 1u << (elements_log2 + threads_log2); }

  /// Returns the frequency that element g holds:  l T + t  ->  rev_E(l) T + rev_W(t).
  WINGBEAT_FN constexpr unsigned dft_index(unsigned g) const {
    return bits_reversed(g >> threads_log2, elements_log2) << threads_log2 |
           bits_reversed(g, threads_log2);
  }

  /// Returns the element that holds frequency f: the same map, which is its own inverse.
  WINGBEAT_FN constexpr unsigned scrambled_index(unsigned f) const { return dft_index(f); }

  /// Returns the frequency -f mod L.
  WINGBEAT_FN constexpr unsigned dft_mirror_index(unsigned f) const { return mirror(f, length()); }

  /// Returns the element that holds the frequency opposite to that of element g. With
  /// M = reversed_mirror:
  ///     l T + t   ->   (2^E - 1 - l) T + M(t)    t > 0
  ///                    M(l) T                    t = 0
  WINGBEAT_FN constexpr unsigned scrambled_mirror_index(unsigned g) const {
    const unsigned l = g >> threads_log2;
    const unsigned t = g & (threads() - 1);
    return mirror_element(l, t) << threads_log2 | mirror_thread(t);
  }

  /// Returns the thread that holds the mirrors of all elements of thread t. It is a trade of one
  /// with one; threads 0 and 1 trade with themselves.
  WINGBEAT_FN constexpr unsigned mirror_thread(unsigned t) const { return reversed_mirror(t); }

  /// Returns which element of its thread mirrors element l of thread t: the same for every thread
  /// but thread 0.
  WINGBEAT_FN constexpr unsigned mirror_element(unsigned l, unsigned t) const {
    return t > 0 ? elements() - 1 - l : reversed_mirror(l);
  }

  /// Returns the elements of frequency 0 and of frequency L/2; L is at least 2 for the latter.
  WINGBEAT_FN constexpr unsigned zero_index() const { return 0; }
  WINGBEAT_FN constexpr unsigned nyquist_index() const { return elements_log2 > 0 ? threads() : 1; }

  /// Returns the element of row r < L/2 of the lower half, elements_log2 >= 1: the even l of all
  /// threads in sequence. It holds frequency rev_(E-1)(r div T) T + rev_W(r mod T), and the element
  /// T behind it holds that plus L/2.
  WINGBEAT_FN constexpr unsigned lower_half_index(unsigned r) const {
    return r + (r >> threads_log2 << threads_log2);
  }
};

}  // namespace wingbeat::device::scrambled
