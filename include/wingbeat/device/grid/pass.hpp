// SPDX-License-Identifier: Apache-2.0
// One crossing of memory: the whole grid makes one Stockham stage of a long transform, or all of a
// short one. The stage has radix R = Policy::length after prior length P = Policy::prior; its
// butterflies are workgroup transforms, and a transform that fits one workgroup is the stage with
// R = N, P = 1.
//
// Policy is a plain struct of constants, written by src/planner:
//   real                 float or double
//   dir                  direction
//   length, prior, total R, P and N, counted in complex elements
//   elements_per_thread, transforms        the workgroup's shape
//   lanes_across         neighbouring threads take neighbouring transforms
//   half_trade           exchange in halves
//   bank_bytes           width of local memory's banks; 0 on a CPU
//   stage_in, stage_out  loads / stores pass through local memory to be contiguous
//   source, sink         what a row of the input / output is
//   in_pitch, out_pitch  complex elements from row to row
//   scaled, scale        factor on the way out
#pragma once

#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/grid/ends.hpp"           // plain_load, plain_store
#include "wingbeat/device/grid/real.hpp"           // combine, separate
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, group
#include "wingbeat/device/twiddle.hpp"             // roots
#include "wingbeat/device/workgroup/exchange.hpp"  // exchange
#include "wingbeat/device/workgroup/fft.hpp"       // fft

namespace wingbeat::device::grid {

/// What a row of memory holds.
enum class row {
  complex_row,   ///< N complex numbers; or 2N reals, which are the same bytes
  half_spectrum  ///< bins 0 .. N of the real transform of length 2N
};

/// Load and Store are the ends, see ends.hpp; one of yours replaces plain memory.
template <class Policy, class Group = group,
          class Load = plain_load<typename Policy::real, Policy::in_pitch>,
          class Store = plain_store<typename Policy::real, Policy::out_pitch>>
class pass {
 public:
  using real = typename Policy::real;
  using complex_type = complex<real>;
  static constexpr workgroup::trade trade =
      Policy::half_trade ? workgroup::trade::halves : workgroup::trade::whole;
  using memory = workgroup::memory<trade, Policy::bank_bytes>;
  using shape = workgroup::shape<Policy::length, Policy::elements_per_thread, Policy::transforms>;
  using team_type = workgroup::team<shape,
                                    Policy::lanes_across ? workgroup::lanes::across_transforms
                                                         : workgroup::lanes::along_transform,
                                    Group>;
  using fft = workgroup::fft<shape, real, Policy::dir, order::natural, memory>;
  using layout = typename fft::layout;

  static constexpr unsigned e = Policy::elements_per_thread;
  static constexpr unsigned threads = shape::threads;
  static constexpr size butterflies = Policy::total / Policy::length;  // of one row
  static constexpr bool is_whole = butterflies == 1;
  static constexpr bool trades_after =
      Policy::sink == row::half_spectrum || Policy::stage_in || Policy::stage_out;
  static constexpr unsigned scratch_bytes = trades_after ? layout::bytes : fft::scratch_bytes;
  using lent = workgroup::scratch<scratch_bytes, workgroup::reuse::after_barrier>;

  // The table: roots of the workgroup's stages, of this pass, of the real transform.
  static constexpr size pass_roots_at = fft::table_entries;
  static constexpr size pass_roots_entries =
      Policy::prior == 1 ? 0 : twiddle::root_tables{Policy::prior * Policy::length}.entries();
  static constexpr size real_roots_at = pass_roots_at + pass_roots_entries;

  static_assert(is_whole || butterflies % Policy::transforms == 0,
                "a workgroup's butterflies lie in one row");
  static_assert(is_whole || Policy::sink == row::complex_row,
                "a real transform of several passes separates its bins in a pass of its own");

  WINGBEAT_FN pass(Load in, Store out, WINGBEAT_GLOBAL const complex_type* table, size batch,
                   WINGBEAT_LOCAL char* scratch, Group group = Group{})
      : team_(group), in_(in), out_(out), table_(table), scratch_(scratch) {
    first_ = group.index() * Policy::transforms;
    end_ = batch * butterflies;
  }

