// SPDX-License-Identifier: Apache-2.0
// Two real signals x and y of length L as one complex one, z = x + i y: bins of x and y come from
// bins f and -f of z, which threads trade. The inverse turns two half spectra into two real
// signals.
//
// Only bins 0 .. L/2 - 1 are stored, as L/2 rows: row q T + t, q < E/2, belongs to thread t, so
// that neighbours store neighbouring rows. In natural order it holds bin q T + t (opposite.hpp has
// the trade), in nabla order bin rev(row), the digits of a row's number read backwards (nabla.hpp;
// mirror.hpp). Row 0 holds two real bins, as X[0] + i X[L/2].
#pragma once

#include "wingbeat/device/complex.hpp"             // complex, times_i
#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/half.hpp"                // widen, narrow
#include "wingbeat/device/index.hpp"               // bits_reversed
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_GLOBAL
#include "wingbeat/device/real.hpp"                // pack, unpack, pair
#include "wingbeat/device/workgroup/contract.hpp"  // is_load, is_store
#include "wingbeat/device/workgroup/mirror.hpp"    // mirror_trade
#include "wingbeat/device/workgroup/opposite.hpp"  // opposite_trade

namespace wingbeat::device::workgroup {

/// The transform in nabla order, between loads and stores.
template <class Shape, class Real, direction Dir, class Memory = memory<>,
          order Order = order::nabla, twiddling Twiddles = twiddling::apart>
struct two_real_fft {
  static_assert(Order == order::nabla, "two_real_fft has order::natural and order::nabla");
  static_assert(Twiddles == twiddling::apart, "fused twiddles are for order::natural");
  using complex_fft = fft<Shape, Real, Dir, order::nabla, Memory>;
  using trade_type = mirror_trade<complex_fft>;
  using value_type = typename complex_fft::value_type;
  using register_type = typename complex_fft::register_type;
  using shape_type = Shape;
  static constexpr schedule plan = complex_fft::plan;
  static constexpr unsigned length = Shape::length;
  static constexpr unsigned elements_per_thread = Shape::elements_per_thread;
  static constexpr unsigned transforms = Shape::transforms;
  static constexpr unsigned threads = Shape::threads;
  static constexpr unsigned stride = threads;
  static constexpr unsigned registers = complex_fft::registers;
  /// The exchanges of the complex transform, and a trade for each pair of elements.
  static constexpr unsigned exchanges = complex_fft::exchanges + elements_per_thread / 2;
  static constexpr unsigned workgroup_threads = Shape::workgroup_threads;
  static constexpr unsigned rows = length / 2;
  static constexpr unsigned real_roots = 0;
  static constexpr unsigned table_entries = complex_fft::table_entries;
  static constexpr unsigned scratch_bytes =
      maximum<unsigned>(complex_fft::scratch_bytes, trade_type::scratch_bytes);
  using storage_type = storage<scratch_bytes>;
  using scratch_type = scratch<scratch_bytes>;

  /// Returns the bin that a row holds; row 0 holds bins 0 and L/2.
  WINGBEAT_FN static constexpr unsigned bin_of(unsigned row) {
    constexpr unsigned digits = log2_of(rows);
    return bits_reversed(row, digits);
  }

  /// Forward: load(i) is x[i] + i y[i]; store(row, X, Y) gets each row once.
  /// Callers, memory, scale: as fft::execute, with this type's `scratch_bytes`.
  template <class Team, class Load, class Store, class Scratch>
  WINGBEAT_FN static void execute(const Team& team, const Load& load, const Store& store,
                                  const Scratch& lent, WINGBEAT_GLOBAL const register_type* table) {
    constexpr bool is_scratch = contract::is_scratch<Scratch>::value;
    static_assert(is_scratch, "scratch is handed in as workgroup::scratch<Bytes>{local memory}");
    if constexpr (is_scratch) {
      static_assert(Scratch::size_bytes >= scratch_bytes,
                    "the scratch is too small: the transform needs two_real_fft::scratch_bytes");
      if constexpr (Dir == direction::forward) {
        forward(team, load, store, lent, table);
      } else {
        inverse(team, load, store, lent, table);
      }
    }
  }

