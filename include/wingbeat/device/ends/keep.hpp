// SPDX-License-Identifier: Apache-2.0
// The end of a pass that keeps a state per value instead of storing values. A workgroup takes the
// same butterflies in all rows of the batch, one row after another, and accesses the output only
// before and after. Local memory holds the state of each value for the thread that has that value
// in every row; the first members may be in that thread's registers instead:
//
//     struct yours {
//       using element = float;                         // of the output buffer
//       struct kept { float sum; };                    // plain data
//       template <class Kept, class Visit>             // members of 1, 2, 4, 8 bytes, larger first
//       WINGBEAT_FN static void each_member(Kept& state, Visit visit) { visit(state.sum); }
//       WINGBEAT_FN static kept started(WINGBEAT_GLOBAL element* out, size row, size i);
//       WINGBEAT_FN static bool changes(const kept& state, WINGBEAT_GLOBAL element* out, size row,
//                                       size i, float value);  // whether keep changes a member
//       WINGBEAT_FN static void keep(kept& state, WINGBEAT_GLOBAL element* out, size row, size i,
//                                    float value);
//       WINGBEAT_FN static element before(WINGBEAT_GLOBAL element* out, size row, size i);
//       WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, size row, size i, kept state,
//                                      element before);
//     };
//
// `started`, `before` and `finish` are called with the first row; `before` returns what `finish`
// needs of the output, for all elements of a thread first, so that none waits for another.
// Parameters and operands stand behind `out`; see functor.hpp. Values are real numbers.
#pragma once

#include "wingbeat/device/complex.hpp"         // complex
#include "wingbeat/device/ends/functor.hpp"    // fused_given, store_types
#include "wingbeat/device/ends/row_parts.hpp"  // parts_of
#include "wingbeat/device/grid/numbers.hpp"    // pass_numbers, tile_shape
#include "wingbeat/device/index.hpp"           // assume, is_power_of_two
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, WINGBEAT_GLOBAL, WINGBEAT_LOCAL, size

namespace wingbeat::device::ends {

/// A store that keeps states of values.
template <class Functor, class As>
class fused_keep {
 public:
  using functor = Functor;
  using element = typename element_of<Functor>::type;
  using parameters = typename parameters_of<Functor>::type;
  using kept = typename kept_of<Functor>::type;
  using value = typename As::real;
  static_assert(As::is_real, "a functor keeps what it makes of real numbers");
  static_assert(store_types<Functor, As>::are_given, "a functor that keeps may also store");
  static constexpr bool has_parts = As::has_parts, reduces = false, computes = true;
  static constexpr bool has_singles = As::has_singles;
  static constexpr size gathered = 0;

  template <class... Operands>
  WINGBEAT_FN fused_keep(WINGBEAT_GLOBAL element* out, WINGBEAT_GLOBAL const char* blocks,
                         Operands... operands)
      : out_(out), given_(blocks, operands...) {}

  /// Returns the spot of the real at place `offset`.
  WINGBEAT_FN static spot spot_at(size offset) {
    return {offset / As::length, offset % As::length * (As::has_pairs ? 2 : 1)};
  }

  WINGBEAT_FN kept started(size row, size i) const {
    return of_row(row).started(parts().element(row, i));
  }
  WINGBEAT_FN bool changes(const kept& state, size row, size i, value x) const {
    return of_row(row).changes(state, parts().element(row, i), x);
  }
  WINGBEAT_FN void keep(kept& state, size row, size i, value x) const {
    of_row(row).keep(state, parts().element(row, i), x);
  }
  WINGBEAT_FN element before(size row, size i) const {
    return of_row(row).before(parts().element(row, i));
  }
  WINGBEAT_FN void finish(size row, size i, const kept& state, element found) const {
    of_row(row).finish(parts().element(row, i), state, found);
  }

 private:
  WINGBEAT_FN static constexpr row_parts parts() { return parts_of<Functor>::get(); }
  WINGBEAT_FN auto of_row(size row) const { return given_.of_row(out_, parts().signal(row)); }

