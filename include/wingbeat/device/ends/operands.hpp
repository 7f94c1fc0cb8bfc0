// SPDX-License-Identifier: Apache-2.0
// The operands of a functor in each run, as the entry point receives them: memory with elements of
// a given size, and values of a given size. Each converts to its member of `operands`.
#pragma once

#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_GLOBAL, size
#include "wingbeat/device/workgroup/contract.hpp"  // some, void_t

namespace wingbeat::device::ends {

/// Memory that is read, from element `first` on; an element has `Bytes` bytes.
template <unsigned Bytes>
struct input_operand {
  WINGBEAT_GLOBAL const char* memory;
  size first = 0;
  template <class Element>
  WINGBEAT_FN operator WINGBEAT_GLOBAL const Element*() const {
    static_assert(sizeof(Element) == Bytes,
                  "a member of your functor's operands points to elements of another size than "
                  "kernel_parameter::input states");
    return reinterpret_cast<WINGBEAT_GLOBAL const Element*>(memory) + first;
  }
};

/// Memory that is written, and possibly read.
template <unsigned Bytes>
struct output_operand {
  WINGBEAT_GLOBAL char* memory;
  size first = 0;
  template <class Element>
  WINGBEAT_FN operator WINGBEAT_GLOBAL Element*() const {
    static_assert(sizeof(Element) == Bytes,
                  "a member of your functor's operands points to elements of another size than "
                  "kernel_parameter::output states");
    return reinterpret_cast<WINGBEAT_GLOBAL Element*>(memory) + first;
  }
};

/// A number or a plain struct by value, as a parameter of an entry point.
template <unsigned Bytes>
struct alignas(Bytes % 8 == 0   ? 8
               : Bytes % 4 == 0 ? 4
               : Bytes % 2 == 0 ? 2
                                : 1) value_bytes {
  unsigned char bytes[Bytes];
};

template <class T>
inline constexpr bool is_pointer = false;
template <class T>
inline constexpr bool is_pointer<T*> = true;

template <unsigned Bytes>
struct value_operand {
  value_bytes<Bytes> value;
  template <class Value>
  WINGBEAT_FN operator Value() const {
    static_assert(!is_pointer<Value>,
                  "a member of your functor's operands is a pointer and its entry is "
                  "kernel_parameter::value; state input or output");
    static_assert(sizeof(Value) == Bytes,
                  "a member of your functor's operands has another size than "
                  "kernel_parameter::value states");
    return __builtin_bit_cast(Value, value);
  }
};

/// The operands of a functor without any.
struct no_operands {};

/// Functor::operands; `no_operands` by default.
template <class Functor, class = void>
struct operands_of {
  using type = no_operands;
  static constexpr bool is_given = false;
};
template <class Functor>
struct operands_of<Functor, workgroup::contract::void_t<typename Functor::operands>> {
  using type = typename Functor::operands;
  static constexpr bool is_given = true;
};

/// Converts to any member, in unevaluated code.
struct any_operand {
  template <class T>
  WINGBEAT_FN operator T() const;
};

template <class...>
struct any_operands {};

/// Constructible with `Count` values of any type.
template <unsigned Count, class... Given>
struct any_operands_of : any_operands_of<Count - 1, any_operand, Given...> {};
template <class... Given>
struct any_operands_of<0, Given...> {
  using type = any_operands<Given...>;
};

template <class Operands, class Given, class = void>
inline constexpr bool is_made_of = false;
template <class Operands, class... Given>
inline constexpr bool is_made_of<
    Operands, any_operands<Given...>,
    workgroup::contract::void_t<decltype(Operands{workgroup::contract::some<Given>()...})>> = true;

/// Whether a struct has exactly `Count` members.
template <class Operands, unsigned Count>
inline constexpr bool has_members =
    is_made_of<Operands, typename any_operands_of<Count>::type> &&
    !is_made_of<Operands, typename any_operands_of<Count + 1>::type>;

}  // namespace wingbeat::device::ends
