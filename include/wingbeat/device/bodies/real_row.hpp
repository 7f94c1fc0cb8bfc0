// SPDX-License-Identifier: Apache-2.0
// The body of a pass whose butterflies are whole rows of reals that become bins, or the reverse:
// one workgroup computes both bins of a mirror pair at once (workgroup/real.hpp).
#pragma once

#include "wingbeat/device/bodies/transform.hpp"  // transform
#include "wingbeat/device/complex.hpp"           // complex, copy_to, copied_from
#include "wingbeat/device/ends/keep.hpp"         // keep
#include "wingbeat/device/ends/staged.hpp"       // read_staged, write_staged
#include "wingbeat/device/grid/numbers.hpp"      // pass_numbers
#include "wingbeat/device/port.hpp"              // WINGBEAT_FN, group
#include "wingbeat/device/workgroup/real.hpp"    // real_fft

namespace wingbeat::device::bodies {

/// The elements of a row that a load's functor holds; 0 for other loads.
template <class Load, class = void>
inline constexpr unsigned held_by = 0;
template <class Load>
inline constexpr unsigned held_by<Load, workgroup::contract::void_t<decltype(Load::held)>> =
    Load::held;

/// Elements come from load(i) and go to store(i, z), one at a time. Staged elements lie behind the
/// transform's exchanges, or on the way out over them.
template <class Policy, class Group = group_in_rows>
class real_row : public transform<Policy, Group> {
  using base = transform<Policy, Group>;
  WINGBEAT_FN static constexpr grid::pass_numbers numbers() { return Policy::numbers(); }

 public:
  using typename base::complex_type;
  using typename base::real;
  using fft =
      workgroup::real_fft<typename base::shape, real, Policy::dir, workgroup::spectrum::unpacked,
                          typename base::memory, numbers().shape.twiddles>;

  using base::base;

  /// Returns the staged elements, `pitch_in()` (`pitch_out()`) entries from row to row.
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* arrived() const { return this->entries() + staged_at; }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* leaving() const {
    return numbers().shape.overlaid ? this->entries() : arrived() + arriving;
  }

  template <class Load, class Store>
  WINGBEAT_FN void run(const Load& load, const Store& store) const {
    constexpr auto used_again =
        numbers().shape.overlaid ? workgroup::reuse::at_once : workgroup::reuse::after_barrier;
    using lent = workgroup::reused_as<typename base::scratch_type, used_again>;
    fft::template execute_padded<base::live>(this->team_, load, store, lent{this->scratch_},
                                             this->table_);
  }

  /// Loads and stores elements one by one, through local memory if they are staged.
  template <class Elements, class Pass>
  WINGBEAT_FN void run_tile(const Elements& tile, const Pass& pass, unsigned number,
                            size rows) const {
    constexpr unsigned pitch_in = numbers().shape.pitch_in(),
                       pitch_out = numbers().shape.pitch_out();
    pass.prefetch(number, rows);
    const unsigned lane = this->lane_in(), read = tile.read_lane(lane);
    const bool inside = tile.has(lane), reads = tile.reads(lane);
    constexpr unsigned held = held_reals<typename Elements::load_type>;
    real values[held > 0 ? held : 1] = {};
    if constexpr (held > 0) {
      if (reads) tile.source().hold(tile.in(read), values);
    } else if constexpr (numbers().shape.stage_in) {
      ends::read_staged<Policy, numbers().shape.staged_in()>(
          *this, tile, [&](unsigned other, unsigned q, complex_type z) {
            copy_to(arrived() + other * pitch_in + q, z);
          });
    }
    const auto load = [&](unsigned i) {
      complex_type z{real(0), real(0)};
      if constexpr (held > 0) {
        if (reads) z = tile.source().get_held(tile.in(read), i, values);
      } else if constexpr (numbers().shape.stage_in) {
        if (inside) z = copied_from(arrived() + lane * pitch_in + i);
      } else {
        if (reads) z = tile.read(tile.in(read) + size(i) * base::in_stride, tile.index_in(read, i));
      }
      return z;
    };
    const auto store = [&](unsigned i, complex_type z) {
      if constexpr (numbers().shape.stage_out) {
        z = Pass::scaled(z);
        if constexpr (ends::gathers<Elements>) z = tile.target().prepared(tile.out(lane), i, z);
        copy_to(leaving() + lane * pitch_out + i, z);
      } else {
        if constexpr (Elements::keeps) {
          ends::keep(*this, tile, lane, i, Pass::scaled(z));
        } else if (inside) {
          tile.write(tile.out(lane) + size(i) * base::out_stride, tile.index_out(lane, i),
                     Pass::scaled(z));
        }
      }
    };
    if constexpr (row_load<Elements>::in_steps || row_load<Elements>::fills) {
      run(row_load<Elements>{tile, read}, store);
    } else {
      run(load, store);
    }
    if constexpr (numbers().shape.stage_out) {
      this->team().workgroup_barrier();
      ends::write_staged<Policy, numbers().shape.staged_out()>(
          *this, tile, [&](unsigned other, unsigned q) {
            return copied_from(leaving() + other * pitch_out + q);
          });
    }
  }

 private:
  /// Whether the elements of a row are what the load says, all of them.
  static constexpr bool has_plain_rows =
      !numbers().in.is_limited && !numbers().in.is_conjugated && numbers().in.second == 0;

  /// The elements of a line that its only thread reads at once; 0: one by one.
  template <class Load>
  static constexpr unsigned held_reals =
      base::shape::threads == 1 && has_plain_rows ? held_by<Load> : 0;

  /// Loads the elements of a lane without staging: in two steps (rows that share a workgroup pass
  /// one barrier less without them), or at once.
  template <class Elements>
  struct row_load {
    using load_type = typename Elements::load_type;
    static constexpr bool is_plain = has_plain_rows && !numbers().shape.stage_in;
    static constexpr bool in_steps =
        is_plain && numbers().shape.lanes == 1 && workgroup::contract::is_in_steps<load_type>;
    static constexpr bool fills = is_plain && workgroup::contract::is_filling<load_type>;
    const Elements& tile;
    unsigned lane;

    template <unsigned Count, unsigned Step, class Pairs>
    WINGBEAT_FN void fill(unsigned first, Pairs& z) const {
      tile.source().template fill<Count, Step>(tile.in(lane), first, z);
    }
    WINGBEAT_FN complex_type fetched(unsigned i) const {
      return tile.source().fetched(tile.in(lane) + size(i) * base::in_stride,
                                   tile.index_in(lane, i));
    }
    WINGBEAT_FN void make_pair(unsigned i, complex_type& z, complex_type& mirrored) const {
      tile.source().make_pair(tile.in(lane) + size(i) * base::in_stride, tile.index_in(lane, i), z,
                              mirrored);
    }
    WINGBEAT_FN complex_type operator()(unsigned i) const {
      return tile.read(tile.in(lane) + size(i) * base::in_stride, tile.index_in(lane, i));
    }
  };

  static constexpr unsigned staged_at =
      numbers().shape.exchange_bytes() / numbers().shape.element_bytes;
  static constexpr unsigned arriving =
      numbers().shape.stage_in ? numbers().shape.pitch_in() * numbers().shape.lanes : 0u;
};

}  // namespace wingbeat::device::bodies
