// SPDX-License-Identifier: Apache-2.0
// Inverse transforms of frames, weighted and added where they overlap, in one launch: a kernel's
// body. Neither frames nor sums are in memory: threads go through consecutive frames of a row, each
// with the sums of its own elements in registers. From frame to frame these move by some registers,
// because frames are so many threads apart; the first are then complete.
#pragma once

#include "wingbeat/device/complex.hpp"                // complex, copy_to, copied_from
#include "wingbeat/device/functors/overlap_load.hpp"  // overlap_numbers, each_frame_over
#include "wingbeat/device/grid/numbers.hpp"           // tile_shape
#include "wingbeat/device/index.hpp"                  // minimum
#include "wingbeat/device/io/adjacent.hpp"            // adjacent, load_whole
#include "wingbeat/device/port.hpp"              // WINGBEAT_FN, WINGBEAT_LOCAL, group, prefetch
#include "wingbeat/device/workgroup/memory.hpp"  // memory, scratch
#include "wingbeat/device/workgroup/real.hpp"    // real_fft
#include "wingbeat/device/workgroup/team.hpp"    // team, shape

namespace wingbeat::device::functors {

/// The constants of a kernel. Frames are hop = 2 moved() threads apart, and window_at, their number
/// of weights and of samples are even; rows have one length.
template <class Real>
struct overlap_rows_numbers : overlap_numbers {
  using real = Real;
  grid::tile_shape shape = {};  ///< Of the transform of a frame, half as many complex numbers.
  size batch = 1;               ///< Rows.
  size at_once = 1;             ///< Frames whose first samples a run stores.
  double scale = 1;             ///< Of sums.

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    overlap_numbers::each(visit);
    visit("shape.makes", shape.makes);
    visit("shape.length", shape.length);
    visit("shape.elements_per_thread", shape.elements_per_thread);
    visit("shape.lanes", shape.lanes);
    visit("shape.element_bytes", shape.element_bytes);
    visit("shape.bank_bytes", shape.bank_bytes);
    visit("shape.half_trade", shape.half_trade);
    visit("shape.twiddles", shape.twiddles);
    visit("batch", batch);
    visit("at_once", at_once);
    visit("scale", scale);
  }

  /// Returns the threads of one frame, and the registers by which sums move.
  WINGBEAT_FN constexpr size threads() const { return shape.threads() / shape.lanes; }
  WINGBEAT_FN constexpr size moved() const { return hop / 2 / threads(); }
  /// Returns whether frames are as said above.
  WINGBEAT_FN constexpr bool have_steps() const {
    const bool are_even = (n_fft | window | window_at) % 2 == 0;
    return are_even && !is_ragged && hop <= n_fft && hop % (2 * threads()) == 0;
  }
  /// Returns the frames before one that have samples in common with it.
  WINGBEAT_FN constexpr size overlapping() const { return (n_fft - 1) / hop; }
  /// Returns the runs of a row.
  WINGBEAT_FN constexpr size runs() const { return (frames + at_once - 1) / at_once; }
};

template <class Real>
struct overlap_rows_memory {
  WINGBEAT_GLOBAL const complex<Real>* bins;   // [row][frame][n_fft / 2 + 1]
  WINGBEAT_GLOBAL const Real* window;          // [j]
  WINGBEAT_GLOBAL const complex<Real>* roots;  // of the transform
  WINGBEAT_GLOBAL Real* out;                   // [row][length]
};

/// A launch has batch runs() / shape.lanes workgroups, rounded up.
/// Callers: shape.threads() of a workgroup.  Memory: shape.exchange_bytes() of local memory; bins
/// are not overwritten.
template <class Policy, class Group = group>
class overlap_rows {
  using numbers_type = decltype(Policy::numbers());
  using real = typename numbers_type::real;
  using value = complex<real>;
  static constexpr numbers_type n = Policy::numbers();
  static constexpr unsigned pairs = unsigned(n.n_fft / 2), e = n.shape.elements_per_thread;
  static constexpr unsigned lanes = n.shape.lanes, moved = unsigned(n.moved());
  using shape = workgroup::shape<pairs, e, lanes>;
  static constexpr workgroup::trade trade =
      n.shape.half_trade ? workgroup::trade::halves : workgroup::trade::whole;
  using fft = workgroup::real_fft<shape, real, direction::inverse, workgroup::spectrum::unpacked,
                                  workgroup::memory<trade, n.shape.bank_bytes>, n.shape.twiddles>;
  using team_type = workgroup::team<shape, workgroup::lanes::along_transform, Group>;
  static constexpr unsigned threads = shape::threads;
  static_assert(n.have_steps() && moved >= 1 && moved <= e, "sums move by whole registers");

 public:
  WINGBEAT_FN overlap_rows(const overlap_rows_memory<real>& memory, WINGBEAT_LOCAL char* scratch,
                           Group group = {})
      : memory_(memory), scratch_(scratch), team_(group) {
    const size number = group.index() * lanes + team_.transform();
    exists_ = number < n.batch * n.runs();
    row_ = exists_ ? number / n.runs() : 0;
    first_ = number % n.runs() * n.at_once;
    end_ = minimum(first_ + n.at_once, n.frames);
  }

