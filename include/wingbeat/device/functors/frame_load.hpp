// SPDX-License-Identifier: Apache-2.0
// Loads frames of rows of samples, weighted by a window.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"   // fixed
#include "wingbeat/device/functors/frames.hpp"  // frame_numbers, frame_samples
#include "wingbeat/device/io/adjacent.hpp"      // adjacent, load_whole
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Row: the number of a frame over all rows of samples.
template <class Stored, class Real>
class frame_load {
  using samples = frame_samples<Stored, Real>;

 public:
  using numbers = frame_numbers;
  using element = Stored;
  using value_type = typename samples::value_type;
  static constexpr bool in_order = false;
  struct operands {
    WINGBEAT_GLOBAL const Real* window;       // [j]
    WINGBEAT_GLOBAL const value_type* means;  // [frame], of its samples
    WINGBEAT_GLOBAL const unsigned* lengths;  // [row of samples]

    template <class Visit>
    WINGBEAT_FN static void each(const numbers& n, Visit visit) {
      visit("window", &operands::window);
      if (n.removes_mean) visit("means", &operands::means);
      if (n.is_ragged) visit("lengths", &operands::lengths);
    }
  };

  WINGBEAT_FN frame_load(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                         size row)
      : samples_(n, in, given.lengths, row),
        window_(given.window),
        count_(n.window),
        first_(n.window_at),
        is_whole_(n.window == n.n_fft),
        has_pairs_((n.length | n.hop | n.before | n.window | n.window_at) % 2 == 0),
        mean_{} {
    if (n.removes_mean) mean_ = sample_of<Real, value_type>::in(given.means + row);
  }
  WINGBEAT_FN value_type load(size i) const {
    const size j = i - first_;  // wraps below 0
    if (j >= count_ || !samples_.exists()) return {};
    return times(samples_.value(j, mean_), window_[j]);
  }
  static constexpr bool fills = sizeof(value_type) == sizeof(Real);
  template <unsigned Count, unsigned Step, class Pairs>
  WINGBEAT_FN void fill(unsigned first, Pairs& z) const {
    if (samples_.are_plain()) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < Count; ++r) z[r] = plain_pair(2 * (first + r * Step));
    } else {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < Count; ++r) {
        const size i = 2 * (first + r * Step);
        z[r] = {load(i), load(i + 1)};
      }
    }
  }
  /// Calls take(i, element) for each of `count` elements from `first` on.
  template <class Take>
  WINGBEAT_FN void load_run(size first, size count, const Take& take) const {
    if (!samples_.are_plain() || first > first_ || first + count < first_ + count_) {
      for (size i = 0; i < count; ++i) take(i, load(first + i));
      return;
    }
    const size before = first_ - first;
    for (size i = 0; i < before; ++i) take(i, value_type{});
    for (size i = before + count_; i < count; ++i) take(i, value_type{});
    WINGBEAT_GLOBAL const Stored* const in = samples_.first();
    for (size j = 0; j < count_; ++j) {
      take(before + j, times(samples::sample::in(in + j) - mean_, window_[j]));
    }
  }

 private:
  /// Returns elements i and i + 1, i even, of a frame whose samples are plain.
  WINGBEAT_FN complex<Real> plain_pair(unsigned i) const {
    const unsigned j = i - unsigned(first_), count = unsigned(count_);  // wraps below 0
    WINGBEAT_GLOBAL const Stored* const in = samples_.first();
    if (has_pairs_) {
      if (!is_whole_ && j >= count) return {};
      const auto x = io::load_whole<io::adjacent<Stored, 2>>(in + j);
      const auto weights = io::load_whole<io::adjacent<Real, 2>>(window_ + j);
      return {(samples::sample::of(x.value[0]) - mean_) * weights.value[0],
              (samples::sample::of(x.value[1]) - mean_) * weights.value[1]};
    }
    const auto weighed = [&](unsigned place) {
      if (!is_whole_ && place >= count) return Real(0);
      return (samples::sample::in(in + place) - mean_) * window_[place];
    };
    return {weighed(j), weighed(j + 1)};
  }

  samples samples_;
  WINGBEAT_GLOBAL const Real* window_;
  size count_, first_;
  bool is_whole_;   ///< Each sample of a frame has a weight.
  bool has_pairs_;  ///< Pairs of samples and of weights lie aligned.
  value_type mean_;
};

}  // namespace wingbeat::device::functors
