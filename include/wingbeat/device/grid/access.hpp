// SPDX-License-Identifier: Apache-2.0
// How a pass reads and writes single elements, within the ranges that exist in memory.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, size

namespace wingbeat::device::grid {

/// What a side of a pass holds.
enum class row {
  complex_row,   ///< Complex numbers; or the same number of neighbouring pairs of reals.
  half_spectrum  ///< Bins 0 .. N of a real transform of length 2N.
};

/// Elements of an axis by index and place. Policy:
///   in_first, in_end      indices that are in memory; of pairs of reals, indices of reals
///   out_first, out_end
///   limited_in, limited_out  are there others
///   pairs_in, pairs_out   are the elements pairs of reals
template <class Policy, class Load, class Store>
class access {
 public:
  using real = typename Policy::real;
  using complex_type = complex<real>;

  WINGBEAT_FN access(Load in, Store out) : in_(in), out_(out) {}

  /// Returns element i of the axis, which lies at `at`, or 0 where memory does not go.
  WINGBEAT_FN complex_type read(size at, size i) const {
    if constexpr (!Policy::limited_in) {
      return in_.get(at, i);
    } else if constexpr (Load::has_parts && is_pair_in) {
      complex_type z{real(0), real(0)};
      if (is_in(2 * i)) z.re = in_.re(at);
      if (is_in(2 * i + 1)) z.im = in_.im(at);
      return z;
    } else {
      complex_type z{real(0), real(0)};
      if (is_in(i)) z = in_.get(at, i);
      return z;
    }
  }

  /// Asks for `count` elements in a row, the first at `at`; see ahead.hpp.
  WINGBEAT_FN void request(size at, size count) const { in_.request(at, count); }

  /// Writes element i of the axis at `at`, if it is wanted.
  WINGBEAT_FN void write(size at, size i, complex_type z) const {
    if constexpr (!Policy::limited_out) {
      out_.put(at, i, z);
    } else if constexpr (Store::has_parts && is_pair_out) {
      if (is_out(2 * i)) out_.put_re(at, z.re);
      if (is_out(2 * i + 1)) out_.put_im(at, z.im);
    } else {
      if (is_out(i)) out_.put(at, i, z);
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

  Load in_;
  Store out_;
};

}  // namespace wingbeat::device::grid
