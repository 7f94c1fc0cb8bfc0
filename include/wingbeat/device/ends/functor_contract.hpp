// SPDX-License-Identifier: Apache-2.0
// The functions that the ends of a pass call on a functor, and compile-time checks of them.
//
// A functor given as text has static functions; their first arguments are its buffer, parameters,
// operands and a row. A functor of device/functors is constructed from these, by
// Functor::of_row(buffer, operands, row) of functors/fixed.hpp, and has members. Ends call only
// members: `fused_given` makes a row of either sort. There are four groups:
//
// value   load(i) returns element i of the row, store(i, z) takes it. Loads read near element i, in
//         a buffer whose elements are counted row by row, unless in_order is false.
// outputs Where a request states store.row_outputs, neighbouring threads make neighbouring outputs
//         of whole rows:
//           output(t, values)       returns output t of the row whose element i is values(i)
//           store(t, output)        takes it
//           prepared(i, z)          optional: returns complex element i as output() is to have it
//           is_across               optional: whether neighbouring threads make the same output of
//                                   neighbouring rows, because outputs differ in work
// row     Work on a row at once, for functors with members; each group is optional, and functions
//         of `numbers` are static:
//           prefetch()              prefetches the data of the row
//           held(numbers)           the elements of a row's buffer if one thread may hold them all;
//                                   0: it may not
//             hold(values)          reads them
//             load_held(values, i)  returns element i, made from them
//           in_steps                whether elements i and M - i of bins 0 .. M are loaded in two
//             fetched(i)            steps: a thread fetches all of its own before it makes one
//             make_pair(i, z, mirrored)
//           fills                   whether a thread loads all of its pairs of reals at once
//             fill<Count, Step>(i, z)  sets z[r] to elements 2 (i + r Step) and the one behind
//                                   it, r < Count
//           line_length(numbers)    the row is lines of this many values
//             load_line(line, i)    returns value line * line_length + i
//           gathered(numbers)       the number of outputs made from each row wherever a pass holds
//                                   it; 0: it stores elements
//             put(t, outputs)       stores at_once(numbers) outputs from number t on
// keep    What it keeps of values instead of storing each: a partial result per thread
//         (reduce.hpp), or a state per value over all rows (keep.hpp).
// bins    changed(k, bin) returns the changed bin k of the row (bodies/diagonal_row.hpp).
#pragma once

#include "wingbeat/device/ends/operands.hpp"       // operands_of
#include "wingbeat/device/port.hpp"                // WINGBEAT_GLOBAL, size
#include "wingbeat/device/workgroup/contract.hpp"  // some, void_t

