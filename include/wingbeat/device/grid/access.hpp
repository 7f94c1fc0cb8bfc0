// SPDX-License-Identifier: Apache-2.0
// How a pass reads and writes single elements: within the ranges that exist in memory, and as bins
// of a real transform where the pass joins or separates them.
#pragma once

#include "wingbeat/device/complex.hpp"    // complex
#include "wingbeat/device/grid/real.hpp"  // combine, separate
#include "wingbeat/device/port.hpp"       // WINGBEAT_FN, size
#include "wingbeat/device/twiddle.hpp"    // roots

namespace wingbeat::device::grid {

/// What a side of a pass holds.
enum class row {
  complex_row,   ///< Complex numbers; or the same number of neighbouring pairs of reals.
  half_spectrum  ///< Bins 0 .. N of a real transform of length 2N.
};

/// Elements of an axis by index and place. Policy:
///   total                 N, of the axis, in complex elements
///   source, sink          what the sides hold
///   in_first, in_end      indices that are in memory; of pairs of reals, indices of reals
///   out_first, out_end
///   limited_in, limited_out  are there others
///   in_unit, out_unit     places from one index of the axis to the next
template <class Policy, class Load, class Store>
class access {
 public:
  using real = typename Policy::real;
  using complex_type = complex<real>;
  using roots = twiddle::roots<real, 2 * Policy::total>;

  WINGBEAT_FN access(Load in, Store out, roots real_roots)
      : in_(in), out_(out), roots_(real_roots) {}

  /// Returns element i of the axis, which lies at `at`; as bin i of the half-length transform
  /// where the side holds a half spectrum.
  WINGBEAT_FN complex_type read(size at, size i) const {
    if constexpr (Policy::source == row::half_spectrum) {
      return joined(at, i);
    } else {
      return stored(at, i);
    }
  }

  /// Returns what memory holds at index i, or 0 where it does not go.
  WINGBEAT_FN complex_type stored(size at, size i) const {
    if constexpr (!Policy::limited_in) {
      return in_.get(at);
    } else if constexpr (Load::has_parts && is_pair_in) {
      complex_type z{real(0), real(0)};
      if (is_in(2 * i)) z.re = in_.re(at);
      if (is_in(2 * i + 1)) z.im = in_.im(at);
      return z;
    } else {
      complex_type z{real(0), real(0)};
      if (is_in(i)) z = in_.get(at);
      return z;
    }
  }

  /// Writes element i of the axis at `at`, if it is wanted.
  WINGBEAT_FN void write(size at, size i, complex_type z) const {
    if constexpr (!Policy::limited_out) {
      out_.put(at, z);
    } else if constexpr (Store::has_parts && is_pair_out) {
      if (is_out(2 * i)) out_.put_re(at, z.re);
      if (is_out(2 * i + 1)) out_.put_im(at, z.im);
    } else {
      if (is_out(i)) out_.put(at, z);
    }
  }

  /// Writes bin i < N of the real transform, and bin N with bin 0, from Z[i] and Z[N - i].
  WINGBEAT_FN void write_separated(size at, size i, complex_type z, complex_type other) const {
    if (i == 0) {
      write(at, 0, {z.re + z.im, real(0)});
      write(at + Policy::total * Policy::out_unit, Policy::total, {z.re - z.im, real(0)});
    } else {
      write(at, i, separate(z, other, roots_(i)));
    }
  }

 private:
  static constexpr bool is_pair_in = Policy::pairs_in;
  static constexpr bool is_pair_out = Policy::pairs_out;

  WINGBEAT_FN static bool is_in(size i) {
    return i - Policy::in_first < Policy::in_end - Policy::in_first;
  }
  WINGBEAT_FN static bool is_out(size i) {
    return i - Policy::out_first < Policy::out_end - Policy::out_first;
  }

  /// Z[i] of the inverse from bins i and N - i; the imaginary parts of bins 0 and N are not used.
  WINGBEAT_FN complex_type joined(size at, size i) const {
    const complex_type x = stored(at, i);
    const size opposite = at + Policy::total * Policy::in_unit - 2 * i * Policy::in_unit;
    const complex_type y = stored(opposite, Policy::total - i);
    if (i == 0) return {x.re + y.re, x.re - y.re};
    return combine(x, y, roots_(i));
  }

  Load in_;
  Store out_;
  roots roots_;
};

}  // namespace wingbeat::device::grid
