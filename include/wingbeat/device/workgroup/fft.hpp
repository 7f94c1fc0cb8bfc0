// SPDX-License-Identifier: Apache-2.0
// The transform of one workgroup: described at compile time, called by every thread, fused with the
// caller's loads and stores. docs/device.md is a tutorial.
#pragma once

#include "wingbeat/device/complex.hpp"                  // complex
#include "wingbeat/device/direction.hpp"                // direction
#include "wingbeat/device/half.hpp"                     // widen, narrow
#include "wingbeat/device/index.hpp"                    // is_power_of_two
#include "wingbeat/device/order.hpp"                    // order
#include "wingbeat/device/port.hpp"                     // WINGBEAT_FN, WINGBEAT_GLOBAL
#include "wingbeat/device/workgroup/contract.hpp"       // is_load, is_store, has_get, has_set
#include "wingbeat/device/workgroup/estimate.hpp"       // registers_estimate, fused_workgroups_of
#include "wingbeat/device/workgroup/in_place.hpp"       // in_place
#include "wingbeat/device/workgroup/load_elements.hpp"  // load_elements
#include "wingbeat/device/workgroup/memory.hpp"         // memory, scratch, storage
#include "wingbeat/device/workgroup/scalar.hpp"         // arithmetic_of
#include "wingbeat/device/workgroup/schedule.hpp"       // schedule
#include "wingbeat/device/workgroup/stockham.hpp"       // stockham
#include "wingbeat/device/workgroup/team.hpp"           // shape, team

namespace wingbeat::device::workgroup {

/// Chooses the algorithm of an order. `IsInPlace`: elements keep their positions.
template <class Shape, class Real, direction Dir, order Order, class Memory, twiddling Twiddles,
          bool IsInPlace =
              Order != order::natural&& schedule{Order, Shape::length, Shape::elements_per_thread}
                           .is_possible()>
struct algorithm {
  using type = in_place<Shape, Real, Dir, Order, Memory, Twiddles>;
};
template <class Shape, class Real, direction Dir, order Order, class Memory, twiddling Twiddles>
struct algorithm<Shape, Real, Dir, Order, Memory, Twiddles, false> {
  using type = stockham<Shape, Real, Dir, Memory, Twiddles>;
};

/// A collective transform of Shape::length complex numbers.
///   Shape    length, elements per thread, transforms per workgroup: any length of primes up to 31
///            in natural order, powers of two in nabla order; in scrambled order the elements of a
///            thread have every prime factor of the number of threads
///   Real     float, double; half_float: stored in fp16, computed in fp32; half_pair: two
///            transforms in one set of registers, stored and computed in fp16
///   Dir      forward uses exp(-2 pi i jk/N), inverse exp(+2 pi i jk/N); neither scales
///   Order    of the spectrum: forward goes from natural order to it, inverse back from it
///   Memory   what an exchange moves at once, and the banks of local memory
///   Twiddles fused: fewer operations, for kernels that arithmetic binds; not in nabla order, and
///            in scrambled order of powers of two
template <class Shape, class Real, direction Dir, order Order = order::natural,
          class Memory = memory<>, twiddling Twiddles = twiddling::apart>
struct fft {
  static_assert(is_scalar<Real>::value, "Real is float, double, half_float or half_pair");
  static_assert(Order != order::nabla || is_power_of_two(Shape::length),
                "order::nabla is that of powers of two; choose order::scrambled or order::natural "
                "for any other length");
  static_assert(
      Order != order::scrambled || is_power_of_two(Shape::length) ||
          schedule{Order, Shape::length, Shape::elements_per_thread}.is_possible(),
      "order::scrambled needs elements per thread that are a radix (2 to 20, 23 to 25, 27 "
      "or 29 to 32) and have every prime factor of the number of threads; choose "
      "such elements, or order::natural");
  static_assert(Twiddles == twiddling::apart || Order == order::natural ||
                    (Order == order::scrambled && is_power_of_two(Shape::length)),
                "fused butterflies are for natural order, and scrambled order of powers of two; "
                "choose twiddling::apart for any other");
  static_assert(Order == order::nabla || Shape::elements_per_thread <= max_held,
                "a thread holds at most 32 elements; choose fewer elements per thread, or "
                "order::nabla with an accessor");
  static_assert(Order != order::nabla || Shape::threads >= subgroup_size ||
                    !is_power_of_two(Shape::length),
                "order::nabla needs at least one subgroup of threads for each transform; choose "
                "fewer elements per thread, a longer transform, or another order");

