// SPDX-License-Identifier: Apache-2.0
// Loads sums over frames of samples times the elements of other frames: the gradient with respect
// to a window.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"   // fixed
#include "wingbeat/device/functors/frames.hpp"  // frame_numbers, frame_samples
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

struct window_sum_numbers : frame_numbers {
  size all_frames = 1;  ///< Of all rows.
  size at_once = 1;     ///< Frames of a sum.

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    frame_numbers::each(visit);
    visit("all_frames", all_frames);
    visit("at_once", at_once);
  }
};

/// Row: the number of a sum. The other frames are those that multiply the weights in a gradient.
template <class Stored, class Real>
class window_sum {
  using samples = frame_samples<Stored, Real>;
  using value_type = typename samples::value_type;

 public:
  using numbers = window_sum_numbers;
  using element = Stored;
  static constexpr bool in_order = false;
  struct operands {
    WINGBEAT_GLOBAL const value_type* frames;  // [frame][n_fft]
    WINGBEAT_GLOBAL const value_type* means;   // [frame], of its samples
    WINGBEAT_GLOBAL const unsigned* lengths;   // [row of samples]

    template <class Visit>
    WINGBEAT_FN static void each(const numbers& n, Visit visit) {
      visit("frames", &operands::frames);
      if (n.removes_mean) visit("means", &operands::means);
      if (n.is_ragged) visit("lengths", &operands::lengths);
    }
  };

  WINGBEAT_FN window_sum(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                         size row)
      : numbers_(n), in_(in), given_(given), first_(row * n.at_once) {}
  WINGBEAT_FN Real load(size j) const {
    Real sum = 0;
    for (size frame = first_; frame < first_ + numbers_.at_once; ++frame) {
      if (frame >= numbers_.all_frames) break;
      const samples of_frame{numbers_, in_, given_.lengths, frame};
      if (!of_frame.exists()) continue;
      value_type mean{};
      if (numbers_.removes_mean) mean = sample_of<Real, value_type>::in(given_.means + frame);
      const size place = frame * numbers_.n_fft + numbers_.window_at + j;
      sum += product(of_frame.value(j, mean), given_.frames + place);
    }
    return sum;
  }

 private:
  WINGBEAT_FN static Real product(Real x, WINGBEAT_GLOBAL const Real* y) { return x * *y; }
  WINGBEAT_FN static Real product(complex<Real> x, WINGBEAT_GLOBAL const complex<Real>* y) {
    return x.re * y->re + x.im * y->im;
  }

  numbers numbers_;
  WINGBEAT_GLOBAL const element* in_;
  operands given_;
  size first_;
};

}  // namespace wingbeat::device::functors
