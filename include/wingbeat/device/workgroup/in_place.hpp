// SPDX-License-Identifier: Apache-2.0
// A workgroup's transform in nabla or scrambled order: every element keeps its position, and
// windows of digits slide through the registers. schedule.hpp defines positions and windows.
//
// Forward, a stage of radix R in the window of place value P makes DFTs of R neighbouring registers
// each, multiplies output k by w^(k p), p the position mod P and w = exp(-2 pi i / (P R)), and
// leaves output k in the register of k's digits reversed. The inverse runs the same stages last to
// first, each backwards. Fused butterflies multiply by roots first in both directions. Then the
// forward transform is the inverse on positions with reversed bits: its stages run last to first
// too, in windows of place value T/P whose highest digits are transformed, and p is the position's
// highest bits, reversed.
#pragma once

#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/factors.hpp"             // reversed_below
#include "wingbeat/device/half.hpp"                // widen, narrow
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_GLOBAL
#include "wingbeat/device/thread/dft.hpp"          // dft
#include "wingbeat/device/thread/dft/fused.hpp"    // fused_stage
#include "wingbeat/device/twiddle.hpp"             // apply_powers
#include "wingbeat/device/workgroup/exchange.hpp"  // exchange, slot_addresses
#include "wingbeat/device/workgroup/schedule.hpp"  // schedule, twiddling

namespace wingbeat::device::workgroup {

template <class Shape, class Real, direction Dir, order Order, class Memory,
          twiddling Twiddles = twiddling::apart>
struct in_place {
  using complex_type = complex<Real>;
  static constexpr schedule plan{Order, Shape::length, Shape::elements_per_thread, Twiddles, Dir};
  static constexpr unsigned held = plan.held();
  static constexpr unsigned threads = Shape::threads;
  static constexpr unsigned first_stage = plan.travelling();
  static constexpr unsigned n_stages = plan.count();
  static constexpr bool is_forward = Dir == direction::forward;
  static constexpr bool runs_up = is_forward && !plan.is_mirrored;
  static constexpr slot_layout lies =
      kept_in_place(plan, Shape::transforms, entry_bytes_of<Real, Memory>, Memory::bank_bytes);
  static constexpr unsigned scratch_bytes = lies.bytes();
  /// Only threads along a transform need padding: across several, slots of a window lie apart.
  template <class Team>
  using layout_for =
      slot_addresses<Shape, Real, Memory, held, lies.is_in_place,
                     (lies.is_in_place || Team::slot_stride == 1) ? lies.pad : 0u, lies.every>;

  /// Runs the stages that fit registers on x: all stages if a thread can hold its elements.
  /// Forward, the registers from `Live` on are known zeros. Scratch is free on entry; barriers: see
  /// `execute` of fft.hpp.
  template <unsigned Live = held, class Team, class Scratch>
  WINGBEAT_FN static void run(const Team& team, complex_type (&x)[held], const Scratch& scratch,
                              WINGBEAT_GLOBAL const complex_type* table) {
    if constexpr (n_stages > 0) {
      run_from<runs_up ? first_stage : n_stages - 1, is_forward ? Live : held>(team, x, scratch,
                                                                               table);
    }
  }

  /// Runs the stage before those: radix V = elements / held, over blocks of `held` T elements, in
  /// the accessor's memory. Thread t only touches elements t mod T.
  template <class Stored, class Team, class Accessor>
  WINGBEAT_FN static void travel(const Team& team, Accessor& accessor,
                                 WINGBEAT_GLOBAL const complex_type* table) {
    constexpr unsigned radix = plan.radix(0);
    constexpr unsigned place = plan.place_value(0);
    for (unsigned c = 0; c < held; ++c) {
      const unsigned index = c * threads + team.thread();
      complex_type y[radix];
      WINGBEAT_UNROLL
      for (unsigned v = 0; v < radix; ++v) {
        complex<Stored> z{};
        accessor.get(v * place + index, z);
        y[digit_of<0>(v)] = widen(z);
      }
      butterfly<0>(y, table, index);
      WINGBEAT_UNROLL
      for (unsigned v = 0; v < radix; ++v) {
        accessor.set(v * place + index, narrow<Stored>(y[bin_of<0>(v)]));
      }
    }
  }

 private:
  template <unsigned Stage, unsigned Live = held, class Team, class Scratch>
  WINGBEAT_FN static void run_from(const Team& team, complex_type (&x)[held],
                                   const Scratch& scratch,
                                   WINGBEAT_GLOBAL const complex_type* table) {
    butterflies<Stage, Live>(team, x, table);
    if constexpr (runs_up && Stage + 1 < n_stages) {
      slide<Stage, Stage + 1>(team, x, scratch);
      run_from<Stage + 1>(team, x, scratch, table);
    } else if constexpr (!runs_up && Stage > first_stage) {
      slide<Stage, Stage - 1>(team, x, scratch);
      run_from<Stage - 1>(team, x, scratch, table);
    }
  }

