// SPDX-License-Identifier: Apache-2.0
// A real transform of N = 2M as a complex one of M, both bins of a mirror pair at once: real.hpp
// has the formulas. The length of the shape is M, because the workgroup holds M numbers.
#pragma once

#include "wingbeat/device/complex.hpp"                  // complex
#include "wingbeat/device/direction.hpp"                // direction
#include "wingbeat/device/half.hpp"                     // widen, narrow
#include "wingbeat/device/index.hpp"                    // is_power_of_two
#include "wingbeat/device/port.hpp"                     // WINGBEAT_FN, WINGBEAT_GLOBAL
#include "wingbeat/device/real.hpp"                     // separate, combine
#include "wingbeat/device/thread/dft.hpp"               // times_root
#include "wingbeat/device/workgroup/contract.hpp"       // is_load, is_store
#include "wingbeat/device/workgroup/fft.hpp"            // fft
#include "wingbeat/device/workgroup/load_elements.hpp"  // load_elements
#include "wingbeat/device/workgroup/opposite.hpp"       // opposite_trade
#include "wingbeat/device/workgroup/schedule.hpp"       // real_roots_of, schedule, twiddling

namespace wingbeat::device::workgroup {

/// Which bins of a real transform of length N exist.
enum class spectrum {
  unpacked,  ///< 0 .. N/2: N/2 + 1 of them, the first and the last real.
  packed     ///< N/2 slots: slot 0 holds X[0] + i X[N/2], slot k bin k. Rows stay aligned.
};

template <class Shape, class Real, direction Dir, spectrum Spectrum = spectrum::unpacked,
          class Memory = memory<>, twiddling Twiddles = twiddling::apart>
struct real_fft {
  using complex_fft = fft<Shape, Real, Dir, order::natural, Memory, Twiddles>;
  using value_type = typename complex_fft::value_type;
  using register_type = typename complex_fft::register_type;
  using shape_type = Shape;
  static constexpr schedule plan = complex_fft::plan;
  static constexpr unsigned m = Shape::length;
  static constexpr unsigned length = 2 * m;  ///< N, counted in reals.
  static constexpr unsigned elements_per_thread = Shape::elements_per_thread;
  static constexpr unsigned transforms = Shape::transforms;
  static constexpr unsigned threads = Shape::threads;
  static constexpr unsigned stride = threads;
  static constexpr unsigned registers = complex_fft::registers;
  static constexpr unsigned workgroup_threads = Shape::workgroup_threads;
  static constexpr unsigned bins = Spectrum == spectrum::unpacked ? m + 1 : m;
  static constexpr unsigned exchanges = complex_fft::exchanges + (threads > 1 ? 1 : 0);
  /// The number of roots exp(-2 pi i k / N), k < real_roots, behind the others.
  static constexpr unsigned real_roots = real_roots_of(m, elements_per_thread);
  static constexpr unsigned table_entries = complex_fft::table_entries + real_roots;
  static constexpr unsigned scratch_bytes = opposite_trade<complex_fft, Memory>::scratch_bytes;
  using storage_type = storage<scratch_bytes>;
  using scratch_type = scratch<scratch_bytes>;

  /// Forward: load(j) is x[2j] + i x[2j+1], j < M, the same bytes as N reals; store(k, X[k]) gets
  /// each bin once. Inverse: load(k) is X[k], without use of the imaginary parts of bins 0 and N/2;
  /// store(j, z) gets x[2j] + i x[2j+1]. Each bin is loaded once; but if a thread has an odd number
  /// of elements, also by the thread of the opposite bin.
  /// Callers, memory, scale: as fft::execute, with this type's `scratch_bytes` and table.
  template <class Team, class Load, class Store, class Scratch>
  WINGBEAT_FN static void execute(const Team& team, const Load& load, const Store& store,
                                  const Scratch& lent, WINGBEAT_GLOBAL const register_type* table) {
    execute_padded<e>(team, load, store, lent, table);
  }

  /// Transforms reals forward; those from 2 `Live` threads on are zeros; see fft::execute_padded.
  /// Callers, memory, scale: as above.
  template <unsigned Live, class Team, class Load, class Store, class Scratch>
  WINGBEAT_FN static void execute_padded(const Team& team, const Load& load, const Store& store,
                                         const Scratch& lent,
                                         WINGBEAT_GLOBAL const register_type* table) {
    static_assert(Dir == direction::forward || Live == e, "a spectrum is not padded");
    static_assert(Live >= 1 && Live <= e,
                  "of a thread's elements 1 to elements_per_thread are live");
    constexpr bool loads = contract::is_load<Load, value_type>::value;
    constexpr bool stores = contract::is_store<Store, value_type>::value;
    static_assert(loads,
                  "load must be callable as load(unsigned i) const and return complex<Real>");
    static_assert(stores, "store must be callable as store(unsigned i, complex<Real> z) const");
    if constexpr (loads && stores && scratch_suffices<Scratch>()) {
      if constexpr (!opposites::has_pairs) {
        execute_unpaired<Live>(team, load, store, lent, table);
      } else if constexpr (Dir == direction::forward) {
        forward<Live>(team, load, store, lent, table);
      } else {
        inverse(team, load, store, lent, table);
      }
    }
  }

