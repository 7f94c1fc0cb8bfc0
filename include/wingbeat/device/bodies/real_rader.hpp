// SPDX-License-Identifier: Apache-2.0
// The body of a pass whose rows are a prime number p of reals that become bins 0 .. (p - 1) / 2, or
// such bins that become reals. Both are Hartley transforms of p reals,
//
//     V[j] = sum over n of v[n] cas(2 pi j n / p),   cas = cos + sin,
//
// because X[j] = (V[j] + V[-j]) / 2 + i (V[-j] - V[j]) / 2 for reals v = x, and bins X become the
// reals V of v[j] = re X[j] - im X[j]; transforms in the other direction have imaginary parts of
// the other sign. In Rader's order (bodies/rader.hpp), all except the first are a cyclic
// convolution of p - 1 reals, computed with R = (p - 1) / 2 complex numbers z[m] = v[g^2m] + i
// v[g^(2m + 1)]. The filter cas(2 pi g^-n / p) has the spectrum A[k] + w^k B[k], where A is the
// spectrum of its even and B that of its odd numbers. With W = w^2,
//
//     Z[k] becomes (A[k] + i B[k] (1 - W^k) / 2) Z[k] + (i B[k] (1 + W^k) / 2) conj(Z[-k]).
//
// If p - 1 has large factors, R >= p - 1: the filter then lies around 0, and numbers from (p - 1) /
// 2 on are 0.
#pragma once

#include "wingbeat/device/bodies/thread_rows.hpp"  // thread_rows
#include "wingbeat/device/bodies/transform.hpp"    // transform
#include "wingbeat/device/complex.hpp"             // complex, conj, copied_from
#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/ends/staged.hpp"         // read_staged, write_staged
#include "wingbeat/device/grid/numbers.hpp"        // pass_numbers
#include "wingbeat/device/index.hpp"               // index_of_real, minimum, quotient
#include "wingbeat/device/order.hpp"               // order
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, group
#include "wingbeat/device/thread/dft.hpp"          // dft_by_factors
#include "wingbeat/device/workgroup/fft.hpp"       // fft
#include "wingbeat/device/workgroup/memory.hpp"    // reuse, scratch
#include "wingbeat/device/workgroup/opposite.hpp"  // opposite_trade

namespace wingbeat::device::bodies {

/// The base class for rows in one thread each, and for other rows.
template <class Policy, class Group,
          bool AreInThreads = Policy::numbers().shape.as_prime().are_in_threads()>
struct real_rader_base {
  using type = transform<Policy, Group>;
};
template <class Policy, class Group>
struct real_rader_base<Policy, Group, true> {
  using type = thread_rows<Policy, Group>;
};

/// Rows are in local memory before and after, as reals; exchanges use the memory behind them. The
/// table has the offsets, in bytes, of elements g^2m and g^(2m + 1) for each m < (p - 1) / 2, of
/// g^-2m and g^-(2m + 1), and both factors, which are halved for rows that become bins.
template <class Policy, class Group = group_in_rows>
class real_rader : public real_rader_base<Policy, Group>::type {
  using base = typename real_rader_base<Policy, Group>::type;
  WINGBEAT_FN static constexpr grid::pass_numbers numbers() { return Policy::numbers(); }
  WINGBEAT_FN static constexpr grid::tile_shape row_shape() { return numbers().shape; }

 public:
  using base::base;
  using base::e;
  using typename base::complex_type;
  using typename base::real;
  static_assert(row_shape().stage_in && row_shape().stage_out, "rows are in local memory as reals");