  template <unsigned Stage, unsigned Live, class Team>
  WINGBEAT_FN static void butterflies(const Team& team, complex_type (&x)[held],
                                      WINGBEAT_GLOBAL const complex_type* table) {
    constexpr unsigned radix = plan.radix(Stage);
    constexpr unsigned place = plan.place_value(Stage);
    static_assert(held % radix == 0, "a thread makes whole butterflies");
    constexpr bool is_mirrored = plan.is_mirrored;
    constexpr unsigned beside = is_mirrored ? held / radix : 1;  // to a butterfly's next register
    constexpr unsigned live = is_mirrored     ? thread::live_of(Live, 0, beside)
                              : radix == held ? Live
                                              : radix;
    const unsigned entry = is_mirrored ? team.thread() / plan.window(Stage) : team.thread() % place;
    WINGBEAT_UNROLL
    for (unsigned first = 0; first < held; first += radix) {
      const unsigned lowest = is_mirrored ? first / radix : first;
      complex_type y[radix];
      WINGBEAT_UNROLL
      for (unsigned q = 0; q < radix; ++q) y[digit_of<Stage>(q)] = x[lowest + q * beside];
      butterfly<Stage, live>(y, table, entry);
      WINGBEAT_UNROLL
      for (unsigned q = 0; q < radix; ++q) x[lowest + q * beside] = y[bin_of<Stage>(q)];
    }
  }

  /// Forward, register q holds sample q and ends with the bin of q's digits reversed; the inverse
  /// goes the other way.
  template <unsigned Stage>
  WINGBEAT_FN static constexpr unsigned digit_of(unsigned q) {
    constexpr unsigned radix = plan.radix(Stage);
    return is_forward ? q : reversed_below<radix>(q);
  }
  template <unsigned Stage>
  WINGBEAT_FN static constexpr unsigned bin_of(unsigned q) {
    constexpr unsigned radix = plan.radix(Stage);
    return is_forward ? reversed_below<radix>(q) : q;
  }

  template <unsigned Stage, unsigned Live = plan.radix(Stage)>
  WINGBEAT_FN static void butterfly(complex_type (&y)[plan.radix(Stage)],
                                    WINGBEAT_GLOBAL const complex_type* table, unsigned p) {
    constexpr unsigned place = plan.place_value(Stage);
    constexpr unsigned first = plan.table_offset(Stage);
    const auto roots = table + first;
    if constexpr (plan.is_fused(Stage)) {
      thread::fused_stage<Dir, place, Live>(y, roots, p);
    } else {
      if constexpr (!is_forward && place > 1) twiddle::apply_powers<Dir, place>(y, roots, p);
      thread::dft<Dir, Live>(y);
      if constexpr (is_forward && place > 1) twiddle::apply_powers<Dir, place>(y, roots, p);
    }
  }

  /// Moves every element to the thread that holds it in the next window. A thread writes the slots
  /// that it read last, so writes need no barrier before them.
  template <unsigned From, unsigned To, class Team, class Scratch>
  WINGBEAT_FN static void slide(const Team& team, complex_type (&x)[held], const Scratch& scratch) {
    constexpr unsigned earlier = runs_up ? From : To;
    constexpr unsigned span = plan.span(earlier - first_stage);
    using layout = layout_for<Team>;
    const unsigned to_base = team.slot(base<From>(team.thread()));
    const unsigned from_base = team.slot(base<To>(team.thread()));
    const auto slot_written = [&](unsigned r) {
      return layout::address(to_base, offset<From>(r) * Team::slot_stride);
    };
    const auto slot_read = [&](unsigned r) {
      return layout::address(from_base, offset<To>(r) * Team::slot_stride);
    };
    exchange<Memory::trades, span>(team, x, scratch.address, slot_written, slot_read);
    constexpr bool is_last = runs_up ? To + 1 == n_stages : To == first_stage;
    if constexpr (is_last && Scratch::reused == reuse::at_once) team.workgroup_barrier();
  }

  template <unsigned Stage>
  static constexpr bool is_nabla_end = Order == order::nabla&& threads > 1 && Stage + 1 == n_stages;

  /// Returns the position of register 0 of thread t; position(t, r) = base(t) + offset(r).
  template <unsigned Stage>
  WINGBEAT_FN static constexpr unsigned base(unsigned t) {
    if constexpr (is_nabla_end<Stage>) {
      return 2 * t;
    } else {
      constexpr unsigned place = plan.window(Stage);
      return t / place * place * held + t % place;
    }
  }
  template <unsigned Stage>
  WINGBEAT_FN static constexpr unsigned offset(unsigned r) {
    constexpr unsigned place = plan.window(Stage);
    return is_nabla_end<Stage> ? r / 2 * (2 * threads) + r % 2 : r * place;
  }
};

}  // namespace wingbeat::device::workgroup