  /// Transforms registers, of spectrum::packed: x[r], j = team.thread() + r threads, is x[2j] + i
  /// x[2j+1] on the side of reals and slot j of the spectrum on the other; slot 0 is X[0] + i
  /// X[N/2]. Callers, memory, scale: as above. Cost: one more exchange of half the elements,
  /// because opposite bins are computed together and belong to different threads.
  template <class Team, class Data, class Scratch>
  WINGBEAT_FN static void execute(const Team& team, Data&& data, const Scratch& lent,
                                  WINGBEAT_GLOBAL const register_type* table) {
    static_assert(contract::is_same<typename Team::shape_type, Shape>::value,
                  "the team is of another shape than the transform");
    execute_on(team, team, data, lent, table);
  }

  /// Transforms registers as above, from the distribution of `before` to that of `after`;
  /// requirements: see fft::execute_between.
  template <class Before, class After, class Data, class Scratch>
  WINGBEAT_FN static void execute_between(const Before& before, const After& after, Data&& data,
                                          const Scratch& lent,
                                          WINGBEAT_GLOBAL const register_type* table) {
    static_assert(contract::is_same<typename Before::shape_type, Shape>::value &&
                      contract::is_same<typename After::shape_type, Shape>::value,
                  "a team is of another shape than the transform");
    constexpr bool differ = Before::neighbours != After::neighbours;
    static_assert(differ,
                  "both teams have the same lanes: call execute(team, x, scratch, table), or give "
                  "one of them lanes::across_transforms");
    if constexpr (differ) execute_on(before, after, data, lent, table);
  }

 private:
  using real = typename arithmetic_of<Real>::type;
  static constexpr unsigned e = elements_per_thread;
  using opposites = opposite_trade<complex_fft, Memory>;
  static constexpr unsigned pairs = opposites::pairs;
  static constexpr bool is_packed = Spectrum == spectrum::packed;

  template <class Scratch>
  WINGBEAT_FN static constexpr bool scratch_suffices() {
    constexpr bool is_scratch = contract::is_scratch<Scratch>::value;
    static_assert(is_scratch, "scratch is handed in as workgroup::scratch<Bytes>{local memory}");
    if constexpr (is_scratch) {
      static_assert(Scratch::size_bytes >= scratch_bytes,
                    "the scratch is too small: the transform needs real_fft::scratch_bytes");
      constexpr bool is_provided = contract::is_provided<Scratch, scratch_bytes>::value;
      static_assert(is_provided,
                    "the kernel is launched with too little local memory: the transform needs "
                    "real_fft::scratch_bytes, which kernel_spec::scratch_bytes states");
    }
    return is_scratch;
  }

  template <class Before, class After, class Data, class Scratch>
  WINGBEAT_FN static void execute_on(const Before& before, const After& after, Data& data,
                                     const Scratch& lent,
                                     WINGBEAT_GLOBAL const register_type* table) {
    constexpr bool fits = contract::is_array<Data>::template holds<real, e>;
    static_assert(fits, "the registers must be register_type x[elements_per_thread]");
    static_assert(is_packed,
                  "a thread has no register for bin N/2: registers hold spectrum::packed; for "
                  "spectrum::unpacked call execute(team, load, store, scratch, table)");
    if constexpr (fits && is_packed && scratch_suffices<Scratch>()) {
      if constexpr (!opposites::has_pairs) {
        execute_unpaired(before, after, data, lent, table);
      } else if constexpr (Dir == direction::forward) {
        forward(before, after, data, lent, table);
      } else {
        inverse(before, after, data, lent, table);
      }
    }
  }

