// SPDX-License-Identifier: Apache-2.0
// Loads rows of samples as sums of weighted frames that overlap: an inverse short-time transform,
// or the adjoint of taking frames.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"   // fixed
#include "wingbeat/device/functors/frames.hpp"  // frame_numbers, times
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

struct overlap_numbers : frame_numbers {
  /// Sums are divided by those of the squared weights; where these are at most `least`, sums are 0.
  bool is_divided = false;
  double least = 0;

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    frame_numbers::each(visit);
    visit("is_divided", is_divided);
    visit("least", least);
  }
};

/// Value: Real or complex<Real>. Row: a row of samples.
template <class Value, class Real>
class overlap_load {
 public:
  using numbers = overlap_numbers;
  using element = Value;
  static constexpr bool in_order = false;
  struct operands {
    WINGBEAT_GLOBAL const Real* window;       // [j]
    WINGBEAT_GLOBAL const Value* means;       // [frame], of weighted elements
    WINGBEAT_GLOBAL const unsigned* lengths;  // [row]

    template <class Visit>
    WINGBEAT_FN static void each(const numbers& n, Visit visit) {
      visit("window", &operands::window);
      if (n.removes_mean) visit("means", &operands::means);
      if (n.is_ragged) visit("lengths", &operands::lengths);
    }
  };

  WINGBEAT_FN overlap_load(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                           size row)
      : numbers_(n),
        frames_(in + row * n.frames * n.n_fft),
        window_(given.window),
        means_(given.means),
        length_(n.is_ragged ? given.lengths[row] : n.length),
        count_(n.is_ragged ? n.frames_of(length_) : n.frames) {
    if (n.removes_mean) means_ += row * n.frames;
  }
  WINGBEAT_FN Value load(size i) const {
    Value sum{};
    Real squares = 0;
    if (i >= length_ || count_ == 0) return sum;
    const size places = numbers_.length | numbers_.before | numbers_.n_fft;
    if ((places | numbers_.frames * numbers_.hop) >> 29 == 0) {  // numbers of 32 bits
      each_image(unsigned(i), [&](unsigned place) { add(place, sum, squares); });
    } else {
      each_image(i, [&](size place) { add(place, sum, squares); });
    }
    if (!numbers_.is_divided) return sum;
    if (squares > Real(numbers_.least)) return times(sum, 1 / squares);
    return Value{};  // no ?: of both, whose address spaces differ in OpenCL
  }

 private:
  /// Adds the elements of all frames at a place, counted from the beginning of frame 0.
  template <class Index>
  WINGBEAT_FN void add(Index place, Value& sum, Real& squares) const {
    each_frame_over(numbers_, place, Index(count_), [&](Index t, Index i) {
      const Index j = i - Index(numbers_.window_at);
      const Real weight = window_[j];
      WINGBEAT_GLOBAL const Value* const frame = frames_ + size(t) * numbers_.n_fft;
      sum = sum + times(frame[i], weight);
      squares += weight * weight;
      if (numbers_.emphasis != 0) {
        sum = sum - times(emphasised(frame + numbers_.window_at, j), Real(numbers_.emphasis));
      }
      if (numbers_.removes_mean) sum = sum - times(means_[t], Real(1 - numbers_.emphasis));
    });
  }
  /// Returns what element j of a frame gave to the one behind it, and the first to itself.
  WINGBEAT_FN Value emphasised(WINGBEAT_GLOBAL const Value* frame, size j) const {
    Value given{};
    if (j + 1 < numbers_.window) given = given + times(frame[j + 1], window_[j + 1]);
    if (j == 0) given = given + times(frame[0], window_[0]);
    return given;
  }

  /// Calls visit(place) for each place, from the beginning of frame 0 on, that has sample i.
  template <class Index, class Visit>
  WINGBEAT_FN void each_image(Index i, const Visit& visit) const {
    const Index n = Index(length_), before = Index(numbers_.before), hop = Index(numbers_.hop);
    const Index end = Index(count_ - 1) * hop + Index(numbers_.n_fft);
    const auto each = [&](Index residue, Index period) {
      for (Index p = (before + residue) % period; p < end; p += period) visit(p);
    };
    if (numbers_.outside == border::zero || numbers_.is_divided) {
      visit(before + i);
    } else if (numbers_.outside == border::clamp) {
      if (i == 0) {
        for (Index p = 0; p < before && p < end; ++p) visit(p);
      }
      visit(before + i);
      if (i + 1 == n) {
        for (Index p = before + n; p < end; ++p) visit(p);
      }
    } else if (numbers_.outside == border::repeat) {
      each(i, n);
    } else if (numbers_.outside == border::mirror) {
      each(i, 2 * n);
      each(2 * n - 1 - i, 2 * n);
    } else {
      const Index period = n == 1 ? 1 : 2 * n - 2;
      each(i, period);
      if (i != 0 && i + 1 != n) each(period - i, period);
    }
  }

  numbers numbers_;
  WINGBEAT_GLOBAL const element* frames_;
  WINGBEAT_GLOBAL const Real* window_;
  WINGBEAT_GLOBAL const Value* means_;
  size length_, count_;
};

}  // namespace wingbeat::device::functors
