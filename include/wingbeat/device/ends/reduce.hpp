// SPDX-License-Identifier: Apache-2.0
// The end of a pass that reduces values instead of storing them. Each thread adds its values to a
// partial result; a workgroup combines those of one lane, a butterfly of the pass, and finishes
// once per lane:
//
//     struct yours {
//       using element = unsigned;               // of the output buffer
//       struct partial { float sum; };          // plain data, a multiple of 4 bytes
//       WINGBEAT_FN static partial start();     // of no values
//       WINGBEAT_FN static void add(partial& sum, size row, size i, value z);
//       WINGBEAT_FN static void combine(partial& sum, partial other);
//       WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, size row, partial sum);
//     };
//
// Several threads may finish one row at the same time: each workgroup finishes its columns, and a
// row may take several butterflies. So finish adds to `out` by the atomic functions of atomic.hpp.
// Parameters and operands are arguments as in a store, in `add` after the partial result and in
// `finish` after `out`; see functor.hpp.
#pragma once

#include "wingbeat/device/complex.hpp"                // complex
#include "wingbeat/device/ends/functor.hpp"           // fused_given, row_of, spot_of
#include "wingbeat/device/ends/functor_contract.hpp"  // can_reduce, partial_of
#include "wingbeat/device/ends/row_parts.hpp"         // parts_of
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_LOCAL, size

namespace wingbeat::device::ends {

/// A store that adds values to its thread's partial result.
template <class Functor, class As>
class fused_reduce {
 public:
  using element = typename element_of<Functor>::type;
  using parameters = typename parameters_of<Functor>::type;
  using partial = typename partial_of<Functor>::type;
  using value = typename value_of<typename As::real, As::is_real>::type;
  static constexpr bool has_parts = As::has_parts, reduces = true, computes = true;
  static constexpr bool has_singles = As::has_singles;
  static constexpr size gathered = 0;

 private:
  using given = fused_given<Functor, As>;
  static_assert(partial_of<Functor>::is_given,
                "store.partial_bytes is not 0 and your store functor has no type named partial; "
                "declare struct partial in it, or let it store and leave partial_bytes out");
  static_assert(!store_types<Functor, As>::are_given || !partial_of<Functor>::is_given ||
                    can_reduce<Functor, value, typename given::list>,
                "your reducing store functor needs WINGBEAT_FN static partial start(), void "
                "add(partial&, row, i, value), void combine(partial&, partial) and void "
                "finish(out, row, partial), with parameters and operands after the first argument "
                "of add and finish where the plan has them");
  static_assert(sizeof(partial) % 4 == 0 || !partial_of<Functor>::is_given,
                "the partial result of your store functor is no multiple of 4 bytes; fill it up");

 public:
  template <class... Operands>
  WINGBEAT_FN fused_reduce(WINGBEAT_GLOBAL element* out, WINGBEAT_GLOBAL const char* blocks,
                           Operands... operands)
      : out_(out), given_(blocks, operands...), sum_(Functor::start()) {}

  /// Adds an element; see each_value.
  WINGBEAT_FN void put(size offset, size index, complex<typename As::real> z) const {
    if constexpr (As::has_parts) {
      put_re(offset, z.re);
      put_im(offset, z.im);
    } else {
      each_value<As>(offset, index, z, [&](size row, size i, value x) { add(row, i, x); });
    }
  }
  WINGBEAT_FN void put_re(size offset, value x) const { put_real(spot_of_real<As>(offset), 0, x); }
  WINGBEAT_FN void put_im(size offset, value x) const { put_re(offset + 1, x); }
  /// See fused_load.
  WINGBEAT_FN static spot real_at(size offset, size behind) {
    return spot_of_real<As>(offset, behind);
  }
  WINGBEAT_FN void put_real(spot first, size further, value x) const {
    add(first.row, first.i + further, x);
  }

  /// Combines the partial results of `threads` threads, of which this one is number `thread`, and
  /// finishes the row at a place, if there is one.
  /// Callers: every thread of the workgroup.  Memory: `entries` has a partial result per thread;
  /// other transforms have their own. Nobody else reads it any more.
  template <class Team>
  WINGBEAT_FN void finish(const Team& team, WINGBEAT_LOCAL unsigned* entries, unsigned thread,
                          unsigned threads, bool has_row, size offset) const {
    write(entries + thread * words, sum_);
    for (unsigned width = threads; width > 1;) {
      const unsigned rest = (width + 1) / 2;
      team.workgroup_barrier();
      if (thread + rest < width) {
        Functor::combine(sum_, read(entries + (thread + rest) * words));
        write(entries + thread * words, sum_);
      }
      width = rest;
    }
    if (thread != 0 || !has_row) return;
    given_.of_partial(sum_, parts().signal(row_of<As>(offset))).finish(out_);
  }
  static constexpr unsigned words = unsigned(sizeof(partial) / 4);

 private:
  struct as_words {
    unsigned word[words];
  };
  WINGBEAT_FN void add(size row, size i, value z) const {
    given_.of_partial(sum_, parts().signal(row)).store(parts().element(row, i), z);
  }
  WINGBEAT_FN static constexpr row_parts parts() { return parts_of<Functor>::get(); }
  WINGBEAT_FN static void write(WINGBEAT_LOCAL unsigned* entry, partial sum) {
    const as_words bits = __builtin_bit_cast(as_words, sum);
    for (unsigned w = 0; w < words; ++w) entry[w] = bits.word[w];
  }
  WINGBEAT_FN static partial read(WINGBEAT_LOCAL const unsigned* entry) {
    as_words bits;
    for (unsigned w = 0; w < words; ++w) bits.word[w] = entry[w];
    return __builtin_bit_cast(partial, bits);
  }

  WINGBEAT_GLOBAL element* out_;
  given given_;
  mutable partial sum_;  ///< This thread's; mutable, because passes store through const ends.
};

/// Combines the partial results of a body's threads. Body: thread_out() numbers the threads_of_lane
/// threads that store elements of one lane.
template <class Body, class Elements>
WINGBEAT_FN void finish_reduced(const Body& body, const Elements& elements) {
  const unsigned lane = body.lane_out();
  using store = typename Elements::access_type::store_type;
  const auto entries = reinterpret_cast<WINGBEAT_LOCAL unsigned*>(body.entries());
  body.team().workgroup_barrier();
  elements.target().finish(body.team(), entries + lane * (Body::threads_of_lane * store::words),
                           body.thread_out(), Body::threads_of_lane, elements.has(lane),
                           elements.first_kept(lane));
}

}  // namespace wingbeat::device::ends