  /// Forward in registers, handed from `before` to `team` by the complex transform. Slots k and
  /// M - k are computed together; the second then returns to its thread.
  template <class Before, class Team, class Scratch>
  WINGBEAT_FN static void forward(const Before& before, const Team& team, register_type (&z)[e],
                                  const Scratch& lent, WINGBEAT_GLOBAL const register_type* table) {
    if constexpr (contract::is_same<Before, Team>::value) {
      opposites::transform_and_free(team, z, lent, table);
    } else {
      complex_fft::execute_between(before, team, z,
                                   reused_as<Scratch, reuse::at_once>{lent.address}, table);
    }
    const auto root = roots_of(team, table);
    register_type other[pairs];
    opposites::gather_partners(team, z, other, reused_as<Scratch, reuse::at_once>{lent.address});
    const bool has_ends = team.thread() == 0;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < pairs; ++r) {
      const bool is_end = r == 0 && has_ends;
      const auto x = device::real::separate(z[r], is_end ? z[r] : other[r], root(r));
      z[r] = x.first;
      if (is_end) {  // the partner of slot 0 is M/2
        z[r].im = x.second.re;
        other[r] = conj(other[r]);
      } else {
        other[r] = x.second;
      }
    }
    opposites::return_partners(team, z, other, lent);
  }