  WINGBEAT_FN void run() const {
    constexpr size overlapping = n.overlapping();
    const size begin = first_ > overlapping ? first_ - overlapping : 0;
    const size end = end_ == n.frames ? end_ + overlapping : end_;  // of what the run stores
    // Threads of all runs of a workgroup take the same steps.
    const size count = lanes == 1 ? end - begin : n.at_once + 2 * overlapping;
    io::adjacent<real, 2> steady[moved];
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < moved; ++r)
      steady[r] = steady_factors(2 * (team_.thread() + r * threads));
    value sums[e] = {};
    for (size t = begin; t < begin + count; ++t) {
      if (team_.thread() == 0 && t + 1 < end_) prefetch(bins_of(t + 1), pairs + 1);
      add(t < end_ ? t : begin, t < end_, sums);
      if (exists_ && t >= first_ && t < end) {
        const bool is_steady = t * n.hop >= n.n_fft && t < n.frames;  // all frames exist
        WINGBEAT_UNROLL
        for (unsigned r = 0; r < moved; ++r) {
          const size place = t * n.hop + 2 * (team_.thread() + r * threads);
          if (is_steady) {
            emit(place, sums[r], steady[r]);
          } else {
            emit(place, sums[r], {factor(place), factor(place + 1)});
          }
        }
      }
      move(sums);
      team_.workgroup_barrier();
    }
    if (!exists_ || end_ != n.frames) return;
    const size behind = end * n.hop > n.before ? end * n.hop - n.before : 0;
    for (size i = behind + team_.thread(); i < n.length; i += threads) put(i, real(0));
  }

 private:
  WINGBEAT_FN static void move(value (&sums)[e]) {
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e - moved; ++r) sums[r] = sums[r + moved];
    WINGBEAT_UNROLL
    for (unsigned r = e - moved; r < e; ++r) sums[r] = value{};
  }

  WINGBEAT_FN WINGBEAT_GLOBAL const value* bins_of(size frame) const {
    return memory_.bins + (row_ * n.frames + frame) * (pairs + 1);
  }
  /// Transforms a frame and adds it to the sums, or does not.
  WINGBEAT_FN void add(size frame, bool is_added, value (&sums)[e]) const {
    const auto bins = bins_of(frame);
    const auto load = [&](unsigned k) { return copied_from(bins + k); };
    const auto store = [&](unsigned i, value z) {
      const unsigned j = 2 * i - unsigned(n.window_at);  // wraps below 0
      if (!is_added || (n.window != n.n_fft && j >= n.window)) return;
      const auto weights = io::load_whole<io::adjacent<real, 2>>(memory_.window + j);
      value& sum = sums[(i - team_.thread()) / threads];
      sum = {sum.re + z.re * weights.value[0], sum.im + z.im * weights.value[1]};
    };
    fft::execute(team_, load, store, workgroup::scratch<fft::scratch_bytes>{scratch_},
                 memory_.roots);
  }

  /// Stores both samples that a sum is of, from a place on, counted from the beginning of frame 0.
  WINGBEAT_FN void emit(size place, value sum, io::adjacent<real, 2> factors) const {
    const size i = place - n.before;  // wraps below 0
    const value samples{sum.re * factors.value[0], sum.im * factors.value[1]};
    if ((n.before | n.length) % 2 == 0) {
      if (i < n.length)
        io::store_whole(memory_.out + row_ * n.length + i,
                        io::adjacent<real, 2>{samples.re, samples.im});
    } else {
      if (i < n.length) put(i, samples.re);
      if (i + 1 < n.length) put(i + 1, samples.im);
    }
  }
  /// Returns the factor of the sum at a place.
  WINGBEAT_FN real factor(size place) const {
    real squares = 0;
    each_frame_over(n, place, n.frames, [&](size, size i) { add_square(unsigned(i), squares); });
    return over(squares);
  }
  /// Returns those of elements j and j + 1 of a frame, j < hop, where all frames exist.
  WINGBEAT_FN io::adjacent<real, 2> steady_factors(unsigned j) const {
    real even = 0, odd = 0;
    for (unsigned i = j; i < n.n_fft; i += unsigned(n.hop)) {
      if (i - unsigned(n.window_at) >= n.window) continue;  // wraps below 0
      add_square(i, even);
      add_square(i + 1, odd);
    }
    return {over(even), over(odd)};
  }
  WINGBEAT_FN void add_square(unsigned i, real& squares) const {
    const real weight = memory_.window[i - unsigned(n.window_at)];
    squares += weight * weight;
  }
  WINGBEAT_FN static real over(real squares) {
    return squares > real(n.least) ? real(n.scale) / squares : real(0);
  }
  WINGBEAT_FN void put(size i, real x) const { memory_.out[row_ * n.length + i] = x; }

  overlap_rows_memory<real> memory_;
  WINGBEAT_LOCAL char* scratch_;
  team_type team_;
  bool exists_;
  size row_, first_, end_;
};

}  // namespace wingbeat::device::functors
