// SPDX-License-Identifier: Apache-2.0
// The elements of one tile, by lane and by their number in the butterfly.
#pragma once

#include "wingbeat/device/complex.hpp"       // complex
#include "wingbeat/device/grid/access.hpp"   // access
#include "wingbeat/device/grid/numbers.hpp"  // body, loop_role, side
#include "wingbeat/device/grid/tile.hpp"     // tile
#include "wingbeat/device/index.hpp"         // is_power_of_two
#include "wingbeat/device/port.hpp"          // WINGBEAT_FN, size

namespace wingbeat::device::grid {

/// Reads and writes elements at places, counted from the lane's first, in(lane) or out(lane). `q`
/// is the number of an element in the butterfly, `index` its index on the axis.
template <class Policy, class Load, class Store>
class elements {
  WINGBEAT_FN static constexpr pass_numbers numbers() { return Policy::numbers(); }
  static constexpr size in_step = numbers().in.step, out_step = numbers().out.step;

 public:
  using policy = Policy;
  using access_type = access<Policy, Load, Store>;
  using load_type = Load;
  using complex_type = typename access_type::complex_type;

  WINGBEAT_FN elements(const access_type& memory, unsigned number, size rows, size of_row = 0)
      : tile_(number, rows, of_row), access_(memory) {}

  static constexpr bool keeps = numbers().shape.keeps();
  /// Whether imaginary parts are 0 on the way in, and not stored on the way out.
  static constexpr bool reads_reals = Load::has_singles && numbers().in.second == 0;
  static constexpr bool writes_reals = Store::has_singles && numbers().out.second == 0;
  /// The number of outputs of a butterfly in one thread behind which no output is stored.
  static constexpr size last_written =
      numbers().out.is_limited && numbers().shape.length == numbers().shape.elements_per_thread &&
              !numbers().out.is_pairs && numbers().out.step == 1 && numbers().out.second == 0
          ? numbers().out.valid_end
          : numbers().shape.length;

  /// For a butterfly whose inputs are bins of reals, the number from which on they are conjugates.
  static constexpr size last_read =
      numbers().in.is_hermitian && numbers().total == numbers().shape.elements_per_thread &&
              numbers().in.second == 0
          ? numbers().total / 2 + 1
          : numbers().shape.length;

  /// Whether all inputs (outputs) of each lane, `Length` of them, lie one behind another in memory,
  /// so that a place alone identifies them. (Powers of two are split by shifts.)
  template <unsigned Length>
  WINGBEAT_FN static constexpr bool are_inputs_joined() {
    return !Load::computes && !Load::has_parts &&
           are_joined(numbers().in, numbers().loops[0].in, Length);
  }
  /// Whether the bins of a row of reals lie one behind another.
  template <unsigned Length>
  WINGBEAT_FN static constexpr bool are_bins_joined() {
    side bins = numbers().in;
    bins.is_hermitian = false;
    return !Load::computes && !Load::has_parts && are_joined(bins, numbers().loops[0].in, Length);
  }
  template <unsigned Length>
  WINGBEAT_FN static constexpr bool are_outputs_joined() {
    return !Store::computes && !Store::has_parts &&
           are_joined(numbers().out, numbers().loops[0].out, Length);
  }

  WINGBEAT_FN bool has(unsigned lane) const { return tile_.has(lane); }
  /// Returns how many lanes have butterflies.
  WINGBEAT_FN unsigned count() const { return tile_.count(); }
  /// Returns whether element q of a butterfly is not padding.
  WINGBEAT_FN static constexpr bool has_element(unsigned q) {
    constexpr size count = numbers().shape.points;
    if constexpr (count == 0) {
      return true;
    } else {
      return q < count;
    }
  }
  /// Returns `lane` if it has elements, otherwise 0. Threads without elements then read others'
  /// without a branch that waits for each load.
  WINGBEAT_FN unsigned existing(unsigned lane) const { return has(lane) ? lane : 0; }
  /// Returns whether a lane reads: always for a load that computes or in a loop over rows, which
  /// must have no branch.
  WINGBEAT_FN bool reads(unsigned lane) const { return reads_always || has(lane); }
  WINGBEAT_FN unsigned read_lane(unsigned lane) const {
    return reads_always ? existing(lane) : lane;
  }