  /// Registers can hold two spectra only in natural order.
  template <class Team, class Data, class Scratch>
  WINGBEAT_FN static void execute(const Team&, Data&&, const Scratch&,
                                  WINGBEAT_GLOBAL const register_type*) {
    static_assert(sizeof(Team) == 0,
                  "registers hold two spectra in natural order alone: name order::natural as the "
                  "last parameter of two_real_fft, or call execute(team, load, store, scratch, "
                  "table)");
  }

 private:
  using real = typename arithmetic_of<Real>::type;
  static constexpr unsigned e = elements_per_thread;

  template <class Team, class Load, class Store, class Scratch>
  WINGBEAT_FN static void forward(const Team& team, const Load& load, const Store& store,
                                  const Scratch& lent, WINGBEAT_GLOBAL const register_type* table) {
    constexpr bool loads = contract::is_load<Load, value_type>::value;
    constexpr bool stores = contract::is_row_store<Store, value_type>::value;
    static_assert(loads,
                  "load must be callable as load(unsigned i) const and return complex<Real>");
    static_assert(
        stores, "store must be callable as store(unsigned row, complex<Real> x, complex<Real> y)");
    if constexpr (loads && stores) {
      register_type z[e];
      WINGBEAT_UNROLL
      for (unsigned l = 0; l < e; ++l) {
        const value_type value = load(team.thread() + l * threads);
        z[l] = widen(value);
      }
      const reused_as<Scratch, reuse::at_once> freed{lent.address};
      complex_fft::execute(team, z, freed, table);
      WINGBEAT_UNROLL
      for (unsigned l = 0; l < e; l += 2) {
        const register_type opposite = mirror(team, z, l, lent);
        device::real::pair<real> both = device::real::unpack(z[l], opposite);
        if (l == 0 && team.thread() == 0) {
          both = {{z[0].re, z[1].re}, {z[0].im, z[1].im}};
        }
        store(team.thread() + l / 2 * threads, narrow<Real>(both.first), narrow<Real>(both.second));
      }
    }
  }

  /// Inverse: load(row) is the pair of X and Y of a row; store(i, z) gets L (x[i] + i y[i]).
  template <class Team, class Load, class Store, class Scratch>
  WINGBEAT_FN static void inverse(const Team& team, const Load& load, const Store& store,
                                  const Scratch& lent, WINGBEAT_GLOBAL const register_type* table) {
    constexpr bool loads = contract::is_load<Load, device::real::pair<Real>>::value;
    constexpr bool stores = contract::is_store<Store, value_type>::value;
    static_assert(loads,
                  "load must be callable as load(unsigned row) const and return a "
                  "real::pair<Real>: the row of x and that of y");
    static_assert(stores, "store must be callable as store(unsigned i, complex<Real> z) const");
    if constexpr (loads && stores) {
      register_type z[e];
      WINGBEAT_UNROLL
      for (unsigned l = 0; l < e; l += 2) {
        const device::real::pair<Real> row = load(team.thread() + l / 2 * threads);
        const register_type x = widen(row.first), y = widen(row.second);
        const auto both = device::real::pack(x, y);
        z[l] = both.first;
        z[l + 1] = both.second;  // the mirror of z[l], for the partner to take
        if (l == 0 && team.thread() == 0) {
          z[0] = {x.re, y.re};
          z[1] = {x.im, y.im};
        }
      }
      hand_over(team, z, reused_as<Scratch, reuse::at_once>{lent.address});
      complex_fft::execute(team, z, lent, table);
      WINGBEAT_UNROLL
      for (unsigned l = 0; l < e; ++l) {
        store(team.thread() + l * threads, narrow<Real>(z[l]));
      }
    }
  }

  /// Returns the mirror of z[l], l even, as mirror_trade does. Only the last trade leaves freeing
  /// scratch to the caller's barrier.
  template <class Team, class Scratch>
  WINGBEAT_FN static register_type mirror(const Team& team, const register_type (&z)[e], unsigned l,
                                          const Scratch& lent) {
    if (l + 2 < e)
      return trade_type::of(team, z, l, reused_as<Scratch, reuse::at_once>{lent.address});
    return trade_type::of(team, z, l, lent);
  }