  using value_type = complex<Real>;  ///< The type loaded and stored.
  using register_type = complex<typename arithmetic_of<Real>::type>;  ///< The type of arithmetic.
  using shape_type = Shape;
  static constexpr direction dir = Dir;
  static constexpr order spectrum_order = Order;
  static constexpr schedule plan{Order, Shape::length, Shape::elements_per_thread, Twiddles, Dir};
  static constexpr unsigned length = Shape::length;
  static constexpr unsigned elements_per_thread = Shape::elements_per_thread;
  static constexpr unsigned transforms = Shape::transforms;
  static constexpr unsigned threads = Shape::threads;  ///< Per transform.
  static constexpr unsigned workgroup_threads = Shape::workgroup_threads;
  static constexpr unsigned stride = threads;  ///< Thread t holds elements t + l stride.
  static constexpr unsigned held = plan.held();
  static constexpr unsigned exchanges = plan.exchanges();
  /// Exchanges that a barrier of the workgroup completes; a subgroup's completes the others.
  static constexpr unsigned workgroup_exchanges = plan.exchanges_beyond(subgroup_size);
  /// Barriers of the workgroup that one transform passes, except the one that frees the scratch
  /// and, in `execute_between`, one more if an exchange follows the handing over. Teams of
  /// lanes::across_transforms pass `plan.barriers_beyond(0, ..)`, because none of their exchanges
  /// stay within a subgroup.
  static constexpr unsigned workgroup_barriers =
      plan.barriers_beyond(subgroup_size, Memory::trades == trade::halves);
  static constexpr unsigned table_entries = plan.table_entries();
  static constexpr unsigned real_roots = 0;  ///< Roots behind those of the stages; see real.hpp.

  using steps = typename algorithm<Shape, typename arithmetic_of<Real>::type, Dir, Order, Memory,
                                   Twiddles>::type;
  static constexpr unsigned scratch_bytes = exchanges == 0 ? 0 : steps::scratch_bytes;
  using storage_type = storage<scratch_bytes>;
  using scratch_type = scratch<scratch_bytes>;

  /// Registers of 32 bits a thread is likely to need; see `registers_estimate`.
  static constexpr unsigned registers = registers_estimate(
      plan.max_registers(), unsigned(sizeof(typename arithmetic_of<Real>::type)));

  /// The second argument of WINGBEAT_KERNEL_RESIDENT for a kernel that transforms, works on the
  /// spectrum in registers and transforms back, with room for `MoreRegisters` of the kernel's own
  /// in each thread. 20 suffice for guarded rows, padded loads and cropped stores.
  template <unsigned MoreRegisters>
  static constexpr unsigned fused_workgroups_with =
      fused_workgroups_of(workgroup_threads, plan.max_registers(),
                          unsigned(sizeof(typename arithmetic_of<Real>::type)), MoreRegisters);
  /// Without such room: the fastest measured
  /// (bench/lessons/workgroup.md#registers-decide-how-many-workgroups-overlap). If a thread holds 8
  /// elements or fewer, a compiler may spill some words.
  static constexpr unsigned fused_workgroups = fused_workgroups_with<0>;

  /// Transforms elements load(i) and hands them to store(i, value), i in [0, length). Thread t
  /// loads, then stores, the elements t + l threads.
  /// Callers: every thread of the workgroup.  Memory: at least `scratch_bytes` of scratch, free on
  /// entry and on return, unless `lent_until_barrier`; `table`: the `table_entries` roots that
  /// wingbeat/roots.hpp computes.  Order: natural on the samples' side, `Order` on the spectrum's.
  /// Scale: none.
  template <class Team, class Load, class Store, class Scratch>
  WINGBEAT_FN static void execute(const Team& team, const Load& load, const Store& store,
                                  const Scratch& lent, WINGBEAT_GLOBAL const register_type* table) {
    execute_padded<held>(team, load, store, lent, table);
  }