  /// Makes this workgroup's butterflies.
  WINGBEAT_FN void run() const {
    complex_type x[e];
    load(x);
    fft::execute(team_, x, lent{scratch_}, table_);
    if constexpr (Policy::scaled) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) x[r] = device::scaled(x[r], Policy::scale);
    }
    if constexpr (Policy::sink == row::half_spectrum) {
      store_half_spectrum(x);
    } else if constexpr (Policy::stage_out) {
      store_staged(x);
    } else {
      store_direct(x);
    }
  }

 private:
  // A butterfly of the grid: which row, and which b of the row.
  WINGBEAT_FN size butterfly() const { return first_ + team_.transform(); }
  WINGBEAT_FN bool is_inside(size g) const {
    return Policy::transforms == 1 || !is_whole || g < end_;
  }

  WINGBEAT_FN void load(complex_type (&x)[e]) const {
    if constexpr (Policy::stage_in) {
      load_staged(x);
    } else {
      load_direct(x);
    }
    if constexpr (Policy::prior > 1) turn_inputs(x);
  }

  /// Input q of butterfly b is element b + q N/R.
  WINGBEAT_FN void load_direct(complex_type (&x)[e]) const {
    const size g = butterfly();
    const size b = g % butterflies;
    const auto from = in_.row(g / butterflies);
    const bool inside = is_inside(g);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      const size i = b + (team_.thread() + r * threads) * butterflies;
      x[r] = {real(0), real(0)};
      if (inside) x[r] = element(from, i);
    }
  }

  template <class Row>
  WINGBEAT_FN complex_type element(const Row& from, size i) const {
    if constexpr (Policy::source == row::half_spectrum) {
      return combine<Policy::total, real>(from, i, real_roots());
    } else {
      return from[i];
    }
  }

  /// Reads the workgroup's rows as one contiguous run, then hands each thread its elements.
  WINGBEAT_FN void load_staged(complex_type (&x)[e]) const {
    static_assert(
        is_whole && Policy::source == row::complex_row && trade == workgroup::trade::whole,
        "staged loads serve whole rows of complex numbers");
    const auto entry = reinterpret_cast<WINGBEAT_LOCAL complex_type*>(scratch_);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      const unsigned p = team_.rank() + r * shape::workgroup_threads;
      const size g = first_ + p / shape::length;
      if (g < end_) {
        entry[layout::address(p)] = in_.row(g)[p % shape::length];
      }
    }
    team_.workgroup_barrier();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) x[r] = entry[layout::address(team_.slot(held(r)))];
    if constexpr (fft::exchanges > 0) team_.workgroup_barrier();
  }

  WINGBEAT_FN unsigned held(unsigned r) const { return team_.thread() + r * threads; }

  /// Turns input q by w^(q (b mod P)), w = exp(-+ 2 pi i / (P R)).
  WINGBEAT_FN void turn_inputs(complex_type (&x)[e]) const {
    const twiddle::roots<real, Policy::prior * Policy::length> root{table_ + pass_roots_at};
    const size k = butterfly() % butterflies % Policy::prior;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) x[r] = twiddle::apply<Policy::dir>(x[r], root(held(r) * k));
  }

  /// Output q of butterfly b is element (b / P) P R + b mod P + q P.
  WINGBEAT_FN static size delivered(size b) {
    return b / Policy::prior * (Policy::prior * Policy::length) + b % Policy::prior;
  }

  WINGBEAT_FN void store_direct(const complex_type (&x)[e]) const {
    const size g = butterfly();
    if (!is_inside(g)) return;
    const auto to = out_.row(g / butterflies).from(delivered(g % butterflies));
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) to.put(held(r) * Policy::prior, x[r]);
  }

  /// Writes the workgroup's outputs as one contiguous run: whole rows, or neighbouring butterflies
  /// of a first pass, whose outputs lie one after another.
  WINGBEAT_FN void store_staged(const complex_type (&x)[e]) const {
    static_assert(Policy::prior == 1 && trade == workgroup::trade::whole,
                  "staged stores serve the first pass, exchanged whole");
    const auto entry = reinterpret_cast<WINGBEAT_LOCAL complex_type*>(scratch_);
    if constexpr (fft::exchanges > 0 || Policy::stage_in) team_.workgroup_barrier();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) entry[layout::address(team_.slot(held(r)))] = x[r];
    team_.workgroup_barrier();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      const unsigned p = team_.rank() + r * shape::workgroup_threads;
      const unsigned transform = p / shape::length;
      const unsigned q = p % shape::length;
      const size g = first_ + transform;
      const unsigned slot = Policy::lanes_across ? q * shape::transforms + transform : p;
      if (is_inside(g)) {
        out_.put(g / butterflies * Store::pitch + g % butterflies * shape::length + q,
                 entry[layout::address(slot)]);
      }
    }
  }

  /// Separates the bins of the real transform: bin k needs Z[k] and Z[N - k].
  WINGBEAT_FN void store_half_spectrum(const complex_type (&x)[e]) const {
    complex_type other[e];
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) other[r] = x[r];
    if constexpr (threads == 1) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) other[r] = x[(e - r) % e];
    } else {
      const auto to = [&](unsigned r) { return layout::address(team_.slot(held(r))); };
      const auto from = [&](unsigned r) {
        return layout::address(team_.slot(mirror(held(r), shape::length)));
      };
      team_.barrier();
      workgroup::exchange<trade, threads>(team_, other, scratch_, to, from);
    }
    const size g = butterfly();
    if (!is_inside(g)) return;
    const auto to = out_.row(g);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      const unsigned k = held(r);
      to.put(k, separate(x[r], other[r], real_roots()(k)));
    }
    if (team_.thread() == 0) to.put(shape::length, {x[0].re - x[0].im, real(0)});
  }

  WINGBEAT_FN twiddle::roots<real, 2 * Policy::total> real_roots() const {
    return {table_ + real_roots_at};
  }

  team_type team_;
  Load in_;
  Store out_;
  WINGBEAT_GLOBAL const complex_type* table_;
  WINGBEAT_LOCAL char* scratch_;
  size first_;
  size end_;
};

}  // namespace wingbeat::device::grid