  /// Moves the mirrors, computed beside their element l, to their places in nabla order: partners
  /// trade the odd element mirror_element(l). Thread 0's z[1] is Nyquist and stays.
  template <class Team, class Scratch>
  WINGBEAT_FN static void hand_over(const Team& team, register_type (&z)[e], const Scratch& lent) {
    register_type got[e / 2];
    WINGBEAT_UNROLL
    for (unsigned l = 0; l < e; l += 2) {
      const unsigned source = trade_type::map().mirror_thread(l, team.thread());
      got[l / 2] = trade_type::shuffle(team, z[l + 1], source, lent);
    }
    WINGBEAT_UNROLL
    for (unsigned l = 0; l < e; l += 2) z[trade_type::map().mirror_element(l)] = got[l / 2];
  }
};

/// The transform in natural order, between loads and stores or in registers.
template <class Shape, class Real, direction Dir, class Memory, twiddling Twiddles>
struct two_real_fft<Shape, Real, Dir, Memory, order::natural, Twiddles> {
  static_assert(Shape::length > 1, "a signal of one element is its own spectrum: 2 or more");
  using complex_fft = fft<Shape, Real, Dir, order::natural, Memory, Twiddles>;
  using value_type = typename complex_fft::value_type;
  using register_type = typename complex_fft::register_type;
  using shape_type = Shape;
  static constexpr schedule plan = complex_fft::plan;
  static constexpr unsigned length = Shape::length;
  static constexpr unsigned elements_per_thread = Shape::elements_per_thread;
  static constexpr unsigned transforms = Shape::transforms;
  static constexpr unsigned threads = Shape::threads;
  static constexpr unsigned stride = threads;
  static constexpr unsigned registers = complex_fft::registers;
  /// The exchanges of the complex transform, and one of half the elements.
  static constexpr unsigned exchanges = complex_fft::exchanges + (threads > 1 ? 1 : 0);
  static constexpr unsigned workgroup_threads = Shape::workgroup_threads;
  static constexpr unsigned rows = length / 2;
  static constexpr unsigned real_roots = 0;
  static constexpr unsigned table_entries = complex_fft::table_entries;
  /// Local memory of the complex transform; opposite bins are exchanged there, too.
  static constexpr unsigned scratch_bytes = opposite_trade<complex_fft, Memory>::scratch_bytes;
  using storage_type = storage<scratch_bytes>;
  using scratch_type = scratch<scratch_bytes>;

  /// Returns the bin that a row holds; row 0 holds bins 0 and L/2.
  WINGBEAT_FN static constexpr unsigned bin_of(unsigned row) { return row; }

  /// Forward: load(i) is x[i] + i y[i]; store(row, X, Y) gets each row once. Inverse: load(row) is
  /// the pair of X and Y of a row; store(i, z) gets L (x[i] + i y[i]).
  /// Callers, memory, scale: as fft::execute, with this type's `scratch_bytes`.
  template <class Team, class Load, class Store, class Scratch>
  WINGBEAT_FN static void execute(const Team& team, const Load& load, const Store& store,
                                  const Scratch& lent, WINGBEAT_GLOBAL const register_type* table) {
    register_type z[e];
    if constexpr (Dir == direction::forward) {
      constexpr bool loads = contract::is_load<Load, value_type>::value;
      constexpr bool stores = contract::is_row_store<Store, value_type>::value;
      static_assert(loads,
                    "load must be callable as load(unsigned i) const and return complex<Real>");
      static_assert(
          stores,
          "store must be callable as store(unsigned row, complex<Real> x, complex<Real> y)");
      if constexpr (loads && stores) {
        WINGBEAT_UNROLL
        for (unsigned r = 0; r < e; ++r) {
          const value_type value = load(team.thread() + r * threads);
          z[r] = widen(value);
        }
        execute(team, z, lent, table);
        WINGBEAT_UNROLL
        for (unsigned r = 0; r < pairs; ++r) {
          store(team.thread() + r * threads, narrow<Real>(z[r]), narrow<Real>(z[r + pairs]));
        }
      }
    } else {
      constexpr bool loads = contract::is_load<Load, device::real::pair<Real>>::value;
      constexpr bool stores = contract::is_store<Store, value_type>::value;
      static_assert(loads,
                    "load must be callable as load(unsigned row) const and return a "
                    "real::pair<Real>: the row of x and that of y");
      static_assert(stores, "store must be callable as store(unsigned i, complex<Real> z) const");
      if constexpr (loads && stores) {
        WINGBEAT_UNROLL
        for (unsigned r = 0; r < pairs; ++r) {
          const device::real::pair<Real> row = load(team.thread() + r * threads);
          z[r] = widen(row.first);
          z[r + pairs] = widen(row.second);
        }
        execute(team, z, lent, table);
        WINGBEAT_UNROLL
        for (unsigned r = 0; r < e; ++r) store(team.thread() + r * threads, narrow<Real>(z[r]));
      }
    }
  }