  /// Inverse in registers, handed from `team` to `after` by the complex transform.
  template <class Team, class After, class Scratch>
  WINGBEAT_FN static void inverse(const Team& team, const After& after, register_type (&z)[e],
                                  const Scratch& lent, WINGBEAT_GLOBAL const register_type* table) {
    const auto root = roots_of(team, table);
    register_type other[pairs];
    opposites::gather_partners(team, z, other, reused_as<Scratch, reuse::at_once>{lent.address});
    const bool has_ends = team.thread() == 0;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < pairs; ++r) {
      const bool is_end = r == 0 && has_ends;
      register_type x = z[r], mirrored = other[r];
      if (is_end) {
        mirrored = {x.im, real(0.0)};
        x.im = real(0.0);
      }
      const auto both = device::real::combine(x, mirrored, root(r));
      z[r] = both.first;
      if (is_end) {
        other[r] = scaled(conj(other[r]), real(2.0));
      } else {
        other[r] = both.second;
      }
    }
    opposites::return_partners(team, z, other, lent);
    if constexpr (contract::is_same<Team, After>::value) {
      complex_fft::execute(team, z, lent, table);
    } else {
      complex_fft::execute_between(team, after, z, lent, table);
    }
  }

  // Bins 0 and M are handled like any pair, so that threads do not diverge at loads and stores.

  template <unsigned Live, class Team, class Load, class Store, class Scratch>
  WINGBEAT_FN static void forward(const Team& team, const Load& load, const Store& store,
                                  const Scratch& lent, WINGBEAT_GLOBAL const register_type* table) {
    register_type z[e];
    load_elements<value_type, Live, threads>(load, team.thread(), z);
    opposites::template transform_and_free<Live>(team, z, lent, table);
    const auto root = roots_of(team, table);
    register_type other[pairs];
    opposites::gather_partners(team, z, other, lent);
    const bool has_ends = team.thread() == 0;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < pairs; ++r) {
      const unsigned k = team.thread() + r * threads;
      const bool is_end = r == 0 && has_ends;  // bin 0 is its own opposite
      auto x = device::real::separate(z[r], is_end ? z[r] : other[r], root(r));
      if (is_end) {
        x.first.im = is_packed ? x.second.re : real(0.0);
        x.second.im = real(0.0);
      }
      store(k, narrow<Real>(x.first));
      if (!(is_packed && is_end)) store(m - k, narrow<Real>(x.second));
    }
    if (m > 1 && has_ends) store(m / 2, narrow<Real>(conj(other[0])));
  }

  template <class Team, class Load, class Store, class Scratch>
  WINGBEAT_FN static void inverse(const Team& team, const Load& load, const Store& store,
                                  const Scratch& lent, WINGBEAT_GLOBAL const register_type* table) {
    register_type z[e], other[pairs];
    const auto root = roots_of(team, table);
    const bool has_ends = team.thread() == 0;
    value_type middle{};
    if (m > 1 && has_ends) middle = load(m / 2);
    constexpr bool is_in_steps =
        contract::is_in_steps<Load> && !is_packed && Memory::bank_bytes != 0;
    if constexpr (is_in_steps) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < pairs; ++r) {
        const unsigned k = team.thread() + r * threads;
        z[r] = load.fetched(k);
        other[r] = load.fetched(m - k);
      }
      team.workgroup_barrier();  // compilers keep loads before it
    }
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < pairs; ++r) {
      const unsigned k = team.thread() + r * threads;
      const bool is_end = r == 0 && has_ends;
      value_type stored, opposite;
      if constexpr (is_in_steps) {
        stored = z[r];
        opposite = other[r];
        load.make_pair(k, stored, opposite);
      } else {
        stored = load(k);
        opposite = stored;
        if (!(is_packed && is_end)) opposite = load(m - k);
      }
      register_type x = widen(stored), mirrored = widen(opposite);
      if (is_end) {
        if (is_packed) mirrored.re = x.im;
        x.im = mirrored.im = real(0.0);
      }
      const auto both = device::real::combine(x, mirrored, root(r));
      z[r] = both.first;
      other[r] = both.second;
    }
    if (m > 1 && has_ends) other[0] = scaled(conj(widen(middle)), real(2.0));
    opposites::return_partners(team, z, other, lent);
    complex_fft::execute(team, z, lent, table);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) store(team.thread() + r * threads, narrow<Real>(z[r]));
  }

  // Odd E: every thread computes the bins that it holds, with their opposites.

  template <unsigned Live, class Team, class Load, class Store, class Scratch>
  WINGBEAT_FN static void execute_unpaired(const Team& team, const Load& load, const Store& store,
                                           const Scratch& lent,
                                           WINGBEAT_GLOBAL const register_type* table) {
    register_type z[e];
    if constexpr (Dir == direction::forward) {
      load_elements<value_type, Live, threads>(load, team.thread(), z);
      opposites::template transform_and_free<Live>(team, z, lent, table);
      separate_own(team, z, lent, table);
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) {
        const unsigned k = team.thread() + r * threads;
        if (!is_packed && k == 0) {
          store(m, narrow<Real>(register_type{z[0].im, real(0.0)}));
          z[0].im = real(0.0);
        }
        store(k, narrow<Real>(z[r]));
      }
    } else {
      const auto root = roots_of(team, table);
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) {
        const unsigned k = team.thread() + r * threads;
        const value_type stored = load(k);
        value_type opposite = stored;
        if (!(is_packed && k == 0)) opposite = load(m - k);
        register_type x = widen(stored), mirrored = widen(opposite);
        if (k == 0) {
          if (is_packed) mirrored.re = x.im;
          x.im = mirrored.im = real(0.0);
        }
        z[r] = device::real::combine(x, mirrored, root(r)).first;
      }
      complex_fft::execute(team, z, lent, table);
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) store(team.thread() + r * threads, narrow<Real>(z[r]));
    }
  }

  template <class Before, class After, class Scratch>
  WINGBEAT_FN static void execute_unpaired(const Before& before, const After& after,
                                           register_type (&z)[e], const Scratch& lent,
                                           WINGBEAT_GLOBAL const register_type* table) {
    constexpr bool stays = contract::is_same<Before, After>::value;
    const reused_as<Scratch, reuse::at_once> freed{lent.address};
    if constexpr (Dir == direction::forward) {
      if constexpr (stays) {
        opposites::transform_and_free(before, z, lent, table);
      } else {
        complex_fft::execute_between(before, after, z, freed, table);
      }
      separate_own(after, z, lent, table);
    } else {
      const auto root = roots_of(before, table);
      register_type other[e];
      opposites::gather_opposites(before, z, other, freed);
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) {
        register_type x = z[r], mirrored = other[r];
        if (r == 0 && before.thread() == 0) {
          mirrored = {x.im, real(0.0)};
          x.im = real(0.0);
        }
        z[r] = device::real::combine(x, mirrored, root(r)).first;
      }
      if constexpr (stays) {
        complex_fft::execute(before, z, lent, table);
      } else {
        complex_fft::execute_between(before, after, z, lent, table);
      }
    }
  }

  /// z[r] = Z[k] becomes bin k, k = t + r T, of spectrum::packed.
  template <class Team, class Scratch>
  WINGBEAT_FN static void separate_own(const Team& team, register_type (&z)[e], const Scratch& lent,
                                       WINGBEAT_GLOBAL const register_type* table) {
    const auto root = roots_of(team, table);
    register_type other[e];
    opposites::gather_opposites(team, z, other, lent);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      const auto x = device::real::separate(z[r], other[r], root(r));
      z[r] = x.first;
      if (r == 0 && team.thread() == 0) z[r].im = x.second.re;
    }
  }

  /// Returns the roots w^(t + r T) of a thread, w of order N = 2 e T.
  struct thread_roots {
    WINGBEAT_GLOBAL const register_type* roots;  // the root of r = 0
    register_type first;

    WINGBEAT_FN register_type operator()(unsigned r) const {
      if constexpr (is_power_of_two(e)) {
        return thread::times_root<direction::forward, 2 * e>(first, r);
      } else {
        return copied_from(roots + r * threads);
      }
    }
  };
  template <class Team>
  WINGBEAT_FN static thread_roots roots_of(const Team& team,
                                           WINGBEAT_GLOBAL const register_type* table) {
    const auto roots = table + complex_fft::table_entries + team.thread();
    return {roots, copied_from(roots)};
  }
};

}  // namespace wingbeat::device::workgroup
