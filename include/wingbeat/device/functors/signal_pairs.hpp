// SPDX-License-Identifier: Apache-2.0
// Pairs of real signals as the real and imaginary parts of complex rows, because a real kernel
// convolves both at once; or single signals. The memory of signal_load and signal_store.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Signals [batch][channel][i] of `length` values. Rows are numbered [channel][pair], so that rows
/// with the same kernel are neighbours: row r has channel r / pairs of signals 2p and 2p + 1 of the
/// batch, p = r % pairs. The last pair of an odd batch has one signal; with `are_alone` row r has
/// signal p. A row by right angles has one signal, which begins `origin` values after its first;
/// if a value to store has an imaginary part other than 0, it is added.
struct signal_pair_numbers {
  size length = 1, channels = 1, batch = 1;
  bool is_gated = false;   ///< Each value is multiplied by the gate's value at its place.
  bool is_ragged = false;  ///< Each signal of the batch has its own length.
  bool are_alone = false;  ///< Each signal has its own row.
  size right_angle = 0;    ///< Values of a row by right angles; 0: other rows.
  size origin = 0;

  WINGBEAT_FN constexpr size pairs() const { return are_alone ? batch : (batch + 1) / 2; }

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("length", length);
    visit("channels", channels);
    visit("batch", batch);
    visit("is_gated", is_gated);
    visit("is_ragged", is_ragged);
    visit("are_alone", are_alone);
    visit("right_angle", right_angle);
    visit("origin", origin);
  }
};

template <class Stored>
struct signal_pair_operands {
  WINGBEAT_GLOBAL const Stored* gate;
  WINGBEAT_GLOBAL const unsigned* lengths;  ///< One per signal of the batch, up to `length`.

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
      : gate_(given.gate),
        length_(n.length),
        origin_(n.origin),
        is_gated_(n.is_gated),
        is_ragged_(n.is_ragged),
        is_limited_(n.right_angle > n.length) {
    const size number = row % n.pairs() * (n.are_alone ? 1 : 2);
    first_ = (number * n.channels + row / n.pairs()) * n.length;
    second_ = first_ + n.channels * n.length;
    has_second_ = !n.are_alone && (n.batch % 2 == 0 || number + 1 < n.batch);
    if (!is_ragged_) return;
    first_length_ = given.lengths[number];
    second_length_ = has_second_ ? given.lengths[number + 1] : 0;
  }

  // Return whether value i of a signal is in memory, and its place.
  WINGBEAT_FN bool has_first(size i) const {
    if (is_limited_ && i - origin_ >= length_) return false;  // wraps below 0
    return !is_ragged_ || i - origin_ < first_length_;
  }
  WINGBEAT_FN bool has_second(size i) const {
    return has_second_ && (!is_ragged_ || i < second_length_);
  }
  /// Return how many values of a signal are in memory, of rows that are not by right angles.
  WINGBEAT_FN size first_count() const { return is_ragged_ ? first_length_ : length_; }
  WINGBEAT_FN size second_count() const {
    if (!has_second_) return 0;
    return is_ragged_ ? second_length_ : length_;
  }
  WINGBEAT_FN size first(size i) const { return first_ + i - origin_; }
  WINGBEAT_FN size second(size i) const { return second_ + i; }

  /// Prefetches the signals of the row.
  WINGBEAT_FN void prefetch(WINGBEAT_GLOBAL const Stored* signals) const {
    device::prefetch(signals + first_, length_);
    if (has_second_) device::prefetch(signals + second_, length_);
  }

  /// Returns a value times the gate's value at its place.
  WINGBEAT_FN Real gated(size place, Real value) const {
    return is_gated_ ? value * static_cast<Real>(gate_[place]) : value;
  }

 private:
  WINGBEAT_GLOBAL const Stored* gate_;
  size length_, origin_, first_, second_, first_length_ = 0, second_length_ = 0;
  bool is_gated_, is_ragged_, is_limited_, has_second_;
};

}  // namespace wingbeat::device::functors
