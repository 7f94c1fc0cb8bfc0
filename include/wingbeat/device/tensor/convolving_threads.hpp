// SPDX-License-Identifier: Apache-2.0
// The threads of a workgroup that convolves signals by matrix products: their numbers and memory.
#pragma once

#include "wingbeat/device/functors/signal_pairs.hpp"  // signal_pair
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_LOCAL, group
#include "wingbeat/device/tensor/matrix_product.hpp"  // matrices, quad, rounded_product
#include "wingbeat/device/tensor/numbers.hpp"         // convolution_numbers, table_places
#include "wingbeat/device/tensor/signals.hpp"         // within

namespace wingbeat::device::tensor {

template <class Stored>
struct convolution_memory {
  WINGBEAT_GLOBAL const Stored* in;     // [batch][channel][i]
  WINGBEAT_GLOBAL const quad* spectra;  // [channel][64 R], then a scale for each channel
  WINGBEAT_GLOBAL const quad* table;    // of `table_places`
  WINGBEAT_GLOBAL Stored* out;          // [batch][channel][i]
  // Not read unless the numbers say so.
  WINGBEAT_GLOBAL const Stored *gate_before, *gate_after;  // [batch][channel][i]
  WINGBEAT_GLOBAL const unsigned* lengths;                 // [batch]
};

/// What all stages of `convolve` share.
template <class Policy, class Group>
class convolving_threads {
 protected:
  using numbers_type = decltype(Policy::numbers());
  using stored = typename numbers_type::stored;
  static constexpr numbers_type n = Policy::numbers();
  static constexpr table_places places{n.outer};
  static constexpr unsigned outer = n.outer, n_rows = n.at_once, subgroups = n.subgroups();
  static constexpr unsigned blocks = 8 / subgroups;  // of 32 columns, in each subgroup
  static constexpr unsigned steps = outer / 16;      // of 8 points n3 < R/2
  static constexpr unsigned tiles = outer / 8;       // of 8 points ka
  static constexpr bool is_folded = places.is_folded();
  static constexpr unsigned row_quads = 64 * outer;
  static constexpr unsigned n_signals = 2 * n_rows;
  static constexpr unsigned n_quads = 2 * steps * blocks;  // of a signal, in each thread
  // Rows are of as many values as there may be, and each exists.
  static constexpr bool are_full = n.length == 128 * outer && n.rows_of_channel() % n_rows == 0 &&
                                   !n.are_alone && n.batch % 2 == 0;
  static constexpr within known = n.is_ragged ? within::partial
                                  : are_full  ? within::full
                                              : within::whole;
  using units = matrices<Group>;

  WINGBEAT_FN convolving_threads(const convolution_memory<stored>& memory,
                                 WINGBEAT_LOCAL char* scratch, Group group)
      : memory_(memory),
        group_(group),
        exchange_(reinterpret_cast<WINGBEAT_LOCAL quad*>(scratch)),
        shared_(reinterpret_cast<WINGBEAT_LOCAL unsigned*>(scratch + n.exchange_bytes())),
        subgroup_(group.thread() / 32),
        lane_(group.thread() % 32),
        g_(lane_ / 4),
        t_(lane_ % 4),
        units_(group, scratch + n.local_bytes() + subgroup_ * units::exchange_bytes) {}

  /// Where a signal lies, and how many of its values there are.
  struct signal_place {
    size first = 0;
    unsigned count = 0;
  };
  /// Return that of signal `second`, 0 or 1, of a row of a channel.
  WINGBEAT_FN signal_place place_of(size channel, size row, unsigned second) const {
    constexpr size rows = n.rows_of_channel();
    const bool exists = rows % n_rows == 0 || row < rows;
    const functors::signal_pair<stored, float> pair{
        n.signals(false), {nullptr, memory_.lengths}, channel * rows + (exists ? row : 0)};
    const size count = second == 0 ? pair.first_count() : pair.second_count();
    return {second == 0 ? pair.first(0) : pair.second(0), exists ? unsigned(count) : 0u};
  }

  /// Returns the first of this thread's columns m = n1 + 16 n2 in a block.
  WINGBEAT_FN unsigned column(unsigned b) const {
    const unsigned number = subgroup_ + subgroups * b;
    return 16 * (4 * (number >> 1) + 2 * (g_ & 1) + (number & 1)) + 4 * (g_ >> 1);
  }

  /// Returns both complex pairs of sums, times twiddles.
  WINGBEAT_FN static quad both_of(const product_part (&sums)[2], const quad& w) {
    quad out;
    WINGBEAT_UNROLL
    for (unsigned j = 0; j < 2; ++j) {
      const complex_pair z = rounded_product(sums[j], pair_of(w.value[2 * j], w.value[2 * j + 1]));
      out.value[2 * j] = z.re.bits;
      out.value[2 * j + 1] = z.im.bits;
    }
    return out;
  }
  WINGBEAT_FN static complex_pair pair_of(unsigned re, unsigned im) {
    return {half_pair::of_bits(re), half_pair::of_bits(im)};
  }

  convolution_memory<stored> memory_;
  Group group_;
  WINGBEAT_LOCAL quad* exchange_;
  WINGBEAT_LOCAL unsigned* shared_;
  unsigned subgroup_, lane_, g_, t_;
  units units_;
};

}  // namespace wingbeat::device::tensor