  WINGBEAT_GLOBAL element* out_;
  fused_given<Functor, As> given_;
};

/// The states of `Count` values in local memory, as arrays of members; except the first members, of
/// `HeldBytes`, which are in registers.
template <class Functor, unsigned Count, unsigned HeldBytes>
class kept_memory {
 public:
  using kept = typename kept_of<Functor>::type;
  WINGBEAT_FN explicit kept_memory(WINGBEAT_LOCAL char* address) : address_(address) {}

  WINGBEAT_FN void get(size slot, kept& state) const {
    Functor::each_member(state, reader{{address_, slot}});
  }
  WINGBEAT_FN void put(size slot, kept state) const {
    Functor::each_member(state, writer{{address_, slot}});
  }

 private:
  // Structs are called, because NVRTC takes a lambda with a parameter of any type for host code.
  struct members {
    WINGBEAT_LOCAL char* address;
    size slot;
    unsigned passed = 0;  ///< Bytes of the members before.

    /// Returns whether the next member is in registers. (By value, because references have an
    /// address space.)
    template <class Member>
    WINGBEAT_FN bool is_held(Member) {
      static_assert(is_power_of_two(sizeof(Member)) && sizeof(Member) <= 8,
                    "members of kept have 1, 2, 4 or 8 bytes, larger ones first");
      passed += sizeof(Member);
      return passed <= HeldBytes;
    }
    /// Returns the array of the next member in local memory.
    template <class Member>
    WINGBEAT_FN WINGBEAT_LOCAL Member* next(Member) {
      const auto first = reinterpret_cast<WINGBEAT_LOCAL Member*>(address);
      address += Count * sizeof(Member);
      return first;
    }
  };
  struct reader : members {
    template <class Member>
    WINGBEAT_FN void operator()(Member& member) {
      if (!this->is_held(member)) member = this->next(member)[this->slot];
    }
  };
  struct writer : members {
    template <class Member>
    WINGBEAT_FN void operator()(const Member& member) {
      if (!this->is_held(member)) this->next(member)[this->slot] = member;
    }
  };

  WINGBEAT_LOCAL char* address_;
};

/// The elements of one row, and the states in a thread's registers over all rows.
template <class Elements, unsigned E>
class kept_elements : public Elements {
 public:
  using kept = typename Elements::access_type::store_type::kept;
  using held_type = kept[E][2];

  WINGBEAT_FN kept_elements(const Elements& row, held_type& held) : Elements(row), held_(held) {}
  WINGBEAT_FN held_type& held() const { return held_; }

 private:
  held_type& held_;
};

/// The states of a pass's reals, in local memory and in registers.
template <class Body, class Elements>
class kept_reals {
  WINGBEAT_FN static constexpr grid::pass_numbers numbers() { return Elements::policy::numbers(); }
  WINGBEAT_FN static constexpr grid::tile_shape shape() { return numbers().shape; }
  static constexpr unsigned parts = Elements::writes_reals ? 1 : 2,
                            n_elements = shape().kept * shape().lanes;
  using store = typename Elements::access_type::store_type;
  using kept = typename store::kept;
  using memory = kept_memory<typename store::functor, parts * n_elements, shape().held_bytes>;

 public:
  using element = typename store::element;

  WINGBEAT_FN kept_reals(const Body& body, const Elements& tile, unsigned lane)
      : tile_(tile),
        memory_(reinterpret_cast<WINGBEAT_LOCAL char*>(body.entries()) + kept_at()),
        lane_(lane),
        thread_(body.thread_out()),
        first_(store::spot_at(tile.first_kept(tile.existing(lane)))) {
    assume(body.team().thread() < Body::threads_of_lane);  // so that few elements are compared
  }

