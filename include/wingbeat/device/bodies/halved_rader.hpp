// SPDX-License-Identifier: Apache-2.0
// Rows of prime length as in bodies/rader.hpp, by two threads each; their transforms exchange no
// elements. With p - 1 = 2 R points a[n] = x[g^n], the first thread convolves the sums
// a[m] + a[m + R], m < R, cyclically with the sums of the filter; the second convolves the
// differences a[m] - a[m + R] negacyclically with its differences. y[m] and y[m + R] are the sum
// and the difference of both results. Differences times v^m, v^R = -1, are convolved cyclically, by
// every other bin of the filter, and then divided by v^m. Here v = exp(-pi i / P), P the greatest
// power of two that divides R, so v^m is a constant; it is a sign if R is odd, a quarter turn if R
// is twice an odd number.
#pragma once

#include "wingbeat/device/bodies/thread_rows.hpp"  // thread_rows
#include "wingbeat/device/complex.hpp"             // complex, conj, copy_to, copied_from
#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/ends/staged.hpp"         // read_staged, write_staged
#include "wingbeat/device/grid/numbers.hpp"        // pass_numbers
#include "wingbeat/device/index.hpp"               // index_of_real
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, group
#include "wingbeat/device/thread/dft.hpp"          // dft_by_factors

namespace wingbeat::device::bodies {

/// Rows are in local memory before and after; both results meet behind them. The table has, for
/// each m, the offsets in bytes of elements g^m and g^(m + R), of g^-m and g^-(m + R), and the bins
/// of the filter, those of sums first.
template <class Policy, class Group = group_in_rows>
class halved_rader : public thread_rows<Policy, Group> {
  using base = thread_rows<Policy, Group>;
  WINGBEAT_FN static constexpr grid::pass_numbers numbers() { return Policy::numbers(); }
  WINGBEAT_FN static constexpr grid::tile_shape row_shape() { return numbers().shape; }

 public:
  using base::base;
  using base::e;
  using typename base::complex_type;
  using typename base::real;
  static_assert(row_shape().length == 2 * e && row_shape().lanes_across,
                "a thread has half of a row");
  static_assert(row_shape().stage_in && row_shape().stage_out, "rows are in local memory");

  template <class Elements, class Pass>
  WINGBEAT_FN void run_tile(const Elements& tile, const Pass& pass, unsigned number,
                            size rows) const {
    ends::read_staged<Policy, points, true>(
        *this, tile,
        [&](unsigned lane, unsigned q, complex_type z) { copy_to(row_of(lane) + q, z); });
    pass.prefetch(number, rows);
    const auto row = row_of(this->lane_in());
    const complex_type first = copied_from(row);
    complex_type x[e];
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < e; ++m) {
      const complex_type offsets = entry(m);
      x[m] = combined(m, copied_from(behind(row, index_of_real(offsets.re))),
                      copied_from(behind(row, index_of_real(offsets.im))));
    }
    twist<direction::forward>(x);
    const complex_type sum = convolve(x, first);
    twist<direction::inverse>(x);
    meet(x);
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < e; ++m) {
      const complex_type offsets = entry(e + m);
      const unsigned output = index_of_real(has_sums() ? offsets.re : offsets.im);
      copy_to(behind(row, output), Pass::scaled(x[m]));
    }
    if (has_sums()) copy_to(row, Pass::scaled(sum));
    this->team().workgroup_barrier();
    ends::write_staged<Policy, kept, kept == points>(
        *this, tile, [&](unsigned lane, unsigned q) { return copied_from(row_of(lane) + q); });
  }

 private:
  static constexpr unsigned points = unsigned(row_shape().elements());
  static constexpr bool is_odd = e % 2 == 1;
  static constexpr unsigned power = e & (0u - e);  ///< P.
  /// Whether memory has only the first `kept` elements of a row.
  static constexpr bool is_cut = numbers().out.is_limited && numbers().out.valid_begin == 0 &&
                                 numbers().out.step == 1 && numbers().out.second == 0;
  static constexpr unsigned kept =
      is_cut ? unsigned(minimum<size>(numbers().out.valid_end, points)) : points;

  WINGBEAT_FN bool has_sums() const { return this->team().thread() == 0; }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* row_of(unsigned lane) const {
    return this->entries() + lane * points;
  }
  WINGBEAT_FN static WINGBEAT_LOCAL complex_type* behind(WINGBEAT_LOCAL complex_type* row,
                                                         unsigned bytes) {
    return reinterpret_cast<WINGBEAT_LOCAL complex_type*>(
        reinterpret_cast<WINGBEAT_LOCAL char*>(row) + bytes);
  }
  WINGBEAT_FN complex_type entry(unsigned i) const {
    constexpr size entries_at = numbers().factors_at();
    return copied_from(this->roots() + entries_at + i);
  }

  /// Returns a + b; or a - b, times (-1)^m if R is odd.
  WINGBEAT_FN complex_type combined(unsigned m, complex_type a, complex_type b) const {
    const real sign = has_sums() ? real(1) : real(-1);
    if (is_odd && m % 2 == 1) return {b.re + sign * a.re, b.im + sign * a.im};
    return {a.re + sign * b.re, a.im + sign * b.im};
  }

  /// Multiplies differences by v^m, or divides them by it.
  template <direction Dir>
  WINGBEAT_FN void twist(complex_type (&x)[e]) const {
    if (is_odd || has_sums()) return;
    WINGBEAT_UNROLL
    for (unsigned m = 1; m < e; ++m) {
      const unsigned half_turns = m / power % 2;
      const complex_type z = thread::times_root<Dir, 2 * power>(x[m], m % power);
      const real sign = half_turns == 0 ? real(1) : real(-1);
      x[m] = {sign * z.re, sign * z.im};
    }
  }

  /// Convolves a thread's numbers, and adds `first` to all sums. Returns the sum of all points.
  WINGBEAT_FN complex_type convolve(complex_type (&x)[e], complex_type first) const {
    constexpr size filter_at = numbers().filter_at();
    const auto filter = this->roots() + filter_at + (has_sums() ? 0 : e);
    thread::dft_by_factors<direction::forward>(x);
    const complex_type sum = first + x[0];
    WINGBEAT_UNROLL
    for (unsigned k = 0; k < e; ++k) x[k] = x[k] * copied_from(filter + k);
    if (has_sums()) x[0] = x[0] + first;
    thread::dft_by_factors<direction::inverse>(x);
    return sum;
  }

  /// Replaces the results of both threads by the outputs of each.
  WINGBEAT_FN void meet(complex_type (&x)[e]) const {
    constexpr unsigned n_lanes = base::lanes, rows_bytes = row_shape().as_prime().staged_bytes();
    const auto met = reinterpret_cast<WINGBEAT_LOCAL complex_type*>(this->scratch_ + rows_bytes);
    const unsigned own = this->team().thread() * n_lanes + this->lane_in();
    const unsigned other = (1 - this->team().thread()) * n_lanes + this->lane_in();
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < e; ++m) copy_to(met + 2 * m * n_lanes + own, x[m]);
    this->team().workgroup_barrier();
    const real sign = has_sums() ? real(1) : real(-1);
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < e; ++m) {
      const complex_type z = copied_from(met + 2 * m * n_lanes + other);
      if (is_odd && m % 2 == 1) {  // the difference has the opposite sign
        x[m] = {x[m].re - sign * z.re, x[m].im - sign * z.im};
      } else {
        x[m] = {z.re + sign * x[m].re, z.im + sign * x[m].im};
      }
    }
  }
};

}  // namespace wingbeat::device::bodies
