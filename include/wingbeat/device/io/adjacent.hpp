// SPDX-License-Identifier: Apache-2.0
// Accesses adjacent numbers of device memory at once if alignment allows.
#pragma once

#include "wingbeat/device/complex.hpp"       // complex, copied_from
#include "wingbeat/device/io/read_only.hpp"  // is_read_only
#include "wingbeat/device/port.hpp"          // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::io {

/// Values side by side, aligned as one: 16 bytes is the most a thread moves in one access.
template <class Value, unsigned Count>
struct alignas(Count * sizeof(Value)) adjacent {
  static_assert(Count != 0 && (Count & (Count - 1)) == 0 && Count * sizeof(Value) <= 16,
                "adjacent values are a power of two of them, 16 bytes at most");
  Value value[Count];
};

/// Returns `Whole` as it lies at `source`.  Memory: its bytes; `source` is aligned for it.
template <class Whole, class Number>
WINGBEAT_FN Whole load_whole(WINGBEAT_GLOBAL const Number* source) {
#if defined(__OPENCL_CPP_VERSION__) || defined(__CUDA_ARCH__)
  return *reinterpret_cast<WINGBEAT_GLOBAL const Whole*>(source);
#else  // copies, because of the host's aliasing rules
  Whole whole;
  __builtin_memcpy(&whole, source, sizeof whole);
  return whole;
#endif
}

/// Returns *address, which nothing writes while the kernel runs, so compilers may move the load
/// before earlier stores.
template <class Real>
WINGBEAT_FN complex<Real> load_constant(WINGBEAT_GLOBAL const complex<Real>* address) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Real) == sizeof(float)) {
    return __builtin_bit_cast(complex<Real>, __ldg(reinterpret_cast<const float2*>(address)));
  } else {
    return __builtin_bit_cast(complex<Real>, __ldg(reinterpret_cast<const double2*>(address)));
  }
#else
  return copied_from(address);
#endif
}

/// Stores `whole` at `target`.  Memory: its bytes; `target` is aligned for it.
template <class Whole, class Number>
WINGBEAT_FN void store_whole(WINGBEAT_GLOBAL Number* target, Whole whole) {
#if defined(__OPENCL_CPP_VERSION__) || defined(__CUDA_ARCH__)
  *reinterpret_cast<WINGBEAT_GLOBAL Whole*>(target) = whole;
#else
  __builtin_memcpy(static_cast<void*>(target), &whole, sizeof whole);
#endif
}

/// Copies address[first] .. address[first + Count - 1] to x in one access, for threads that hold
/// neighbouring elements, as in copies and products:
///     complex<float> x[2];       io::load_adjacent(in, 2 * thread, x);  // 16 bytes
///     complex<half_float> x[4];  io::load_adjacent(in, 4 * thread, x);  // 16 bytes
/// A transform's threads hold elements apart, which neighbouring threads load side by side.
/// Memory: those elements; address + first is aligned to Count of them.  Guard: none.
template <class Value, class Held, unsigned Count>  // Held: Value, as OpenCL deduces it
WINGBEAT_FN void load_adjacent(WINGBEAT_GLOBAL const Value* address, size first, Held (&x)[Count]) {
  const auto values = load_whole<adjacent<Value, Count>>(address + first);
  WINGBEAT_UNROLL
  for (unsigned j = 0; j < Count; ++j) x[j] = values.value[j];
}

/// Copies x to address[first] .. address[first + Count - 1], with the same requirements.
template <class Value, class Held, unsigned Count>
WINGBEAT_FN void store_adjacent(WINGBEAT_GLOBAL Value* address, size first,
                                const Held (&x)[Count]) {
  adjacent<Value, Count> values;
  WINGBEAT_UNROLL
  for (unsigned j = 0; j < Count; ++j) values.value[j] = x[j];
  store_whole(address + first, values);
}

template <class Number>
struct without_const {
  using type = Number;
};
template <class Number>
struct without_const<const Number> {
  using type = Number;
};

/// A load and, unless the reals are const, a store, in one access: element i is
/// address[2i] + i address[2i + 1]. The same bytes as `packed{contiguous{address}}`, which requires
/// no alignment.
/// Memory: address[2i] and address[2i + 1]; `address` is aligned to two reals.  Guard: none.
template <class Number>
struct adjacent_pairs {
  using real = typename without_const<Number>::type;

  WINGBEAT_GLOBAL Number* address;

  WINGBEAT_FN complex<real> operator()(unsigned i) const {
    return load_whole<complex<real>>(address + size{2} * i);
  }
  WINGBEAT_FN void operator()(unsigned i, complex<real> z) const {
    static_assert(!is_read_only<decltype(address[i])>,
                  "nothing can be stored through a pointer to const; give the store a pointer to "
                  "elements that are not const");
    store_whole(address + size{2} * i, z);
  }
};
template <class Number>
adjacent_pairs(WINGBEAT_GLOBAL Number*) -> adjacent_pairs<Number>;

}  // namespace wingbeat::device::io
