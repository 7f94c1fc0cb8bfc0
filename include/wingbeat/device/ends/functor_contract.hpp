// SPDX-License-Identifier: Apache-2.0
// Compile-time checks of a functor given as text: which types and functions it has.
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

/// Whether Functor::load reads element i of row r, or near it, where the buffer's elements are
/// counted row by row: yes, unless Functor::in_order is false.
template <class Functor, class = void>
inline constexpr bool is_in_order = true;
template <class Functor>
inline constexpr bool is_in_order<Functor, void_t<decltype(Functor::in_order)>> = Functor::in_order;

/// Whether Functor::prefetch_row(in, row) prefetches what row r is made of, in whichever order.
template <class Functor, class = void>
inline constexpr bool prefetches_rows = false;
template <class Functor>
inline constexpr bool prefetches_rows<
    Functor,
    void_t<decltype(Functor::prefetch_row(
        static_cast<WINGBEAT_GLOBAL const typename Functor::element*>(nullptr), size{}))>> = true;

/// The same of Functor::prefetch_row(in, operands, row), whose rows are of several arrays.
template <class Functor, class = void>
inline constexpr bool prefetches_given_rows = false;
template <class Functor>
inline constexpr bool prefetches_given_rows<
    Functor, void_t<decltype(Functor::prefetch_row(
                 static_cast<WINGBEAT_GLOBAL const typename Functor::element*>(nullptr),
                 typename Functor::operands{}, size{}))>> = true;

/// How many elements of its buffer are all of a row that Functor::hold(in, .., row, values) reads
/// and Functor::load_held(.., row, values, i) makes elements of: 0, unless Functor::held() says so.
template <class Functor, class = void>
inline constexpr unsigned held_of = 0;
template <class Functor>
inline constexpr unsigned held_of<Functor, void_t<decltype(Functor::held())>> = Functor::held();

/// How many outputs a functor makes of each row, neighbours at neighbours t: 0, unless
/// Functor::gathered says so. Then Functor::output(.., row, t, value) returns one, of all elements
/// value(i) of the row, which are complex ones after prepared(.., row, i, value), and
/// put(out, .., row, t, outputs) stores those from number t on, Functor::at_once of them.
template <class Functor, class = void>
struct gathered_by {
  static constexpr size count = 0;
  static constexpr unsigned at_once = 1;
};
template <class Functor>
struct gathered_by<Functor, void_t<decltype(Functor::gathered)>> {
  static constexpr size count = Functor::gathered;
  static constexpr unsigned at_once = Functor::at_once;
};

/// The values of each line of a functor that also loads by lines: value i of line l of a row, its
/// value l * line_length + i, is load_line(in, .., row, l, i). 0: it does not.
template <class Functor, class = void>
inline constexpr size line_length_of = 0;
template <class Functor>
inline constexpr size line_length_of<Functor, void_t<decltype(Functor::line_length)>> =
    Functor::line_length;

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

/// Whether Functor::load can be called for its elements.
template <class Functor, class Given, class = void>
inline constexpr bool has_load = false;
template <class Functor, class... Given>
inline constexpr bool
    has_load<Functor, given<Given...>,
             void_t<decltype(Functor::load(some<in_of<Functor>>(), some<Given>()..., some<size>(),
                                           some<size>()))>> = true;

/// Whether Functor::store can be called with a Value for one of its elements.
template <class Functor, class Value, class Given, class = void>
inline constexpr bool has_store = false;
template <class Functor, class Value, class... Given>
inline constexpr bool
    has_store<Functor, Value, given<Given...>,
              void_t<decltype(Functor::store(some<out_of<Functor>>(), some<Given>()...,
                                             some<size>(), some<size>(), some<const Value>()))>> =
        true;

/// Functor::partial, or char where there is none.
template <class Functor, class = void>
struct partial_of {
  using type = char;
  static constexpr bool is_given = false;
};
template <class Functor>
struct partial_of<Functor, void_t<typename Functor::partial>> {
  using type = typename Functor::partial;
  static constexpr bool is_given = true;
};

/// Whether a functor can reduce: start(), add(sum, .., row, i, value), combine(sum, other) and
/// finish(out, .., row, sum).
template <class Functor, class Value, class Given, class = void>
inline constexpr bool can_reduce = false;
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
