// SPDX-License-Identifier: Apache-2.0
// Atomic sums and maxima in device memory that threads of all workgroups share, and atomic sums in
// local memory, in every dialect. Updates are relaxed: they order no other access. Elements are
// aligned to their size.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_GLOBAL, WINGBEAT_LOCAL, size

namespace wingbeat::device {

/// The dialect's atomics on integers of 32 and 64 bits. OpenCL: those of version 1.2,
/// cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics.
namespace atomics {

template <unsigned Bytes>
struct integers_of;
template <>
struct integers_of<4> {
  using signed_type = int;
  using unsigned_type = unsigned;
};
template <>
struct integers_of<8> {
#if defined(__OPENCL_CPP_VERSION__)
  using signed_type = long;
  using unsigned_type = unsigned long;
#else
  using signed_type = long long;
  using unsigned_type = unsigned long long;
#endif
};

template <class Number>
using signed_of = typename integers_of<sizeof(Number)>::signed_type;
template <class Number>
using unsigned_of = typename integers_of<sizeof(Number)>::unsigned_type;

/// T in a context that deduces nothing, so that a value converts to the elements' type.
template <class T>
struct same {
  using type = T;
};

template <class T, class... Others>
inline constexpr bool is_any_of = false;
template <class T, class First, class... Others>
inline constexpr bool is_any_of<T, First, Others...> = is_any_of<T, Others...>;
template <class T, class... Others>
inline constexpr bool is_any_of<T, T, Others...> = true;

template <class T>
inline constexpr bool is_real = is_any_of<T, float, double>;
template <class T>
inline constexpr bool is_number =
    is_real<T> || is_any_of<T, int, unsigned, size, unsigned_of<size>, signed_of<size>>;

#if defined(__OPENCL_CPP_VERSION__)

/// Returns the old value.
template <class Integer>
WINGBEAT_FN Integer add(WINGBEAT_GLOBAL Integer* address, Integer value) {
  if constexpr (sizeof(Integer) == 4) {
    return ::atomic_add(address, value);
  } else {
    return ::atom_add(address, value);
  }
}
WINGBEAT_FN void add(WINGBEAT_LOCAL unsigned* address, unsigned value) {
  ::atomic_add(address, value);
}
template <class Integer>
WINGBEAT_FN void raise(WINGBEAT_GLOBAL Integer* address, Integer value) {
  if constexpr (sizeof(Integer) == 4) {
    ::atomic_max(address, value);
  } else {
    ::atom_max(address, value);
  }
}
template <class Integer>
WINGBEAT_FN void lower(WINGBEAT_GLOBAL Integer* address, Integer value) {
  if constexpr (sizeof(Integer) == 4) {
    ::atomic_min(address, value);
  } else {
    ::atom_min(address, value);
  }
}
/// Compare-and-swap: returns the old value, which is `expected` if `desired` replaced it.
template <class Integer>
WINGBEAT_FN Integer exchanged(WINGBEAT_GLOBAL Integer* word, Integer expected, Integer desired) {
  if constexpr (sizeof(Integer) == 4) {
    return ::atomic_cmpxchg(word, expected, desired);
  } else {
    return ::atom_cmpxchg(word, expected, desired);
  }
}

#elif defined(__CUDA_ARCH__)

template <class Integer>
WINGBEAT_FN Integer add(Integer* address, Integer value) {
  return ::atomicAdd(address, value);
}
template <class Integer>
WINGBEAT_FN void raise(Integer* address, Integer value) {
  ::atomicMax(address, value);
}
template <class Integer>
WINGBEAT_FN void lower(Integer* address, Integer value) {
  ::atomicMin(address, value);
}
template <class Integer>
WINGBEAT_FN Integer exchanged(Integer* word, Integer expected, Integer desired) {
  return ::atomicCAS(word, expected, desired);
}

#else

template <class Integer>
WINGBEAT_FN Integer exchanged(Integer* word, Integer expected, Integer desired) {
  __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class Integer>
WINGBEAT_FN Integer add(Integer* address, Integer value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
template <class Integer>
WINGBEAT_FN void raise(Integer* address, Integer value) {
  Integer seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (seen < value) {
    const Integer before = seen;
    seen = exchanged(address, before, value);
    if (seen == before) return;
  }
}
template <class Integer>
WINGBEAT_FN void lower(Integer* address, Integer value) {
  Integer seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (value < seen) {
    const Integer before = seen;
    seen = exchanged(address, before, value);
    if (seen == before) return;
  }
}

#endif

/// Returns *word, which other threads update: its value, maybe an older one.
template <class Integer>
WINGBEAT_FN Integer last_seen(WINGBEAT_GLOBAL const Integer* word) {
#if defined(__OPENCL_CPP_VERSION__) || defined(__CUDA_ARCH__)
  return *word;
#else
  return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

/// Adds a real if the dialect adds integers only: retries until no other thread intervenes.
template <class Real>
WINGBEAT_FN void add_by_exchange(WINGBEAT_GLOBAL Real* address, Real value) {
  using bits = unsigned_of<Real>;
  const auto words = reinterpret_cast<WINGBEAT_GLOBAL bits*>(address);
  bits seen = last_seen(words);
  for (;;) {
    const bits before = seen;
    const Real sum = __builtin_bit_cast(Real, before) + value;
    seen = exchanged(words, before, __builtin_bit_cast(bits, sum));
    if (seen == before) return;
  }
}

}  // namespace atomics

/// Adds `value` to *to. T: int, unsigned, size, float or double. Integers wrap; reals are added in
/// the order in which threads arrive, so the rounding of a sum may differ from run to run.
template <class T>
WINGBEAT_FN void atomic_add(WINGBEAT_GLOBAL T* address, typename atomics::same<T>::type value) {
  static_assert(atomics::is_number<T>,
                "atomic_add adds to int, unsigned, size, float or double in device memory");
  if constexpr (atomics::is_real<T>) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600
    ::atomicAdd(address, value);
#else
    atomics::add_by_exchange(address, value);
#endif
  } else if constexpr (atomics::is_number<T>) {  // signed or not, the bits of a sum are the same
    using bits = atomics::unsigned_of<T>;
    atomics::add(reinterpret_cast<WINGBEAT_GLOBAL bits*>(address), static_cast<bits>(value));
  }
}

/// Adds 1 to *counter and returns what it was: each thread's own place in a list, in any order.
WINGBEAT_FN unsigned atomic_next(WINGBEAT_GLOBAL unsigned* counter) {
  return atomics::add(counter, 1u);
}

/// Adds `value` to *to, in local memory that threads of one workgroup share.
WINGBEAT_FN void local_atomic_add(WINGBEAT_LOCAL unsigned* address, unsigned value) {
  atomics::add(address, value);
}

/// Makes *to the greater of itself and `value`. T: int, unsigned, size, float or double. A `value`
/// of NaN changes nothing, -0 is less than +0, and *to must not be NaN: begin with -infinity, or
/// with 0 if no value is negative.
template <class T>
WINGBEAT_FN void atomic_max(WINGBEAT_GLOBAL T* address, typename atomics::same<T>::type value) {
  static_assert(atomics::is_number<T>,
                "atomic_max compares int, unsigned, size, float or double in device memory");
  if constexpr (atomics::is_number<T>) {
    using positive = atomics::signed_of<T>;
    using negative = atomics::unsigned_of<T>;
    const auto as_signed = reinterpret_cast<WINGBEAT_GLOBAL positive*>(address);
    const auto as_unsigned = reinterpret_cast<WINGBEAT_GLOBAL negative*>(address);
    if constexpr (!atomics::is_real<T>) {
      if constexpr (T(-1) < T(0)) {
        atomics::raise(as_signed, static_cast<positive>(value));
      } else {
        atomics::raise(as_unsigned, static_cast<negative>(value));
      }
    } else if (value == value) {
      // As signed integers, reals without sign bit are in order, above all reals with it; as
      // unsigned ones, reals with the sign bit are in opposite order, above all reals without it.
      const auto bits = __builtin_bit_cast(positive, value);
      if (bits >= 0) {
        atomics::raise(as_signed, bits);
      } else {
        atomics::lower(as_unsigned, static_cast<negative>(bits));
      }
    }
  }
}

}  // namespace wingbeat::device
