// SPDX-License-Identifier: Apache-2.0
// The body of a pass whose rows have a prime number p of points. With a primitive root g mod p,
//
//     X[g^-k] = x[0] + sum over n of x[g^n] w^(g^(n - k)),   X[0] = x[0] + sum over n of x[g^n]
//
// is a cyclic convolution of p - 1 points with a filter in the table. Bin 0 of the convolution's
// forward transform is the sum in X[0]. C. M. Rader, Discrete Fourier transforms when the number of
// data samples is prime, Proc. IEEE 56 (1968) 1107.
#pragma once

#include "wingbeat/device/bodies/convolve.hpp"  // convolve
#include "wingbeat/device/complex.hpp"          // complex, copy_to, copied_from
#include "wingbeat/device/ends/staged.hpp"      // read_staged, write_staged
#include "wingbeat/device/grid/numbers.hpp"     // pass_numbers
#include "wingbeat/device/index.hpp"            // index_of_real
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, group
#include "wingbeat/device/twiddle.hpp"          // apply, roots

namespace wingbeat::device::bodies {

/// Elements are taken in the order g^n and returned in the order g^-n, through local memory if rows
/// are staged. Short rows have two such parts, so that exchanges need not wait for readers of
/// staged rows.
template <class Policy, class Group = group_in_rows>
class rader : public convolve<Policy, Group> {
  using base = convolve<Policy, Group>;
  WINGBEAT_FN static constexpr grid::pass_numbers numbers() { return Policy::numbers(); }
  WINGBEAT_FN static constexpr grid::tile_shape row_shape() { return numbers().shape; }

 public:
  using base::base;
  using base::e;
  using typename base::complex_type;
  using typename base::real;

  template <class Elements, class Pass>
  WINGBEAT_FN void run_tile(const Elements& tile, const Pass& pass, unsigned number,
                            size rows) const {
    complex_type x[e], first;
    load(tile, x, first);
    pass.prefetch(number, rows);
    constexpr size spectrum_at = numbers().filter_at();
    const auto spectrum = this->roots() + spectrum_at;
    complex_type sum = first;
    this->template run_within<goes_back_apart>(
        x,
        [&](unsigned r, complex_type bin) {
          complex_type changed = bin * copied_from(spectrum + this->number_in(r));
          if (r == 0 && has_first()) {
            sum = first + bin;
            changed = changed + first;
          }
          return changed;
        },
        exchanged_in(0), exchanged_in(goes_back_apart ? 1 : 0));
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) x[r] = Pass::scaled(x[r]);
    store(tile, x, Pass::scaled(sum));
  }

 private:
  static constexpr unsigned points = unsigned(row_shape().elements());
  /// Whether memory has only the first `kept` elements of a row; the others are not staged either.
  static constexpr bool is_cut = numbers().out.is_limited && numbers().out.valid_begin == 0 &&
                                 numbers().out.step == 1 && numbers().out.second == 0;
  static constexpr unsigned kept =
      is_cut ? unsigned(minimum<size>(numbers().out.valid_end, points)) : points;
  static constexpr bool has_two = row_shape().as_prime().parts() == 2;
  /// Rows arrive in the last part and are exchanged in the first part; on the way back in the last
  /// part, unless the barriers are those of one row and other rows may still be read there.
  static constexpr bool goes_back_apart =
      has_two && !row_shape().is_in_place() && !base::team_type::is_in_subgroup;
  static constexpr unsigned arrives_in = has_two ? 1 : 0;
  static constexpr unsigned leaves_from = has_two && !goes_back_apart ? 1 : 0;
  /// Threads of neighbouring rows find the same element in different banks.
  static constexpr unsigned kept_pitch = row_shape().lanes_across ? kept | 1 : kept;
  /// If rows leave from the part in which they arrived, others may still read theirs, so each row
  /// keeps its place.
  static constexpr unsigned pitch_out = leaves_from == arrives_in && has_two ? points : kept_pitch;