  template <class Elements, class Pass>
  WINGBEAT_FN void run_tile(const Elements& tile, const Pass& pass, unsigned number,
                            size rows) const {
    arrive<Elements::reads_reals>(tile);
    pass.prefetch(number, rows);
    WINGBEAT_LOCAL real* const row = row_of(this->lane_in());
    complex_type x[e], other[e];
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      x[r] = {real(0), real(0)};
      if (is_padded && !has(r)) continue;
      const complex_type offsets = offset(0, r);
      x[r] = {*behind(row, index_of_real(offsets.re)), *behind(row, index_of_real(offsets.im))};
    }
    const real first = row[0] * (Elements::reads_reals ? real(0.5) : real(1));
    transform_and_meet(x, other);
    real sum = first;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      const complex_type bin = x[r];
      x[r] = bin * factor(0, r) + conj(other[r]) * factor(1, r);
      if (r == 0 && this->number_in(0) == 0) {
        sum = first + (bin.re + bin.im) * (Elements::reads_reals ? real(0.5) : real(1));
        x[r] = x[r] + complex_type{first, first};
      }
    }
    transform_back(x);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < live; ++r) {
      if (is_padded && !has(r)) continue;
      const complex_type offsets = offset(1, r), z = Pass::scaled(x[r]);
      *behind(row, index_of_real(offsets.re)) = z.re;
      *behind(row, index_of_real(offsets.im)) = z.im;
    }
    if (this->number_in(0) == 0) row[0] = Pass::scaled({sum, sum}).re;
    this->team().workgroup_barrier();
    leave<Elements::reads_reals>(tile);
  }

 private:
  static constexpr unsigned points = unsigned(row_shape().elements()), bins = points / 2 + 1;
  static constexpr size length = row_shape().length;
  static constexpr bool is_padded = row_shape().points > 0;
  static constexpr unsigned count = points / 2, threads_of_row = unsigned(length) / e;
  static constexpr unsigned live =
      minimum<unsigned>(e, (count + threads_of_row - 1) / threads_of_row);
  static constexpr bool is_forward = Policy::dir == direction::forward;

  /// Returns the row of a lane: element q is number `lane * points + q`.
  WINGBEAT_FN WINGBEAT_LOCAL real* row_of(unsigned lane) const {
    return reinterpret_cast<WINGBEAT_LOCAL real*>(this->scratch_) + lane * points;
  }
  WINGBEAT_FN static WINGBEAT_LOCAL real* behind(WINGBEAT_LOCAL real* row, unsigned bytes) {
    return reinterpret_cast<WINGBEAT_LOCAL real*>(reinterpret_cast<WINGBEAT_LOCAL char*>(row) +
                                                  bytes);
  }
  using exchanged_type =
      workgroup::scratch<row_shape().exchange_bytes(), workgroup::reuse::after_barrier>;
  WINGBEAT_FN exchanged_type exchanged() const {
    constexpr unsigned rows_bytes = row_shape().as_prime().staged_bytes();
    return exchanged_type{this->scratch_ + rows_bytes};
  }

  template <direction Dir, class Base = base>
  using fft_to = workgroup::fft<typename Base::shape, real, Dir, order::natural,
                                typename Base::memory, Base::twiddles>;

  /// Replaces z[m] by Z[k], and sets other[k] = Z[-k].
  WINGBEAT_FN void transform_and_meet(complex_type (&x)[e], complex_type (&other)[e]) const {
    if constexpr (row_shape().as_prime().are_in_threads()) {
      thread::dft_by_factors<direction::forward>(x);
      WINGBEAT_UNROLL
      for (unsigned k = 0; k < e; ++k) other[k] = x[(e - k) % e];
    } else {
      using forth = workgroup::opposite_trade<fft_to<direction::forward>, typename base::memory>;
      using back = workgroup::opposite_trade<fft_to<direction::inverse>, typename base::memory>;
      forth::template transform_and_free<live>(this->team(), x, exchanged(), this->roots());
      back::gather_opposites(this->team(), x, other, exchanged());
    }
  }
  WINGBEAT_FN void transform_back(complex_type (&x)[e]) const {
    if constexpr (row_shape().as_prime().are_in_threads()) {
      thread::dft_by_factors<direction::inverse>(x);
    } else {
      fft_to<direction::inverse>::execute(this->team(), x, exchanged(), this->roots());
    }
  }

  /// Returns whether number r of a thread is not padding.
  WINGBEAT_FN bool has(unsigned r) const {
    return (r + 1) * threads_of_row <= count || this->number_in(r) < count;
  }
  WINGBEAT_FN complex_type offset(unsigned side, unsigned r) const {
    constexpr size offsets_at = numbers().factors_at();
    return copied_from(this->roots() + offsets_at + size(side) * count + this->number_in(r));
  }
  WINGBEAT_FN complex_type factor(unsigned second, unsigned r) const {
    constexpr size factors_at = numbers().filter_at();
    return copied_from(this->roots() + factors_at + second * length + this->number_in(r));
  }

  /// Loads the rows of a tile into local memory: reals, or the reals v of bins.
  template <bool AreReals, class Elements>
  WINGBEAT_FN void arrive(const Elements& tile) const {
    if constexpr (AreReals) {
      ends::read_staged<Policy, points, true>(
          *this, tile, [&](unsigned lane, unsigned q, complex_type z) { row_of(lane)[q] = z.re; });
    } else {
      constexpr bool are_joined = Elements::template are_bins_joined<bins>();
      each_bin<are_joined>(
          [&](unsigned lane, unsigned k, unsigned joined) {
            if (are_joined) return tile.read_bin(tile.in(0) + (tile.has(lane) ? joined : k), k);
            return tile.read_bin(tile.in(tile.existing(lane)) + size(k) * base::in_stride, k);
          },
          [&](unsigned lane, unsigned k, unsigned, complex_type z) {
            if (is_forward) z = conj(z);
            row_of(lane)[k] = z.re - z.im;
            if (k > 0) row_of(lane)[points - k] = z.re + z.im;
          });
      this->team().workgroup_barrier();
    }
  }

  /// Stores the rows of a tile, as bins of reals or as reals.
  template <bool AreBins, class Elements>
  WINGBEAT_FN void leave(const Elements& tile) const {
    if constexpr (!AreBins) {
      ends::write_staged<Policy, points, true>(*this, tile, [&](unsigned lane, unsigned q) {
        return complex_type{row_of(lane)[q], real(0)};
      });
    } else {
      constexpr bool are_joined = Elements::template are_outputs_joined<bins>();
      each_bin<are_joined>(
          [&](unsigned lane, unsigned k, unsigned) {
            const auto row = row_of(lane);
            const real v = row[k], opposite = row[k == 0 ? 0 : points - k];
            return complex_type{opposite + v, is_forward ? opposite - v : v - opposite};
          },
          [&](unsigned lane, unsigned k, unsigned joined, complex_type z) {
            if (!tile.has(lane)) return;
            if (are_joined) {
              tile.write(tile.out(0) + joined, k, z);
            } else {
              tile.write(tile.out(lane) + size(k) * base::out_stride, tile.index_out(lane, k), z);
            }
          });
    }
  }

  /// Computes all bins of a tile by make(lane, k, i), then hands them to take(lane, k, i, bin). If
  /// lanes are joined, i counts the bins of all lanes.
  template <bool AreJoined, class Make, class Take>
  WINGBEAT_FN void each_bin(const Make& make, const Take& take) const {
    constexpr ends::taken order = AreJoined ? ends::taken::joined : ends::taken::along;
    constexpr unsigned limit = bins * base::lanes + base::workgroup_threads;
    const auto lane_of = [](unsigned lane, unsigned i) {
      return AreJoined ? quotient<bins, limit>(i) : lane;
    };
    const auto bin_of = [&](unsigned lane, unsigned i) {
      return AreJoined ? i - lane_of(lane, i) * bins : i;
    };
    ends::make_and_take<complex_type, bins, order, ~0u>(
        *this,
        [&](unsigned lane, unsigned i) { return make(lane_of(lane, i), bin_of(lane, i), i); },
        [&](unsigned lane, unsigned i, complex_type z) {
          take(lane_of(lane, i), bin_of(lane, i), i, z);
        });
  }
};

}  // namespace wingbeat::device::bodies
