// SPDX-License-Identifier: Apache-2.0
// Compile-time checks of the functors that callers give to a transform:
//     load      Value operator()(unsigned i) const          element i, i < length
//     store     void operator()(unsigned i, Value z) const  takes element i
//     accessor  void get(unsigned i, Value& z)              z becomes element i
//               void set(unsigned i, Value z)               element i becomes z
//               void memory_barrier()                       only if elements travel by it
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, launched_scratch_bytes

namespace wingbeat::device::workgroup::contract {

template <class...>
using void_t = void;

/// Returns a T& in unevaluated expressions.
template <class T>
WINGBEAT_FN T& some();

template <class T, class U>
struct is_same {
  static constexpr bool value = false;
};
template <class T>
struct is_same<T, T> {
  static constexpr bool value = true;
};

/// Takes anything that converts to a Value, as the caller of a store or the reader of a load does.
template <class Value>
WINGBEAT_FN void take(Value);

template <class Load, class Value, class = void>
struct is_load {
  static constexpr bool value = false;
};
template <class Load, class Value>
struct is_load<Load, Value, void_t<decltype(take<Value>(some<const Load>()(0u)))>> {
  static constexpr bool value = true;
};

/// Whether a load of bins 0 .. M has two steps (Load::in_steps): a thread calls fetched(i) for all
/// of its bins before the first make_pair(i, fetched i, fetched M - i).
template <class Load, class = void>
inline constexpr bool is_in_steps = false;
template <class Load>
inline constexpr bool is_in_steps<Load, void_t<decltype(Load::in_steps)>> = Load::in_steps;

/// Whether a load sets all elements of a thread at once (Load::fills): fill<Count, Step>(first, z)
/// sets z[r] to element first + r Step, r < Count.
template <class Load, class = void>
inline constexpr bool is_filling = false;
template <class Load>
inline constexpr bool is_filling<Load, void_t<decltype(Load::fills)>> = Load::fills;

template <class Store, class Value, class = void>
struct is_store {
  static constexpr bool value = false;
};
template <class Store, class Value>
struct is_store<Store, Value, void_t<decltype(some<const Store>()(0u, some<const Value>()))>> {
  static constexpr bool value = true;
};

template <class Store, class Value, class = void>
struct is_row_store {
  static constexpr bool value = false;
};
template <class Store, class Value>
struct is_row_store<
    Store, Value,
    void_t<decltype(some<const Store>()(0u, some<const Value>(), some<const Value>()))>> {
  static constexpr bool value = true;
};

template <class Accessor, class Value, class = void>
struct has_get {
  static constexpr bool value = false;
};
template <class Accessor, class Value>
struct has_get<Accessor, Value, void_t<decltype(some<Accessor>().get(0u, some<Value>()))>> {
  static constexpr bool value = true;
};

template <class Accessor, class Value, class = void>
struct has_set {
  static constexpr bool value = false;
};
template <class Accessor, class Value>
struct has_set<Accessor, Value, void_t<decltype(some<Accessor>().set(0u, some<const Value>()))>> {
  static constexpr bool value = true;
};

template <class Accessor, class = void>
struct has_memory_barrier {
  static constexpr bool value = false;
};
template <class Accessor>
struct has_memory_barrier<Accessor, void_t<decltype(some<Accessor>().memory_barrier())>> {
  static constexpr bool value = true;
};

/// An array of E complex numbers, in any address space that OpenCL deduces for it.
template <class Real, unsigned E>
struct array_of {};
template <class Real, unsigned E>
WINGBEAT_FN array_of<Real, E> array_type(complex<Real> (&)[E]);

/// Whether T is an array of complex numbers, and whether it has `E` numbers of `Real`.
template <class T, class = void>
struct is_array {
  static constexpr bool value = false;
  template <class Real, unsigned E>
  static constexpr bool holds = false;
};
template <class T>
struct is_array<T, void_t<decltype(array_type(some<T>()))>> {
  static constexpr bool value = true;
  template <class Real, unsigned E>
  static constexpr bool holds = is_same<decltype(array_type(some<T>())), array_of<Real, E>>::value;
};

/// Whether T is an array, of any elements.
template <class Element, unsigned E>
WINGBEAT_FN void take_array(Element (&)[E]);
template <class T, class = void>
struct is_any_array {
  static constexpr bool value = false;
};
template <class T>
struct is_any_array<T, void_t<decltype(take_array(some<T>()))>> {
  static constexpr bool value = true;
};

template <class T, class = void>
struct is_scratch {
  static constexpr bool value = false;
};
template <class T>
struct is_scratch<
    T, void_t<decltype(T::size_bytes), decltype(T::reused), decltype(some<T>().address)>> {
  static constexpr bool value = true;
};

/// Whether the launch, or the kernel itself, provides `Bytes` of local memory.
template <class Scratch, unsigned Bytes, class = void>
struct is_provided {
  static constexpr bool value = Bytes <= launched_scratch_bytes;
};
template <class Scratch, unsigned Bytes>
struct is_provided<Scratch, Bytes, void_t<decltype(Scratch::is_declared)>> {
  static constexpr bool value = true;
};

}  // namespace wingbeat::device::workgroup::contract