  /// Transforms elements; those from `Live` threads on are known at compile time to be zeros. They
  /// are not loaded. The first stage does not add them, except in inverse transforms of nabla and
  /// scrambled order.
  /// Callers, memory, order and scale: as above.
  template <unsigned Live, class Team, class Load, class Store, class Scratch>
  WINGBEAT_FN static void execute_padded(const Team& team, const Load& load, const Store& store,
                                         const Scratch& lent,
                                         WINGBEAT_GLOBAL const register_type* table) {
    static_assert(contract::is_same<typename Team::shape_type, Shape>::value,
                  "the team is of another shape than the transform");
    static_assert(is_live<Live>, "of a thread's elements 1 to elements_per_thread are live");
    constexpr bool loads = contract::is_load<Load, value_type>::value;
    constexpr bool stores = contract::is_store<Store, value_type>::value;
    static_assert(loads,
                  "load must be callable as load(unsigned i) const and return complex<Real>");
    static_assert(stores, "store must be callable as store(unsigned i, complex<Real> z) const");
    static_assert(elements_per_thread == held,
                  "more than 32 elements per thread travel through an accessor: call "
                  "execute(team, accessor, scratch, table)");
    if constexpr (loads && stores && elements_per_thread == held) {
      register_type x[held];
      load_elements<value_type, Live, threads>(load, team.thread(), x);
      run<Live>(team, x, lent, table);
      WINGBEAT_UNROLL
      for (unsigned l = 0; l < held; ++l) {
        store(team.thread() + l * threads, narrow<Real>(x[l]));
      }
    }
  }

  /// Transforms registers: x[l] is element team.thread() + l threads, before and after. Or, in
  /// place, transforms elements of the same numbers that an accessor gets and sets. In nabla order
  /// a thread may have more elements than it can hold, which then travel through the accessor.
  /// Callers, memory, order and scale: as above.
  template <class Team, class Data, class Scratch>
  WINGBEAT_FN static void execute(const Team& team, Data&& data, const Scratch& lent,
                                  WINGBEAT_GLOBAL const register_type* table) {
    static_assert(contract::is_same<typename Team::shape_type, Shape>::value,
                  "the team is of another shape than the transform");
    execute_on(team, data, lent, table);
  }

  /// Transforms registers; those from x[Live] on are zeros, known as above, and set here. Callers,
  /// memory, order and scale: as above.
  template <unsigned Live, class Team, class Scratch>
  WINGBEAT_FN static void execute_padded(const Team& team, register_type (&x)[held],
                                         const Scratch& lent,
                                         WINGBEAT_GLOBAL const register_type* table) {
    static_assert(contract::is_same<typename Team::shape_type, Shape>::value,
                  "the team is of another shape than the transform");
    static_assert(is_live<Live>, "of a thread's elements 1 to elements_per_thread are live");
    run<Live>(team, x, lent, table);
  }

  /// Transforms registers from the distribution of team `before` to that of team `after`: the first
  /// exchange redistributes them, so that, for example, neighbouring threads load neighbouring
  /// columns and store neighbours of one column, or the reverse. Requires natural order and more
  /// elements than a thread holds; the lanes of the two teams differ.
  /// Callers, memory and scale: as above.
  template <class Before, class After, class Scratch>
  WINGBEAT_FN static void execute_between(const Before& before, const After& after,
                                          register_type (&x)[held], const Scratch& lent,
                                          WINGBEAT_GLOBAL const register_type* table) {
    static_assert(contract::is_same<typename Before::shape_type, Shape>::value &&
                      contract::is_same<typename After::shape_type, Shape>::value,
                  "a team is of another shape than the transform");
    static_assert(Order == order::natural, "only transforms in natural order change teams");
    static_assert(Before::neighbours != After::neighbours,
                  "both teams have the same lanes: call execute(team, x, scratch, table), or give "
                  "one of them lanes::across_transforms");
    static_assert(exchanges > 0, "teams change at an exchange, and this transform has none");
    if constexpr (exchanges > 0 && scratch_suffices<Scratch>()) {
      steps::run(before, after, x, lent, table);
    }
  }

 private:
  template <class Scratch>
  WINGBEAT_FN static constexpr bool scratch_suffices() {
    constexpr bool is_scratch = contract::is_scratch<Scratch>::value;
    static_assert(is_scratch, "scratch is handed in as workgroup::scratch<Bytes>{local memory}");
    if constexpr (is_scratch) {
      static_assert(Scratch::size_bytes >= scratch_bytes,
                    "the scratch is too small: the transform needs fft::scratch_bytes");
      constexpr bool is_provided = contract::is_provided<Scratch, scratch_bytes>::value;
      static_assert(is_provided,
                    "the kernel is launched with too little local memory: the transform needs "
                    "fft::scratch_bytes, which kernel_spec::scratch_bytes states");
      return Scratch::size_bytes >= scratch_bytes;
    } else {
      return false;
    }
  }

