// SPDX-License-Identifier: Apache-2.0
// Frames of rows of samples, as a short-time transform takes them: frame t has samples
// t hop - before .. t hop - before + n_fft - 1 of its row, of which a window weighs some.
#pragma once

#include "wingbeat/device/bfloat.hpp"           // bfloat
#include "wingbeat/device/complex.hpp"          // complex
#include "wingbeat/device/functors/border.hpp"  // border, continued_axis, pixel_of
#include "wingbeat/device/half.hpp"             // half_float
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

struct frame_numbers {
  size length = 1;  ///< Samples of a row.
  size frames = 1;  ///< Frames of a row.
  size n_fft = 1, hop = 1, before = 0;
  size window = 1;     ///< Samples with a weight; the others count as 0.
  size window_at = 0;  ///< The first of them in a frame.
  border outside = border::zero;
  bool is_ragged = false;  ///< Each row has a length of its own.
  /// Row of L samples has the frames t with t hop <= L + slack, modulo 2^64.
  size slack = 0;
  bool removes_mean = false;  ///< Of the weighted samples of each frame.
  double emphasis = 0;        ///< Of this a sample loses the one before it in its window.

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("length", length);
    visit("frames", frames);
    visit("n_fft", n_fft);
    visit("hop", hop);
    visit("before", before);
    visit("window", window);
    visit("window_at", window_at);
    visit("outside", outside);
    visit("is_ragged", is_ragged);
    visit("slack", slack);
    visit("removes_mean", removes_mean);
    visit("emphasis", emphasis);
  }

  /// Returns the frames of a row of so many samples.
  WINGBEAT_FN constexpr size frames_of(size samples) const {
    const size last = samples + slack;
    const bool has_none = last >> 63 != 0;  // negative
    const size count = has_none ? 0 : last / hop + 1;
    return count < frames ? count : frames;
  }
};

/// Calls visit(t, i) for each frame t of `count` whose weights are over the place, in order; the
/// place, counted from the beginning of frame 0, is element i of frame t. Index: of places.
template <class Index, class Visit>
WINGBEAT_FN void each_frame_over(const frame_numbers& n, Index place, Index count,
                                 const Visit& visit) {
  const Index begin = Index(n.window_at), end = begin + Index(n.window), hop = Index(n.hop);
  if (place < begin) return;
  const Index first = place < end ? 0 : (place - end) / hop + 1;
  const Index last = (place - begin) / hop;
  for (Index t = first; t <= last && t < count; ++t) visit(t, place - t * hop);
}

/// The number that a stored sample is: of Real, or complex.
template <class Real, class Stored>
struct sample_of {
  using type = Real;
  WINGBEAT_FN static Real in(WINGBEAT_GLOBAL const Stored* place) { return of(*place); }
  WINGBEAT_FN static Real of(Stored stored) { return static_cast<Real>(stored); }
};
template <class Real, class Stored>
struct sample_of<Real, complex<Stored>> {
  using type = complex<Real>;
  WINGBEAT_FN static complex<Real> in(WINGBEAT_GLOBAL const complex<Stored>* place) {
    return {static_cast<Real>(place->re), static_cast<Real>(place->im)};
  }
};

template <class Real>
WINGBEAT_FN Real times(Real x, Real factor) {
  return x * factor;
}
template <class Real>
WINGBEAT_FN complex<Real> times(complex<Real> z, Real factor) {
  return scaled(z, factor);
}

/// The weighted samples of one frame, without their weights. Row: the frame's number over all rows.
template <class Stored, class Real>
class frame_samples {
 public:
  using sample = sample_of<Real, Stored>;
  using value_type = typename sample::type;

  WINGBEAT_FN frame_samples(const frame_numbers& n, WINGBEAT_GLOBAL const Stored* in,
                            WINGBEAT_GLOBAL const unsigned* lengths, size row)
      : in_(in + row / n.frames * n.length),
        count_(n.window),
        emphasis_(Real(n.emphasis)),
        has_few_((n.length | n.before | n.window) >> 30 == 0) {
    const size number = row % n.frames;
    const size length = n.is_ragged ? lengths[row / n.frames] : n.length;
    exists_ = length > 0 && (!n.is_ragged || number < n.frames_of(length));
    axis_.outside = n.outside;
    axis_.image = length;
    axis_.begin =
        decltype(axis_.begin)(number * n.hop + n.window_at) - decltype(axis_.begin)(n.before);
    axis_.length = n.window;
  }

  WINGBEAT_FN bool exists() const { return exists_; }
  /// Returns whether samples are those in memory from `first()` on, and not emphasised.
  WINGBEAT_FN bool are_plain() const { return exists_ && axis_.is_inside() && emphasis_ == 0; }
  WINGBEAT_FN WINGBEAT_GLOBAL const Stored* first() const { return in_ + axis_.begin; }
  /// Returns the sample under weight j.
  WINGBEAT_FN value_type raw(size j) const {
    const size place = has_few_ ? pixel_of<unsigned>(axis_, unsigned(j)) : pixel_of<size>(axis_, j);
    if (place < axis_.image) return sample::in(in_ + place);
    return value_type{};  // no ?: of both, whose address spaces differ in OpenCL
  }
  /// Returns the same without the frame's mean, and emphasised.
  WINGBEAT_FN value_type value(size j, value_type mean) const {
    value_type x = raw(j) - mean;
    if (emphasis_ != 0) x = x - times(raw(j == 0 ? 0 : j - 1) - mean, emphasis_);
    return x;
  }
  /// Returns the mean: a rough one, and the mean of what it leaves, whose sum does not round away
  /// what lies beside a large constant.
  WINGBEAT_FN value_type mean() const {
    const value_type rough = mean_without(value_type{});
    return rough + mean_without(rough);
  }

 private:
  WINGBEAT_FN value_type mean_without(value_type rough) const {
    value_type sum{};
    if (exists_) {
      for (size j = 0; j < count_; ++j) sum = sum + (raw(j) - rough);
    }
    return times(sum, 1 / Real(count_));
  }

  WINGBEAT_GLOBAL const Stored* in_;
  continued_axis axis_;
  size count_;
  Real emphasis_;
  bool has_few_;  ///< Places are numbers of 32 bits.
  bool exists_;
};

}  // namespace wingbeat::device::functors
