// SPDX-License-Identifier: Apache-2.0
// How a pass reads and writes single elements, within the ranges that exist in memory.
#pragma once

#include "wingbeat/device/complex.hpp"       // complex
#include "wingbeat/device/grid/numbers.hpp"  // side
#include "wingbeat/device/port.hpp"          // WINGBEAT_FN, size

namespace wingbeat::device::grid {

/// Reads elements of an axis from `Load` and writes them to `Store`, by index and place; see
/// ends/memory.hpp.
template <class Policy, class Load, class Store>
class access {
  WINGBEAT_FN static constexpr pass_numbers numbers() { return Policy::numbers(); }

 public:
  using real = typename Policy::real;
  using complex_type = complex<real>;
  using store_type = Store;

  WINGBEAT_FN access(Load in, Store out) : in_(in), out_(out) {}

  /// Returns element i of the axis, which lies at `place`, or 0 if it is not in memory. For two
  /// rows as one, returns the first row's element plus i times the second's.
  WINGBEAT_FN complex_type read(size place, size i) const {
    if constexpr (numbers().in.second == 0) {
      return read_one(place, i);
    } else {
      constexpr size second = numbers().in.second;
      const complex_type x = read_one(place, i), y = read_one(place + second, i);
      return {x.re - y.im, x.im + y.re};
    }
  }

  /// Returns bin i <= N/2 of a real signal of N, which is stored itself, not as a conjugate.
  WINGBEAT_FN complex_type read_bin(size place, size i) const {
    constexpr size n = numbers().points();
    const complex_type z = read_stored(place, i);
    return {z.re, i == 0 || (n % 2 == 0 && 2 * i == n) ? real(0) : z.im};
  }

  WINGBEAT_FN const Load& source() const { return in_; }
  WINGBEAT_FN const Store& target() const { return out_; }

  /// Prefetches `count` elements in a row, the first at `place`; see prefetch.hpp.
  WINGBEAT_FN void prefetch(size place, size count) const { in_.prefetch(place, count); }

  /// Writes element i of the axis at `place`, if it is wanted. For two rows of reals as one, writes
  /// an element of each.
  WINGBEAT_FN void write(size place, size i, complex_type z) const {
    if constexpr (numbers().out.second > 0 && numbers().in.is_hermitian) {
      constexpr size second = numbers().out.second;
      write_one(place, i, {z.re, real(0)});
      write_one(place + second, i, {z.im, real(0)});
    } else {
      write_one(place, i, z);
    }
  }

 private:
  /// For bins of a real signal, ignores the imaginary parts of bin 0 and bin N/2.
  WINGBEAT_FN complex_type read_one(size place, size i) const {
    if constexpr (numbers().has_bins_alone) {
      return read_bin(place, i);
    } else if constexpr (numbers().in.is_hermitian) {
      constexpr size n = numbers().points(), unit = numbers().in.unit;
      const bool is_mirrored = 2 * i > n, is_real = i == 0 || (n % 2 == 0 && 2 * i == n);
      const size bin = is_mirrored ? n - i : i;  // keeps rows of a dense axis recognisable
      const complex_type z = read_stored(place - i * unit + bin * unit, bin);
      return {z.re, is_real ? real(0) : is_mirrored ? -z.im : z.im};
    } else {
      return read_stored(place, i);
    }
  }

  WINGBEAT_FN void write_one(size place, size i, complex_type z) const {
    if constexpr (numbers().out.is_conjugated) z = conj(z);
    if constexpr (!numbers().out.is_limited) {
      out_.put(place, i, z);
    } else if constexpr (Store::has_parts && numbers().out.is_pairs) {
      if constexpr (Store::computes && numbers().out.unit == 2) {
        const auto first = out_.real_at(place, 2 * i - numbers().out.valid_begin);
        if (is_out(2 * i)) out_.put_real(first, 0, z.re);
        if (is_out(2 * i + 1)) out_.put_real(first, 1, z.im);
      } else if (is_out(2 * i) && is_out(2 * i + 1)) {
        out_.put(place, i, z);
      } else if (is_out(2 * i)) {
        out_.put_re(place, z.re);
      } else if (is_out(2 * i + 1)) {
        out_.put_im(place, z.im);
      }
    } else {
      if (is_out(i)) out_.put(place, i, z);
    }
  }

  /// Returns an element whose place is in memory, or 0 if it is not wanted.
  WINGBEAT_FN complex_type read_stored(size place, size i) const {
    if constexpr (numbers().in.is_conjugated) {
      return conj(read_kept(place, i));
    } else {
      return read_kept(place, i);
    }
  }
  WINGBEAT_FN complex_type read_kept(size place, size i) const {
    if constexpr (!numbers().in.is_limited) {
      return in_.get(place, i);
    } else if constexpr (Load::has_parts && numbers().in.is_pairs) {
      complex_type z{real(0), real(0)};
      if constexpr (Load::computes && numbers().in.unit == 2) {
        const auto first = in_.real_at(place, 2 * i - numbers().in.valid_begin);
        if (is_in(2 * i)) z.re = in_.real(first, 0);
        if (is_in(2 * i + 1)) z.im = in_.real(first, 1);
      } else {
        if (is_in(2 * i) && is_in(2 * i + 1)) return in_.get(place, i);
        if (is_in(2 * i)) z.re = in_.re(place);
        if (is_in(2 * i + 1)) z.im = in_.im(place);
      }
      return z;
    } else {
      complex_type z{real(0), real(0)};
      if (is_in(i)) z = in_.get(place, i);
      return z;
    }
  }

  WINGBEAT_FN static bool is_in(size i) {
    constexpr size begin = numbers().in.valid_begin,
                   count = numbers().in.valid_end - numbers().in.valid_begin;
    return i - begin < count;
  }
  WINGBEAT_FN static bool is_out(size i) {
    constexpr size begin = numbers().out.valid_begin,
                   count = numbers().out.valid_end - numbers().out.valid_begin;
    return i - begin < count;
  }

  Load in_;
  Store out_;
};

}  // namespace wingbeat::device::grid
