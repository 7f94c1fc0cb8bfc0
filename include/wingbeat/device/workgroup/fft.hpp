// SPDX-License-Identifier: Apache-2.0
// The transform of one workgroup: Stockham stages in registers, exchanges through local memory.
//
// Thread t of T holds elements t + r T, r < E, before and after every stage. A stage of radix R
// after prior length P takes butterfly b = 0 .. N/R - 1 from elements b + q N/R, turns input q by
// w^(q (b mod P)), w = exp(-+ 2 pi i / (P R)), and delivers output q to
//     (b / P) P R + (b mod P) + q P.
// Both ends of the last stage are elements b + q N/R, so it needs no exchange: one fewer than
// there are stages, natural order in and out, no bit reversal. See docs/maths.md.
#pragma once

#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/index.hpp"               // stages
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_LOCAL
#include "wingbeat/device/thread/dft.hpp"          // dft
#include "wingbeat/device/twiddle.hpp"             // turn
#include "wingbeat/device/workgroup/exchange.hpp"  // exchange, trade
#include "wingbeat/device/workgroup/team.hpp"      // shape, team

namespace wingbeat::device::workgroup {

/// A collective transform, described at compile time.
///   Shape      length, elements per thread, transforms per workgroup
///   Trade      what an exchange moves at once
///   BankBytes  width of local memory's banks together; 0 on a CPU
template <class Shape, class Real, direction Dir, trade Trade = trade::whole,
          unsigned BankBytes = 128>
struct fft {
  using complex_type = complex<Real>;
  static constexpr unsigned length = Shape::length;
  static constexpr unsigned elements_per_thread = Shape::elements_per_thread;
  static constexpr unsigned threads = Shape::threads;
  static constexpr unsigned max_radix = elements_per_thread;
  static constexpr unsigned n_stages = stages{length, max_radix}.count();
  static constexpr unsigned exchanges = n_stages == 0 ? 0 : n_stages - 1;
  static constexpr unsigned table_entries =
      twiddle::stage_offset(stages{length, max_radix}, n_stages);

  using layout = scratch_layout<Shape, Real, Trade, BankBytes, stages{length, max_radix}.radix(0)>;
  static constexpr unsigned scratch_bytes = exchanges == 0 ? 0 : layout::bytes;

  /// Transforms elements load(i) and hands them to store(i, value), i in [0, length).
  /// Callers: every thread of the workgroup.  Memory: `scratch_bytes`, aligned to a complex
  /// number, free on entry; pass a barrier before scratch is used again.  Order: natural in,
  /// natural out.  Scale: none.  `table` holds the `table_entries` roots of all stages, laid out
  /// as twiddle.hpp says.
  template <class Team, class Load, class Store>
  WINGBEAT_FN static void execute(const Team& team, const Load& load, const Store& store,
                                  WINGBEAT_LOCAL char* scratch,
                                  WINGBEAT_GLOBAL const complex_type* table) {
    complex_type x[elements_per_thread];
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < elements_per_thread; ++r) x[r] = load(team.thread() + r * threads);
    execute(team, x, scratch, table);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < elements_per_thread; ++r) store(team.thread() + r * threads, x[r]);
  }

  /// Transforms in registers: x[r] is element team.thread() + r threads, before and after.
  /// Callers, memory, order and scale: as above.
  template <class Team>
  WINGBEAT_FN static void execute(const Team& team, complex_type (&x)[elements_per_thread],
                                  WINGBEAT_LOCAL char* scratch,
                                  WINGBEAT_GLOBAL const complex_type* table) {
    if constexpr (n_stages > 0) run_from<0>(team, x, scratch, table);
  }

 private:
  template <unsigned Stage, class Team>
  WINGBEAT_FN static void run_from(const Team& team, complex_type (&x)[elements_per_thread],
                                   WINGBEAT_LOCAL char* scratch,
                                   WINGBEAT_GLOBAL const complex_type* table) {
    butterflies<Stage>(team, x, table + twiddle::stage_offset(stages{length, max_radix}, Stage));
    if constexpr (Stage + 1 < n_stages) {
      if constexpr (Stage > 0) team.barrier();  // until the last exchange has been read
      deliver<Stage>(team, x, scratch);
      run_from<Stage + 1>(team, x, scratch, table);
    }
  }

  /// One stage in registers: register m + q E/R is input (and output) q of butterfly t + m T.
  template <unsigned Stage, class Team>
  WINGBEAT_FN static void butterflies(const Team& team, complex_type (&x)[elements_per_thread],
                                      WINGBEAT_GLOBAL const complex_type* roots) {
    constexpr unsigned radix = stages{length, max_radix}.radix(Stage);
    constexpr unsigned prior = stages{length, max_radix}.prior(Stage);
    constexpr unsigned count = elements_per_thread / radix;
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < count; ++m) {
      complex_type y[radix];
      WINGBEAT_UNROLL
      for (unsigned q = 0; q < radix; ++q) y[q] = x[m + q * count];
      if constexpr (prior > 1) {
        twiddle::turn<Dir, prior>(y, roots, (team.thread() + m * threads) & (prior - 1));
      }
      thread::dft<Dir>(y);
      WINGBEAT_UNROLL
      for (unsigned q = 0; q < radix; ++q) x[m + q * count] = y[q];
    }
  }

  /// Moves the outputs of a stage to the threads that want them next.
  template <unsigned Stage, class Team>
  WINGBEAT_FN static void deliver(const Team& team, complex_type (&x)[elements_per_thread],
                                  WINGBEAT_LOCAL char* scratch) {
    constexpr unsigned radix = stages{length, max_radix}.radix(Stage);
    constexpr unsigned prior = stages{length, max_radix}.prior(Stage);
    constexpr unsigned count = elements_per_thread / radix;
    const auto to = [&](unsigned r) {
      const unsigned b = team.thread() + (r % count) * threads;
      const unsigned first = (b & ~(prior - 1)) * radix + (b & (prior - 1));
      return layout::address(team.slot(first), (r / count) * prior * Team::slot_stride);
    };
    const auto from = [&](unsigned r) {
      return layout::address(team.slot(team.thread()), r * threads * Team::slot_stride);
    };
    exchange<Trade>(team, x, scratch, to, from);
  }
};

}  // namespace wingbeat::device::workgroup
