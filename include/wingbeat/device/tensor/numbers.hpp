// SPDX-License-Identifier: Apache-2.0
// Rows that are convolved by matrix products: constants, the layout of their local memory and of
// the table of their matrices, of which the host makes the entries.
#pragma once

#include "wingbeat/device/functors/signal_pairs.hpp"  // signal_pair_numbers
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, size

namespace wingbeat::device::tensor {

/// A row has N = 256 R points n = n1 + 16 n2 + 256 n3, of which those with n3 < R/2 are not 0, and
/// bins k = ka + R (kb + 16 kc); n1, n2, kb, kc < 16. Signals and results are at n < N/2.
/// Stored: half_float or bfloat.
template <class Stored>
struct convolution_numbers {
  using stored = Stored;

  size length = 1, channels = 1, batch = 1;  ///< As in `signal_pair_numbers`.
  bool are_alone = false, is_ragged = false;
  bool has_gate_before = false, has_gate_after = false;
  bool conjugates = false;  ///< Correlates with the kernels.
  unsigned outer = 16;      ///< R: 16, 32 or 64.
  unsigned at_once = 1;     ///< Rows of a workgroup.

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("length", length);
    visit("channels", channels);
    visit("batch", batch);
    visit("are_alone", are_alone);
    visit("is_ragged", is_ragged);
    visit("has_gate_before", has_gate_before);
    visit("has_gate_after", has_gate_after);
    visit("conjugates", conjugates);
    visit("outer", outer);
    visit("at_once", at_once);
  }

  WINGBEAT_FN constexpr functors::signal_pair_numbers signals(bool is_gated) const {
    functors::signal_pair_numbers n;
    n.length = length;
    n.channels = channels;
    n.batch = batch;
    n.is_gated = is_gated;
    n.is_ragged = is_ragged;
    n.are_alone = are_alone;
    return n;
  }
  WINGBEAT_FN constexpr size rows_of_channel() const { return signals(false).pairs(); }
  /// Returns the workgroups of one channel.
  WINGBEAT_FN constexpr size groups() const { return (rows_of_channel() + at_once - 1) / at_once; }
  WINGBEAT_FN constexpr unsigned subgroups() const { return outer == 16 ? 4 : 8; }
  WINGBEAT_FN constexpr unsigned threads() const { return 32 * subgroups(); }
  /// Return bytes of local memory: those that rows are exchanged in, and all.
  WINGBEAT_FN constexpr unsigned exchange_bytes() const { return 64 * 16 * outer * at_once; }
  WINGBEAT_FN constexpr unsigned local_bytes() const {
    return exchange_bytes() + 2 * at_once * subgroups() * unsigned(sizeof(float));
  }
};

/// Quads of the table, in parts; each part has a quad for each thread of a subgroup, many times.
struct table_places {
  unsigned outer;  ///< R

  WINGBEAT_FN constexpr bool is_folded() const { return outer >= 32; }
  WINGBEAT_FN constexpr unsigned matrix() const { return 0; }
  WINGBEAT_FN constexpr unsigned inner() const { return 4 * 32; }
  WINGBEAT_FN constexpr unsigned inner_back() const { return inner() + 2 * 32; }
  WINGBEAT_FN constexpr unsigned first() const { return inner_back() + 2 * 32; }
  WINGBEAT_FN constexpr unsigned last() const {
    return first() + outer / (is_folded() ? 16 : 8) * (outer / 16) * 32;
  }
  WINGBEAT_FN constexpr unsigned twiddles() const {
    return last() + outer / 16 * (outer / (is_folded() ? 16 : 8)) * 32;
  }
  WINGBEAT_FN constexpr unsigned twiddles_back() const { return twiddles() + 64 * outer; }
  WINGBEAT_FN constexpr unsigned end() const { return twiddles_back() + 64 * outer; }
};

// Places of quads in local memory, without conflicts of banks.
/// Of n2 = 4 w + i and n2 + 2, of n1 = 2 q and 2 q + 1, at ka = 2 r + parity.
WINGBEAT_FN constexpr unsigned forward_place(unsigned r, unsigned parity, unsigned i, unsigned w,
                                             unsigned q) {
  return r * 128 + parity * 64 + i * 32 + (q >> 1) * 8 + ((q ^ parity) & 1) +
         ((w ^ (q >> 1)) & 1) * 2 + (((w >> 1) ^ (q >> 2)) & 1) * 4;
}
/// Of ka = 2 r and 2 r + 1, of n1 = 2 q and 2 q + 1, at n2.
WINGBEAT_FN constexpr unsigned inverse_place(unsigned r, unsigned n2, unsigned q) {
  return r * 128 + (n2 & 3) * 32 + (q >> 1) * 8 + ((q ^ (q >> 1)) & 1) + (((n2 >> 2) ^ r) & 1) * 2 +
         (((n2 >> 3) ^ (r >> 1)) & 1) * 4;
}

/// Returns the n3 of input `c` < 8 of step `s` of the first stage, and of output `c` of its
/// inverse.
WINGBEAT_FN constexpr unsigned outer_input(unsigned outer, unsigned s, unsigned c) {
  return table_places{outer}.is_folded() ? 2 * (8 * (s / 2) + c) + s % 2 : 8 * s + c;
}

}  // namespace wingbeat::device::tensor
