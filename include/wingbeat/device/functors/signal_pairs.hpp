// SPDX-License-Identifier: Apache-2.0
// Real signals in pairs, as the real and the imaginary parts of rows of complex numbers, because a
// kernel of reals convolves both at once; or each alone: memory of signal_load, signal_store.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Signals [batch][channel][i] of `length` values. Rows are numbered [channel][pair], so that those
/// that meet the same kernel are neighbours: row r is channel r / pairs of the signals 2p and
/// 2p + 1 of the batch, p = r % pairs. The last pair of an odd batch has one; alone, signal p.
struct signal_pair_numbers {
  size length = 1, channels = 1, batch = 1;
  bool is_gated = false;   ///< Each value is multiplied by the one in the same place of a gate.
  bool is_ragged = false;  ///< Each signal of the batch has a length of its own.
  bool are_alone = false;  ///< Each signal has a row.

  WINGBEAT_FN constexpr size pairs() const { return are_alone ? batch : (batch + 1) / 2; }

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("length", length);
    visit("channels", channels);
    visit("batch", batch);
    visit("is_gated", is_gated);
    visit("is_ragged", is_ragged);
    visit("are_alone", are_alone);
  }
};

template <class Stored>
struct signal_pair_operands {
  WINGBEAT_GLOBAL const Stored* gate;
  WINGBEAT_GLOBAL const unsigned* lengths;  ///< Of each signal of the batch, up to `length`.

  template <class Visit>
  WINGBEAT_FN static void each(const signal_pair_numbers& n, Visit visit) {
    if (n.is_gated) visit("gate", &signal_pair_operands::gate);
    if (n.is_ragged) visit("lengths", &signal_pair_operands::lengths);
  }
};

/// The signals of one row.
template <class Stored, class Real>
class signal_pair {
 public:
  WINGBEAT_FN signal_pair(const signal_pair_numbers& n, signal_pair_operands<Stored> given,
                          size row)
      : gate_(given.gate), is_gated_(n.is_gated), is_ragged_(n.is_ragged) {
    const size number = row % n.pairs() * (n.are_alone ? 1 : 2);
    first_ = (number * n.channels + row / n.pairs()) * n.length;
    second_ = first_ + n.channels * n.length;
    has_second_ = !n.are_alone && (n.batch % 2 == 0 || number + 1 < n.batch);
    if (!is_ragged_) return;
    first_length_ = given.lengths[number];
    second_length_ = has_second_ ? given.lengths[number + 1] : 0;
  }

  // Whether value i of a signal is in memory, and where.
  WINGBEAT_FN bool has_first(size i) const { return !is_ragged_ || i < first_length_; }
  WINGBEAT_FN bool has_second(size i) const {
    return has_second_ && (!is_ragged_ || i < second_length_);
  }
  WINGBEAT_FN size first(size i) const { return first_ + i; }
  WINGBEAT_FN size second(size i) const { return second_ + i; }

  /// Returns a value times the gate's in its place.
  WINGBEAT_FN Real gated(size place, Real value) const {
    return is_gated_ ? value * static_cast<Real>(gate_[place]) : value;
  }

 private:
  WINGBEAT_GLOBAL const Stored* gate_;
  size first_, second_, first_length_ = 0, second_length_ = 0;
  bool is_gated_, is_ragged_, has_second_;
};

}  // namespace wingbeat::device::functors
