// SPDX-License-Identifier: Apache-2.0
// What a plan asks of a functor given as text, answered at compile time: has it its parts or not.
#pragma once

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

/// Does Functor::load read element i of row r, or near it, where the buffer's elements are counted
/// row by row: yes, unless Functor::in_order says no.
template <class Functor, class = void>
inline constexpr bool is_in_order = true;
template <class Functor>
inline constexpr bool is_in_order<Functor, void_t<decltype(Functor::in_order)>> = Functor::in_order;

/// Can Functor::load be called for its elements, with its parameters or without.
template <class Functor, bool HasParameters, class = void>
inline constexpr bool has_load = false;
template <class Functor>
inline constexpr bool has_load<
    Functor, false,
    void_t<decltype(Functor::load(some<WINGBEAT_GLOBAL const typename element_of<Functor>::type*>(),
                                  some<size>(), some<size>()))>> = true;
template <class Functor>
inline constexpr bool
    has_load<Functor, true,
             void_t<decltype(Functor::load(
                 some<WINGBEAT_GLOBAL const typename element_of<Functor>::type*>(),
                 *some<WINGBEAT_GLOBAL const typename parameters_of<Functor>::type*>(),
                 some<size>(), some<size>()))>> = true;

/// Can Functor::store be called with a Value for one of its elements.
template <class Functor, class Value, bool HasParameters, class = void>
inline constexpr bool has_store = false;
template <class Functor, class Value>
inline constexpr bool has_store<
    Functor, Value, false,
    void_t<decltype(Functor::store(some<WINGBEAT_GLOBAL typename element_of<Functor>::type*>(),
                                   some<size>(), some<size>(), some<const Value>()))>> = true;
template <class Functor, class Value>
inline constexpr bool
    has_store<Functor, Value, true,
              void_t<decltype(Functor::store(
                  some<WINGBEAT_GLOBAL typename element_of<Functor>::type*>(),
                  *some<WINGBEAT_GLOBAL const typename parameters_of<Functor>::type*>(),
                  some<size>(), some<size>(), some<const Value>()))>> = true;

}  // namespace wingbeat::device::ends