namespace wingbeat::device::ends {

using workgroup::contract::some;
using workgroup::contract::void_t;

/// Functor::element; char if it has none.
template <class Functor, class = void>
struct element_of {
  using type = char;
  static constexpr bool is_given = false;
};
template <class Functor>
struct element_of<Functor, void_t<typename Functor::element>> {
  using type = typename Functor::element;
  static constexpr bool is_given = true;
};

/// Functor::parameters; char if it has none.
template <class Functor, class = void>
struct parameters_of {
  using type = char;
  static constexpr bool is_given = false;
};
template <class Functor>
struct parameters_of<Functor, void_t<typename Functor::parameters>> {
  using type = typename Functor::parameters;
  static constexpr bool is_given = true;
};

/// Functor::in_order; true by default.
template <class Functor, class = void>
inline constexpr bool is_in_order = true;
template <class Functor>
inline constexpr bool is_in_order<Functor, void_t<decltype(Functor::in_order)>> = Functor::in_order;

/// Whether a functor is constructed for a row.
template <class Functor, class = void>
inline constexpr bool is_made_for_rows = false;
template <class Functor>
inline constexpr bool is_made_for_rows<Functor, void_t<typename Functor::row_functor>> = true;

template <class Functor, class = void>
inline constexpr bool prefetches_rows = false;
template <class Functor>
inline constexpr bool prefetches_rows<
    Functor, void_t<decltype(some<const typename Functor::row_functor>().prefetch())>> = true;

template <class Functor, class = void>
inline constexpr unsigned held_of = 0;
template <class Functor>
inline constexpr unsigned
    held_of<Functor, void_t<decltype(Functor::row_functor::held(Functor::numbers()))>> =
        Functor::row_functor::held(Functor::numbers());

template <class Functor, class = void>
inline constexpr bool loads_in_steps = false;
template <class Functor>
inline constexpr bool loads_in_steps<Functor, void_t<typename Functor::row_functor>> =
    workgroup::contract::is_in_steps<typename Functor::row_functor>;

template <class Functor, class = void>
inline constexpr bool fills_pairs = false;
template <class Functor>
inline constexpr bool fills_pairs<Functor, void_t<decltype(Functor::row_functor::fills)>> =
    Functor::row_functor::fills;

template <class Functor, class = void>
inline constexpr size line_length_of = 0;
template <class Functor>
inline constexpr size line_length_of<
    Functor, void_t<decltype(Functor::row_functor::line_length(Functor::numbers()))>> =
    Functor::row_functor::line_length(Functor::numbers());

template <class Functor, class = void>
struct gathered_by {
  static constexpr size count = 0;
  static constexpr unsigned at_once = 1;
};
template <class Functor>
struct gathered_by<Functor, void_t<decltype(Functor::row_functor::gathered(Functor::numbers()))>> {
  static constexpr size count = Functor::row_functor::gathered(Functor::numbers());
  static constexpr unsigned at_once = Functor::row_functor::at_once(Functor::numbers());
};

template <class Functor, class = void>
inline constexpr bool row_gathers_across = false;
template <class Functor>
inline constexpr bool
    row_gathers_across<Functor, void_t<decltype(Functor::row_functor::is_across)>> =
        Functor::row_functor::is_across;
template <class Functor, class = void>
inline constexpr bool gathers_across = row_gathers_across<Functor>;
template <class Functor>
inline constexpr bool gathers_across<Functor, void_t<decltype(Functor::is_across)>> =
    Functor::is_across;

/// The arguments of a functor's functions between its buffer and an element's numbers.
template <class...>
struct given {};

template <class Functor, bool HasParameters, bool HasOperands>
struct given_to {
  using type = given<>;
};
template <class Functor>
struct given_to<Functor, true, false> {
  using type = given<WINGBEAT_GLOBAL const typename parameters_of<Functor>::type>;
};
template <class Functor>
struct given_to<Functor, false, true> {
  using type = given<typename operands_of<Functor>::type>;
};
template <class Functor>
struct given_to<Functor, true, true> {
  using type = given<WINGBEAT_GLOBAL const typename parameters_of<Functor>::type,
                     typename operands_of<Functor>::type>;
};

template <class Functor>
using in_of = WINGBEAT_GLOBAL const typename element_of<Functor>::type*;
template <class Functor>
using out_of = WINGBEAT_GLOBAL typename element_of<Functor>::type*;

/// Whether load can be called for its elements.
template <class Functor, class Given, class = void>
inline constexpr bool has_load = is_made_for_rows<Functor>;
template <class Functor, class... Given>
inline constexpr bool
    has_load<Functor, given<Given...>,
             void_t<decltype(Functor::load(some<in_of<Functor>>(), some<Given>()..., some<size>(),
                                           some<size>()))>> = true;

/// Whether store can be called with a Value for one of its elements.
template <class Functor, class Value, class Given, class = void>
inline constexpr bool has_store = is_made_for_rows<Functor>;
template <class Functor, class Value, class... Given>
inline constexpr bool
    has_store<Functor, Value, given<Given...>,
              void_t<decltype(Functor::store(some<out_of<Functor>>(), some<Given>()...,
                                             some<size>(), some<size>(), some<const Value>()))>> =
        true;

/// The elements of a row as output() takes them.
template <class Value>
struct any_row {
  WINGBEAT_FN Value operator()(unsigned i) const;
};

/// Whether output can be called with the elements of a row, and store with what it returns.
template <class Functor, class Value, class Given, class = void>
inline constexpr bool has_output = is_made_for_rows<Functor>;
template <class Functor, class Value, class... Given>
inline constexpr bool
    has_output<Functor, Value, given<Given...>,
               void_t<decltype(Functor::store(
                   some<out_of<Functor>>(), some<Given>()..., some<size>(), some<size>(),
                   Functor::output(some<const any_row<Value>>(), some<Given>()..., some<size>(),
                                   some<size>())))>> = true;

/// Whether it prepares elements for output.
template <class Functor, class Value, class Given, class = void>
inline constexpr bool prepares = is_made_for_rows<Functor>;
template <class Functor, class Value, class... Given>
inline constexpr bool
    prepares<Functor, Value, given<Given...>,
             void_t<decltype(Functor::prepared(some<const Value>(), some<Given>()..., some<size>(),
                                               some<size>()))>> = true;

/// The type of its partial results; char if it has none. First for functors constructed for a row,
template <class Functor, class = void>
struct row_partial_of {
  using type = char;
  static constexpr bool is_given = false;
};
template <class Functor>
struct row_partial_of<Functor, void_t<typename Functor::row_functor::memory::partial>> {
  using type = typename Functor::row_functor::memory::partial;
  static constexpr bool is_given = true;
};
/// then for any.
template <class Functor, class = void>
struct partial_of : row_partial_of<Functor> {};
template <class Functor>
struct partial_of<Functor, void_t<typename Functor::partial>> {
  using type = typename Functor::partial;
  static constexpr bool is_given = true;
};

/// The state that it keeps of a value.
template <class Functor, class = void>
struct kept_of {
  using type = typename Functor::kept;
};
template <class Functor>
struct kept_of<Functor, void_t<typename Functor::row_functor::kept>> {
  using type = typename Functor::row_functor::kept;
};

/// Whether a functor can reduce: see reduce.hpp.
template <class Functor, class Value, class Given, class = void>
inline constexpr bool can_reduce = is_made_for_rows<Functor>;
template <class Functor, class Value, class... Given>
inline constexpr bool can_reduce<
    Functor, Value, given<Given...>,
    void_t<decltype(Functor::start()),
           decltype(Functor::add(some<typename Functor::partial>(), some<Given>()..., some<size>(),
                                 some<size>(), some<const Value>())),
           decltype(Functor::combine(some<typename Functor::partial>(),
                                     some<const typename Functor::partial>())),
           decltype(Functor::finish(some<out_of<Functor>>(), some<Given>()..., some<size>(),
                                    some<const typename Functor::partial>()))>> = true;

}  // namespace wingbeat::device::ends