  /// Returns the index of the lane's first input (output) on the axis.
  WINGBEAT_FN unsigned first_in(unsigned lane) const {
    return tile_.template index_of<loop_role::groups>(lane);
  }
  WINGBEAT_FN unsigned first_out(unsigned lane) const {
    return tile_.template index_of<loop_role::prior>(lane);
  }
  WINGBEAT_FN size index_in(unsigned lane, unsigned q) const {
    return first_in(lane) + size(q) * in_step;
  }
  WINGBEAT_FN size index_out(unsigned lane, unsigned q) const {
    return first_out(lane) + size(q) * out_step;
  }

  /// Returns the index of element q, which lies `offset` places behind the lane's first. Along a
  /// dense axis it is computed from the offset, so that compilers see a constant difference between
  /// place and index; see spot_of in ends/functor.hpp.
  WINGBEAT_FN size index_in(unsigned lane, unsigned q, size offset) const {
    if constexpr (is_dense(numbers().in)) return first_in(lane) + offset;
    return index_in(lane, q);
  }
  WINGBEAT_FN size index_out(unsigned lane, unsigned q, size offset) const {
    if constexpr (is_dense(numbers().out)) return first_out(lane) + offset;
    return index_out(lane, q);
  }

  /// Returns the place of the lane's first input (output).
  WINGBEAT_FN size in(unsigned lane) const { return tile_.in(lane); }
  WINGBEAT_FN size out(unsigned lane) const { return tile_.out(lane); }
  /// Returns the place of the first output of the lane's axis that is in memory.
  WINGBEAT_FN size first_kept(unsigned lane) const {
    if constexpr (!numbers().out.is_limited) {
      return out(lane);
    } else {
      // The unit of pairs is two reals, and the range counts reals.
      constexpr size unit = numbers().out.unit, first = numbers().out.valid_begin;
      constexpr size units = Store::has_parts && numbers().out.is_pairs ? unit / 2 : unit;
      return out(lane) - first_out(lane) * unit + first * units;
    }
  }
  /// Returns the place of the spectrum that a body multiplies the lane by.
  WINGBEAT_FN size filter(unsigned lane) const { return tile_.filter(lane); }

  WINGBEAT_FN const Load& source() const { return access_.source(); }
  WINGBEAT_FN const Store& target() const { return access_.target(); }
  WINGBEAT_FN complex_type read(size place, size index) const { return access_.read(place, index); }
  WINGBEAT_FN complex_type read_bin(size place, size k) const { return access_.read_bin(place, k); }
  WINGBEAT_FN void write(size place, size index, complex_type z) const {
    access_.write(place, index, z);
  }

 private:
  static constexpr bool reads_always = Load::computes || keeps;
  /// Returns whether all indices of the axis lie one behind another.
  WINGBEAT_FN static constexpr bool is_dense(const side& placed) {
    return placed.unit == 1 && !placed.is_limited && placed.block == 0 &&
           numbers().shape.makes != body::plane;
  }

  WINGBEAT_FN static constexpr bool are_joined(const side& placed, size of_loop, unsigned length) {
    const bool are_wanted = !placed.is_limited || (placed.valid_begin == 0 && !placed.is_pairs &&
                                                   placed.valid_end >= length);
    const bool is_plain = placed.stride == 1 && are_wanted && !placed.is_hermitian &&
                          placed.second == 0 && placed.block == 0;
    const bool are_rows =
        !numbers().shape.mirrored && !numbers().is_flat && numbers().loops[0].block == 0;
    return is_plain && are_rows && !is_power_of_two(length) &&
           length == (numbers().depth == 0 ? placed.distance : of_loop);
  }

  tile<Policy> tile_;
  const access_type& access_;
};

}  // namespace wingbeat::device::grid