  static constexpr unsigned part_bytes =
      row_shape().as_prime().part_bytes(row_shape().exchange_bytes());
  using part_type = workgroup::scratch<part_bytes, workgroup::reuse::after_barrier>;
  WINGBEAT_FN part_type exchanged_in(unsigned part) const {
    constexpr unsigned bytes = part_bytes;
    return part_type{this->scratch_ + part * bytes};
  }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* arrived(unsigned lane) const {
    constexpr unsigned row_bytes = points * unsigned(sizeof(complex_type));
    return reinterpret_cast<WINGBEAT_LOCAL complex_type*>(exchanged_in(arrives_in).address +
                                                          lane * row_bytes);
  }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* leaving(unsigned lane) const {
    constexpr unsigned row_bytes = pitch_out * unsigned(sizeof(complex_type));
    return reinterpret_cast<WINGBEAT_LOCAL complex_type*>(exchanged_in(leaves_from).address +
                                                          lane * row_bytes);
  }

  /// Returns whether this thread has bin 0 of its row.
  WINGBEAT_FN bool has_first() const { return this->number_in(0) == 0; }

  /// Returns which of the p points element r is before, and after.
  WINGBEAT_FN unsigned point_in(unsigned r) const {
    constexpr size indices_at = numbers().factors_at();
    return index_of_real((this->roots() + indices_at)[this->number_in(r)].re);
  }
  WINGBEAT_FN unsigned point_out(unsigned r) const {
    constexpr size indices_at = numbers().factors_at();
    return index_of_real((this->roots() + indices_at)[this->number_in(r)].im);
  }

  /// Multiplies the inputs of butterfly k by their twiddles; point 0 has none.
  WINGBEAT_FN void twiddle(complex_type (&x)[e], const unsigned (&point)[e], unsigned k) const {
    constexpr size order = numbers().prior * points, roots_at = numbers().twiddle_roots_at();
    const device::twiddle::roots<real, order> root{this->roots() + roots_at};
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r)
      x[r] = device::twiddle::apply<Policy::dir>(x[r], root(size(point[r]) * k));
  }

  template <class Elements>
  WINGBEAT_FN void load(const Elements& tile, complex_type (&x)[e], complex_type& first) const {
    const unsigned lane = this->lane_in();
    unsigned point[e];  // read before the rows arrive
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) point[r] = point_in(r);
    if constexpr (row_shape().stage_in) {
      ends::read_staged<Policy, points, true>(
          *this, tile,
          [&](unsigned other, unsigned q, complex_type z) { copy_to(arrived(other) + q, z); });
      const auto row = arrived(lane);
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) x[r] = copied_from(row + point[r]);
      first = copied_from(row);
    } else {
      const bool inside = tile.has(lane);
      const auto element = [&](unsigned i) {
        complex_type z{real(0), real(0)};
        if (inside)
          z = tile.read(tile.in(lane) + size(i) * base::in_stride, tile.index_in(lane, i));
        return z;
      };
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) x[r] = element(point[r]);
      first = {real(0), real(0)};
      if (has_first()) first = element(0);
    }
    if constexpr (numbers().is_twiddled()) twiddle(x, point, tile.first_out(lane));
    if constexpr (row_shape().stage_in && !has_two &&
                  (base::has_exchanges || row_shape().stage_out)) {
      this->team().workgroup_barrier();
    }
  }

  template <class Elements>
  WINGBEAT_FN void store(const Elements& tile, const complex_type (&x)[e],
                         complex_type first) const {
    const unsigned lane = this->lane_out();
    if constexpr (row_shape().stage_out) {
      if constexpr (!has_two && base::has_exchanges) this->team().workgroup_barrier();
      const auto row = leaving(lane);
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) {
        const unsigned point = point_out(r);
        if (kept == points || point < kept) copy_to(row + point, x[r]);
      }
      if (has_first()) copy_to(row, first);
      this->team().workgroup_barrier();
      ends::write_staged<Policy, kept, pitch_out == kept>(
          *this, tile, [&](unsigned other, unsigned q) { return copied_from(leaving(other) + q); });
    } else if (tile.has(lane)) {
      const auto put = [&](unsigned i, complex_type z) {
        tile.write(tile.out(lane) + size(i) * base::out_stride, tile.index_out(lane, i), z);
      };
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) put(point_out(r), x[r]);
      if (has_first()) put(0, first);
    }
  }
};

}  // namespace wingbeat::device::bodies