  template <class Team, class Data, class Scratch>
  WINGBEAT_FN static void execute_on(const Team& team, Data& data, const Scratch& lent,
                                     WINGBEAT_GLOBAL const register_type* table) {
    using array = contract::is_array<Data>;
    if constexpr (array::value) {
      using real = typename arithmetic_of<Real>::type;
      constexpr bool fits = array::template holds<real, held> && elements_per_thread == held;
      static_assert(fits, "the registers must be register_type x[elements_per_thread], 32 at most");
      if constexpr (fits) run(team, data, lent, table);
    } else if constexpr (contract::is_any_array<Data>::value) {
      static_assert(array::value,
                    "the registers are numbers of another kind, as float2 or std::complex: declare "
                    "fft::register_type x[elements_per_thread] and copy real and imaginary parts");
    } else {
      constexpr bool gets = contract::has_get<Data, value_type>::value;
      constexpr bool sets = contract::has_set<Data, value_type>::value;
      static_assert(gets, "the accessor has no get(unsigned i, complex<Real>& z)");
      static_assert(sets, "the accessor has no set(unsigned i, complex<Real> z)");
      if constexpr (gets && sets) through_accessor(team, data, lent, table);
    }
  }

  template <unsigned Live>
  static constexpr bool is_live = Live >= 1 && Live <= held;

  template <unsigned Live = held, class Team, class Scratch>
  WINGBEAT_FN static void run(const Team& team, register_type (&x)[held], const Scratch& lent,
                              WINGBEAT_GLOBAL const register_type* table) {
    if constexpr (scratch_suffices<Scratch>()) steps::template run<Live>(team, x, lent, table);
  }

  template <class Team, class Accessor, class Scratch>
  WINGBEAT_FN static void through_accessor(const Team& team, Accessor& accessor,
                                           const Scratch& lent,
                                           WINGBEAT_GLOBAL const register_type* table) {
    constexpr unsigned blocks = elements_per_thread / held;
    constexpr bool travels = blocks > 1;
    static_assert(!travels || contract::has_memory_barrier<Accessor>::value,
                  "elements travel through this accessor, so it needs a memory_barrier()");
    if constexpr (!travels || contract::has_memory_barrier<Accessor>::value) {
      through_blocks<blocks>(team, accessor, lent, table);
    }
  }

  template <unsigned Blocks, class Team, class Accessor, class Scratch>
  WINGBEAT_FN static void through_blocks(const Team& team, Accessor& accessor, const Scratch& lent,
                                         WINGBEAT_GLOBAL const register_type* table) {
    constexpr bool travels = Blocks > 1;
    if constexpr (travels && Dir == direction::forward) pass_through(team, accessor, table);
    for (unsigned block = 0; block < Blocks; ++block) {
      const unsigned first = block * (held * threads) + team.thread();
      register_type x[held];
      WINGBEAT_UNROLL
      for (unsigned l = 0; l < held; ++l) {
        value_type z{};
        accessor.get(first + l * threads, z);
        x[l] = widen(z);
      }
      run(team, x, lent, table);
      // The first exchange of the next block writes entries that threads may still be reading.
      if constexpr (travels && Scratch::reused == reuse::after_barrier && exchanges > 0) {
        if (block + 1 < Blocks) team.workgroup_barrier();
      }
      WINGBEAT_UNROLL
      for (unsigned l = 0; l < held; ++l) {
        accessor.set(first + l * threads, narrow<Real>(x[l]));
      }
    }
    if constexpr (travels && Dir == direction::inverse) pass_through(team, accessor, table);
  }

  template <class Team, class Accessor>
  WINGBEAT_FN static void pass_through(const Team& team, Accessor& accessor,
                                       WINGBEAT_GLOBAL const register_type* table) {
    if constexpr (Dir == direction::inverse) accessor.memory_barrier();
    steps::template travel<Real>(team, accessor, table);
    if constexpr (Dir == direction::forward) accessor.memory_barrier();
  }
};

}  // namespace wingbeat::device::workgroup
