// SPDX-License-Identifier: Apache-2.0
// Scrambled order: the order in which the last stage of workgroup/schedule.hpp leaves the bins.
// With g = l T + t, l < E elements of each of T threads, element g is at position p = t E + l and
// holds the frequency of p's digits reversed. For powers of two all digits are bits; with T = 2^W
// threads of 2^E elements the frequency is  rev_E(l) T + rev_W(t).
#pragma once

#include "wingbeat/device/factors.hpp"  // radix_list, digits_reversed, opposite
#include "wingbeat/device/index.hpp"    // bits_reversed, mirror, reversed_mirror
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, size

namespace wingbeat::device::scrambled {

/// Maps between elements and frequencies, for any length that has this order: see
/// `schedule::scrambled_map`. Every index is below length(). Usable as a constant and at run time,
/// on the host and in kernels, where mapping an index that is not constant takes two divisions per
/// digit.
struct digit_map {
  unsigned elements;  ///< Per thread, E.
  unsigned threads;   ///< Per transform, T.
  radix_list digits;  ///< Bases of a position's digits, most significant first: primes, of product
                      ///< E T.

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

  /// Returns the elements that hold frequency 0 and, if L is even, L/2.
  WINGBEAT_FN constexpr unsigned zero_index() const { return 0; }
  WINGBEAT_FN constexpr unsigned nyquist_index() const { return scrambled_index(length() / 2); }
};

/// The maps for powers of two in closed form, a few bit operations each:
/// elements_log2 + threads_log2 <= 31.
///
/// A scrambled index is  g = l T + t:  element l of thread t. The bits of l and of t are reversed
/// separately, so the map is its own inverse. If E >= 1, even l hold frequencies below L/2, odd l
/// the others.
struct index_map {
  unsigned elements_log2;  ///< E: log2 of the elements per thread.
  unsigned threads_log2;   ///< W: log2 of the threads of one transform.

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

  /// Returns the thread that holds the mirrors of all elements of thread t. Threads trade in pairs;
  /// threads 0 and 1 trade with themselves.
  WINGBEAT_FN constexpr unsigned mirror_thread(unsigned t) const { return reversed_mirror(t); }

  /// Returns the mirror's number in its thread for element l of thread t: the same for every thread
  /// except thread 0.
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
