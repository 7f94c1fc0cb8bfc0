// SPDX-License-Identifier: Apache-2.0
// What the ends of a pass call of a functor, and compile-time checks of it.
//
// A functor that is given as text has static functions, which are given first what it has: the
// buffer, its parameters, its operands, a row. One of device/functors is made of the same, by
// Functor::of_row(buffer, operands, row) of functors/fixed.hpp, and has members. Ends call members
// alone: `fused_given` makes a row of either. There are four groups of them:
//
// value   load(i) returns element i of the row, store(i, z) takes it. Loads read near element i, in
//         a buffer whose elements are counted row by row, unless in_order is false.
// row     What is done for a row at once, by members alone, each group where the functor has it;
//         the functions of `numbers` are static:
//           prefetch()              prefetches what the row is made of
//           held(numbers)           one thread may hold all elements of its buffer that are of a
//             hold(values)          row, so many, 0 if not: reads them
//             load_held(values, i)  returns element i, made of them
//           in_steps                whether elements i and M - i of bins 0 .. M are loaded in two
//             fetched(i)            steps: all of a thread's are fetched before the first is made
//             make_pair(i, z, mirrored)
//           line_length(numbers)    the row is lines of so many values
//             load_line(line, i)    returns value line * line_length + i
//           gathered(numbers)       the outputs that are made of each row, neighbours at
//                                   neighbours; 0: it stores elements
//             prepared(i, z)        returns what outputs are made of, of a complex element
//             output(t, value)      returns one, of all elements value(i) of the row
//             put(t, outputs)       stores those from number t on, at_once(numbers) of them
// keep    What is kept of values in place of storing each: a partial result of all of a thread's
//         (reduce.hpp), or of each value what it comes to over all rows (keep.hpp).
// bins    changed(k, bin) returns what bin k of the row becomes (bodies/diagonal_row.hpp).
#pragma once

#include "wingbeat/device/ends/operands.hpp"       // operands_of
#include "wingbeat/device/port.hpp"                // WINGBEAT_GLOBAL, size
#include "wingbeat/device/workgroup/contract.hpp"  // some, void_t

namespace wingbeat::device::ends {

using workgroup::contract::some;
using workgroup::contract::void_t;

/// Functor::element, or char where there is none.
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

/// Functor::parameters, or char where there are none.
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

/// Functor::in_order, or true.
template <class Functor, class = void>
inline constexpr bool is_in_order = true;
template <class Functor>
inline constexpr bool is_in_order<Functor, void_t<decltype(Functor::in_order)>> = Functor::in_order;

/// Whether a functor is made for a row.
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

/// What a functor's functions are given between its buffer and the numbers of an element.
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

/// The type of its partial results, or char where there are none: of one that is made for rows,
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
/// and of any.
template <class Functor, class = void>
struct partial_of : row_partial_of<Functor> {};
template <class Functor>
struct partial_of<Functor, void_t<typename Functor::partial>> {
  using type = typename Functor::partial;
  static constexpr bool is_given = true;
};

/// What it keeps of a value.
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