  /// Transforms registers: on the side of signals, x[r], r < E, is x[i] + i y[i] with
  /// i = team.thread() + r threads; on the other, with k = team.thread() + r threads and r < E/2,
  /// x[r] is row k of X and x[r + E/2] row k of Y. Callers, memory, scale: as above.
  template <class Team, class Data, class Scratch>
  WINGBEAT_FN static void execute(const Team& team, Data&& data, const Scratch& lent,
                                  WINGBEAT_GLOBAL const register_type* table) {
    static_assert(contract::is_same<typename Team::shape_type, Shape>::value,
                  "the team is of another shape than the transform");
    execute_on(team, data, lent, table);
  }

 private:
  using real = typename arithmetic_of<Real>::type;
  using opposites = opposite_trade<complex_fft, Memory>;
  static constexpr unsigned e = elements_per_thread;
  static constexpr unsigned pairs = opposites::pairs;
  static_assert(opposites::has_pairs,
                "opposite bins meet where each thread holds an even number of elements; choose an "
                "even number of elements per thread");

  template <class Team, class Data, class Scratch>
  WINGBEAT_FN static void execute_on(const Team& team, Data& data, const Scratch& lent,
                                     WINGBEAT_GLOBAL const register_type* table) {
    constexpr bool fits = contract::is_array<Data>::template holds<real, e>;
    static_assert(fits, "the registers must be register_type x[elements_per_thread]");
    constexpr bool is_scratch = contract::is_scratch<Scratch>::value;
    static_assert(is_scratch, "scratch is handed in as workgroup::scratch<Bytes>{local memory}");
    if constexpr (fits && is_scratch) {
      static_assert(Scratch::size_bytes >= scratch_bytes,
                    "the scratch is too small: the transform needs two_real_fft::scratch_bytes");
      constexpr bool is_provided = contract::is_provided<Scratch, scratch_bytes>::value;
      static_assert(is_provided,
                    "the kernel is launched with too little local memory: the transform needs "
                    "two_real_fft::scratch_bytes, which kernel_spec::scratch_bytes states");
      if constexpr (Dir == direction::forward) {
        forward(team, data, lent, table);
      } else {
        inverse(team, data, lent, table);
      }
    }
  }

  template <class Team, class Scratch>
  WINGBEAT_FN static void forward(const Team& team, register_type (&z)[e], const Scratch& lent,
                                  WINGBEAT_GLOBAL const register_type* table) {
    opposites::transform_and_free(team, z, lent, table);
    register_type other[pairs];
    opposites::gather_partners(team, z, other, lent);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < pairs; ++r) {
      device::real::pair<real> both = device::real::unpack(z[r], other[r]);
      if (r == 0 && team.thread() == 0) {  // bins 0 and L/2, each opposite to itself
        both = {{z[0].re, other[0].re}, {z[0].im, other[0].im}};
      }
      z[r] = both.first;
      z[r + pairs] = both.second;
    }
  }

  template <class Team, class Scratch>
  WINGBEAT_FN static void inverse(const Team& team, register_type (&z)[e], const Scratch& lent,
                                  WINGBEAT_GLOBAL const register_type* table) {
    register_type other[pairs];
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < pairs; ++r) {
      const register_type x = z[r], y = z[r + pairs];
      device::real::pair<real> both = device::real::pack(x, y);
      if (r == 0 && team.thread() == 0) both = {{x.re, y.re}, {x.im, y.im}};
      z[r] = both.first;
      other[r] = both.second;
    }
    opposites::return_partners(team, z, other, lent);
    complex_fft::execute(team, z, lent, table);
  }
};

}  // namespace wingbeat::device::workgroup
