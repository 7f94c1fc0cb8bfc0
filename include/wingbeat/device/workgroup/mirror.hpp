// SPDX-License-Identifier: Apache-2.0
// Mirror trading: in nabla order, thread t gets the elements of the frequencies opposite to its
// own. For one l, every thread trades with one partner and sends it the same register; nabla.hpp
// has the formulas, docs/maths.md the proof.
#pragma once

#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/index.hpp"               // log2_of
#include "wingbeat/device/nabla.hpp"               // index_map
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN
#include "wingbeat/device/workgroup/contract.hpp"  // is_same
#include "wingbeat/device/workgroup/fft.hpp"       // fft, reuse

namespace wingbeat::device::workgroup {

/// Trades of a transform `Fft` in nabla order that holds its elements in registers.
template <class Fft>
struct mirror_trade {
  static_assert(Fft::spectrum_order == order::nabla && Fft::elements_per_thread == Fft::held,
                "mirrors are traded in nabla order, between elements held in registers");
  using register_type = typename Fft::register_type;
  using real = decltype(register_type{}.re);
  static constexpr unsigned e = Fft::elements_per_thread;

  /// Returns the map between elements, frequencies and mirrors.
  WINGBEAT_FN static constexpr nabla::index_map map() {
    constexpr unsigned elements_log2 = log2_of(e), threads_log2 = log2_of(Fft::threads);
    return {elements_log2, threads_log2};
  }

  /// Bytes of local memory that a trade of one element of each thread borrows.
  static constexpr unsigned scratch_bytes =
      Fft::workgroup_threads * unsigned(sizeof(register_type));
  using storage_type = storage<scratch_bytes>;
  using scratch_type = scratch<scratch_bytes>;

  /// Returns the element whose frequency is opposite to that of x[l]; for Zero and Nyquist, which
  /// are thread 0's x[0] and x[1], the element itself. `l` is the same in all threads.
  /// Callers: every thread of the workgroup.  Memory: `scratch_bytes`, free on entry and on return,
  /// unless `lent_until_barrier`.  Cost: one barrier, or two.
  template <class Team, class Registers, class Scratch>
  WINGBEAT_FN static register_type of(const Team& team, const Registers& x, unsigned l,
                                      const Scratch& scratch) {
    constexpr bool fits = contract::is_array<Registers>::template holds<real, e>;
    static_assert(fits, "the registers must be register_type x[elements_per_thread]");
    register_type got{};
    if constexpr (fits) {
      got =
          shuffle(team, x[map().mirror_element(l)], map().mirror_thread(l, team.thread()), scratch);
      if (l < 2 && team.thread() == 0) got = x[l];
    }
    return got;
  }

  /// Returns the z of thread `source` of this thread's transform: a shuffle of the workgroup.
  /// Callers, memory, cost: as above.
  template <class Team, class Scratch>
  WINGBEAT_FN static register_type shuffle(const Team& team, register_type z, unsigned source,
                                           const Scratch& scratch) {
    static_assert(contract::is_same<typename Team::shape_type, typename Fft::shape_type>::value,
                  "the team is of another shape than the transform");
    constexpr bool is_scratch = contract::is_scratch<Scratch>::value;
    static_assert(is_scratch, "scratch is handed in as workgroup::scratch<Bytes>{local memory}");
    register_type got{};
    if constexpr (is_scratch) {
      static_assert(Scratch::size_bytes >= scratch_bytes,
                    "the scratch is too small: a trade needs mirror_trade::scratch_bytes");
      constexpr bool is_provided = contract::is_provided<Scratch, scratch_bytes>::value;
      static_assert(is_provided,
                    "the kernel is launched with too little local memory: a trade needs "
                    "mirror_trade::scratch_bytes, which kernel_spec::scratch_bytes states");
      const auto slot = reinterpret_cast<WINGBEAT_LOCAL register_type*>(scratch.address) +
                        team.transform() * Fft::threads;
      slot[team.thread()] = z;
      team.barrier();
      got = slot[source];
      if constexpr (Scratch::reused == reuse::at_once) team.workgroup_barrier();
    }
    return got;
  }
};

}  // namespace wingbeat::device::workgroup