  /// Element q of the lane.
  WINGBEAT_FN void start(unsigned q) const {
    each(q, [&](size slot, size i, unsigned part) {
      put(q, part, slot, tile_.target().started(first_.row, i));
    });
  }
  template <class Complex>
  WINGBEAT_FN void keep(unsigned q, Complex z) const {
    each(q, [&](size slot, size i, unsigned part) {
      kept state = get(q, part, slot);
      const auto x = part == 0 ? z.re : z.im;
      if (!tile_.target().changes(state, first_.row, i, x)) return;
      tile_.target().keep(state, first_.row, i, x);
      put(q, part, slot, state);
    });
  }
  WINGBEAT_FN void read_before(unsigned q, element (&found)[2]) const {
    each(q, [&](unsigned, size i, unsigned part) {
      found[part] = tile_.target().before(first_.row, i);
    });
  }
  WINGBEAT_FN void finish(unsigned q, const element (&found)[2]) const {
    each(q, [&](size slot, size i, unsigned part) {
      tile_.target().finish(first_.row, i, get(q, part, slot), found[part]);
    });
  }

 private:
  WINGBEAT_FN static constexpr unsigned kept_at() { return shape().kept_at(); }

  /// Returns which of its thread's elements q is: a constant, once loops are unrolled.
  WINGBEAT_FN unsigned number_of(unsigned q) const { return (q - thread_) / Body::threads_of_lane; }

  WINGBEAT_FN kept get(unsigned q, unsigned part, size slot) const {
    kept state{};
    if constexpr (shape().held_bytes > 0) state = tile_.held()[number_of(q)][part];
    memory_.get(slot, state);
    return state;
  }
  WINGBEAT_FN void put(unsigned q, unsigned part, size slot, const kept& state) const {
    if constexpr (shape().held_bytes > 0) tile_.held()[number_of(q)][part] = state;
    memory_.put(slot, state);
  }

  /// Calls call(slot, i, part) for the reals of element q that are wanted.
  template <class Call>
  WINGBEAT_FN void each(unsigned q, const Call& call) const {
    constexpr auto begin = unsigned(numbers().out.valid_begin),
                   end = unsigned(numbers().out.valid_end);
    constexpr bool is_limited = numbers().out.is_limited;
    // 64 bits, because a thread's slots are then a constant apart, which compilers fold.
    constexpr size apart = shape().lanes_across ? shape().lanes : 1;
    const size first = shape().lanes_across ? lane_ : lane_ * shape().kept;
    const size slot = first + thread_ * apart + number_of(q) * (Body::threads_of_lane * apart);
    WINGBEAT_UNROLL
    for (unsigned part = 0; part < parts; ++part) {
      const unsigned i = q * parts + part - begin;
      if (!is_limited || i < end - begin) call(slot + part * n_elements, first_.i + i, part);
    }
  }

  const Elements& tile_;
  memory memory_;
  unsigned lane_, thread_;
  spot first_;  ///< The first real that is kept.
};

/// Keeps z, element q of a lane. A lane without a butterfly keeps too, which saves a branch per
/// element, but is never finished.
template <class Body, class Elements, class Complex>
WINGBEAT_FN void keep(const Body& body, const Elements& tile, unsigned lane, unsigned q,
                      Complex z) {
  kept_reals<Body, Elements>{body, tile, lane}.keep(q, z);
}

/// Starts the states of a tile's elements from the output.
template <class Body, class Elements>
WINGBEAT_FN void start_kept(const Body& body, const Elements& tile) {
  const unsigned lane = body.lane_out();
  if (!tile.has(lane)) return;
  const kept_reals<Body, Elements> reals(body, tile, lane);
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < Body::elements_per_thread; ++r) reals.start(body.number_out(r));
}

/// Writes the states of a tile's elements to the output.
template <class Body, class Elements>
WINGBEAT_FN void finish_kept(const Body& body, const Elements& tile) {
  const unsigned lane = body.lane_out();
  if (!tile.has(lane)) return;
  const kept_reals<Body, Elements> reals(body, tile, lane);
  typename kept_reals<Body, Elements>::element found[Body::elements_per_thread][2];
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < Body::elements_per_thread; ++r) {
    reals.read_before(body.number_out(r), found[r]);
  }
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < Body::elements_per_thread; ++r) {
    reals.finish(body.number_out(r), found[r]);
  }
}

}  // namespace wingbeat::device::ends
