// SPDX-License-Identifier: Apache-2.0
// The dialect seam: code that differs between compilers (g++, clang, nvcc, NVRTC, and clang's C++
// for OpenCL) is here and in atomic.hpp, half.hpp, bfloat.hpp and io/adjacent.hpp. All else is
// freestanding C++17.
#pragma once

#if defined(__OPENCL_CPP_VERSION__)  // C++ for OpenCL
// Always inlined; otherwise arguments passed by reference stay in memory, behind generic pointers.
#define WINGBEAT_FN inline __attribute__((always_inline))
#define WINGBEAT_GLOBAL __global
#define WINGBEAT_LOCAL __local
#elif defined(__CUDACC__)  // nvcc and NVRTC
#define WINGBEAT_FN __host__ __device__ __forceinline__
#define WINGBEAT_GLOBAL
#define WINGBEAT_LOCAL
#else  // host
#define WINGBEAT_FN inline
#define WINGBEAT_GLOBAL
#define WINGBEAT_LOCAL
#endif

/// Unrolls the loop that follows, so that arrays it indexes can live in registers. Does nothing
/// under the host's sanitizers, where one unrolled test took g++ 12 over five minutes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WINGBEAT_UNROLL
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define WINGBEAT_UNROLL _Pragma("GCC unroll 64")
#else
#define WINGBEAT_UNROLL _Pragma("unroll")
#endif

namespace wingbeat::device {

/// Counts elements; what sizeof returns, 64 bits on every device we run on.
using size = decltype(sizeof(0));

/// Local memory of each launched workgroup. wingbeat::kernel defines the macro; in other launches
/// the size is unknown and assumed to suffice.
#if defined(WINGBEAT_SCRATCH_BYTES)
inline constexpr size launched_scratch_bytes = WINGBEAT_SCRATCH_BYTES;
#else
inline constexpr size launched_scratch_bytes = ~size(0);
#endif

// The workgroup this code runs in. Tests on the host define their own `group`.
#if defined(__OPENCL_CPP_VERSION__)

#define WINGBEAT_KERNEL(Threads) __kernel __attribute__((reqd_work_group_size(Threads, 1, 1)))
#define WINGBEAT_KERNEL_RESIDENT(Threads, Workgroups) WINGBEAT_KERNEL(Threads)
#define WINGBEAT_KERNEL_IN_ROWS(Columns, Rows) \
  __kernel __attribute__((reqd_work_group_size(Columns, Rows, 1)))
#define WINGBEAT_KERNEL_IN_ROWS_RESIDENT(Columns, Rows, Workgroups) \
  WINGBEAT_KERNEL_IN_ROWS(Columns, Rows)
#define WINGBEAT_SCRATCH_PARAMETER , __local char* scratch_bytes
#define WINGBEAT_SCRATCH_POINTER scratch_bytes

// get_local_id without its promise to be constant, so that each region between two barriers calls
// it again. PoCL (3.1) turns these regions into loops and keeps values that cross a barrier in
// arrays; its vectorizer knows nothing about an index that is read from an array.
size local_id_now(unsigned dimension) __asm__("_Z12get_local_idj") __attribute__((pure));

/// Returns get_local_id(0) or (1). Takes the popcount, which is the same number, because PoCL
/// merges calls with plain constants; the compiler folds it only after that.
WINGBEAT_FN size local_id(unsigned dimension) {
  return local_id_now(popcount(dimension));
}

struct group {
  static unsigned thread() { return static_cast<unsigned>(local_id(0)); }
  static size index() { return get_group_id(0); }
  static void barrier() { ::barrier(CLK_LOCAL_MEM_FENCE); }
  static void subgroup_barrier() { barrier(); }
};

/// A workgroup of WINGBEAT_KERNEL_IN_ROWS: PoCL's innermost loop runs along a row, so its
/// vectorizer sees accesses to neighbouring elements.
struct group_in_rows : group {
  static unsigned column() { return static_cast<unsigned>(local_id(0)); }
  static unsigned row() { return static_cast<unsigned>(local_id(1)); }
  static unsigned thread() { return row() * static_cast<unsigned>(get_local_size(0)) + column(); }
};

#elif defined(__CUDACC__)

struct group {
  static __device__ __forceinline__ unsigned thread() {
    // nvcc knows the range, NVRTC 13.0 does not. With it, sums of the indices below cannot wrap,
    // and their constants fold into the accesses.
    const unsigned id = threadIdx.x;
    __builtin_assume(id < 1024);
    return id;
  }
  static __device__ __forceinline__ size index() { return blockIdx.x; }
  static __device__ __forceinline__ void barrier() { __syncthreads(); }
  static __device__ __forceinline__ void subgroup_barrier() { __syncwarp(); }
  // The cluster this workgroup belongs to: workgroups that start together and access each other's
  // local memory (sm_90 and later; kernels for older devices never call this).
  static __device__ __forceinline__ void cluster_arrive() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
  }
  static __device__ __forceinline__ void cluster_wait() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
  }
  // A barrier in the receiver's local memory, 8 aligned bytes, counts the bytes that workgroups of
  // a cluster send to it.
  /// Makes such a barrier, which opens once `bytes` have arrived. One thread calls this before the
  /// `cluster_arrive` after which others send.
  static __device__ __forceinline__ void expect(void* arrivals, unsigned bytes) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(arrivals));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address), "r"(bytes)
                 : "memory");
#endif
  }
  /// Local memory of another workgroup of the cluster.
  template <class T>
  struct remote {
    unsigned address;
  };
  /// Returns the remote address, in workgroup `rank`, of what is at `address` here.
  template <class T>
  static __device__ __forceinline__ remote<T> of_peer(T* address, unsigned rank) {
    unsigned peer_address = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(peer_address)
        : "r"(static_cast<unsigned>(__cvta_generic_to_shared(address))), "r"(rank));
#endif
    return {peer_address};
  }
  /// Writes z as element i of `target`; the barrier `arrivals` counts its bytes.
  template <class T, class Counter>
  static __device__ __forceinline__ void send(remote<T> target, unsigned i, T z,
                                              remote<Counter> arrivals) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    const unsigned address = target.address + i * unsigned(sizeof(T));
    if constexpr (sizeof(T) == 8) {
      asm volatile(
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::
              "r"(address),
          "f"(float(z.re)), "f"(float(z.im)), "r"(arrivals.address)
          : "memory");
    } else {
      asm volatile(
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%0], {%1, %2}, [%3];" ::
              "r"(address),
          "d"(double(z.re)), "d"(double(z.im)), "r"(arrivals.address)
          : "memory");
    }
#endif
  }
  /// Waits until all expected bytes have arrived, and makes them visible.
  static __device__ __forceinline__ void receive(void* arrivals) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(arrivals));
    unsigned has_opened = 0;
    while (has_opened == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
          "selp.u32 %0, 1, 0, p; }"
          : "=r"(has_opened)
          : "r"(address)
          : "memory");
    }
#endif
  }
};

using group_in_rows = group;  // splitting thread numbers costs nothing here

/// An entry point, started with exactly `Threads` threads in each workgroup.
#define WINGBEAT_KERNEL(Threads) extern "C" __global__ __launch_bounds__(Threads)
/// Same; the compiler limits registers so that a multiprocessor holds `Workgroups` at once.
#define WINGBEAT_KERNEL_RESIDENT(Threads, Workgroups) \
  extern "C" __global__ __launch_bounds__(Threads, Workgroups)
/// Same, started with Columns x Rows threads.
#define WINGBEAT_KERNEL_IN_ROWS(Columns, Rows) WINGBEAT_KERNEL((Columns) * (Rows))
#define WINGBEAT_KERNEL_IN_ROWS_RESIDENT(Columns, Rows, Workgroups) \
  WINGBEAT_KERNEL_RESIDENT((Columns) * (Rows), Workgroups)
/// Same, with workgroups in clusters of `Size`.
#define WINGBEAT_KERNEL_CLUSTER(Threads, Workgroups, Size) \
  extern "C" __global__ __launch_bounds__(Threads, Workgroups) __cluster_dims__(Size, 1, 1)
/// Local memory: an argument in OpenCL (PoCL shares arrays declared inside a C++ kernel between
/// its threads, seen with 3.1), launch-time shared memory in CUDA.
#define WINGBEAT_SCRATCH_PARAMETER
#define WINGBEAT_SCRATCH_POINTER (::wingbeat::device::shared_bytes())

__device__ __forceinline__ char* shared_bytes() {
  extern __shared__ double2 wingbeat_shared[];  // aligned for complex<double>
  return reinterpret_cast<char*>(wingbeat_shared);
}

#else

struct group;  // the caller brings one: thread(), index(), barrier(), subgroup_barrier()
using group_in_rows = group;

#endif

/// The beginning of local memory.
#if !defined(WINGBEAT_SCRATCH_BYTES) || WINGBEAT_SCRATCH_BYTES > 0
#define WINGBEAT_SCRATCH WINGBEAT_SCRATCH_POINTER
#else
#define WINGBEAT_SCRATCH \
  (::wingbeat::device::kernel_spec_scratch_bytes_is_0{WINGBEAT_SCRATCH_POINTER})

/// A pointer to pass on to code that needs no local memory either. No other use of it compiles.
struct kernel_spec_scratch_bytes_is_0 {
  WINGBEAT_LOCAL char* address;

  WINGBEAT_FN operator WINGBEAT_LOCAL char*() const { return address; }
  template <class T>
  WINGBEAT_FN explicit operator WINGBEAT_LOCAL T*() const {
    return refused<T>();
  }
  template <class Index>
  WINGBEAT_FN WINGBEAT_LOCAL char& operator[](Index) const {
    return *refused<char, Index>();
  }
  template <class Index>
  WINGBEAT_FN WINGBEAT_LOCAL char* operator+(Index) const {
    return refused<char, Index>();
  }

 private:
  template <class T, class Index = T>
  WINGBEAT_FN static WINGBEAT_LOCAL T* refused() {
    static_assert(
        sizeof(Index) == 0,
        "the kernel uses WINGBEAT_SCRATCH and is launched with no local memory: state the "
        "bytes it uses in kernel_spec::scratch_bytes");
    return nullptr;
  }
};
#endif

/// Whether complex numbers are copied to and from memory part by part. C++ for OpenCL copies whole
/// ones through generic pointers, which prevents vectorization. A GPU moves both parts at once.
#if defined(__OPENCL_CPP_VERSION__)
inline constexpr bool copies_by_parts = true;
#else
inline constexpr bool copies_by_parts = false;
#endif

/// Returns *source by a streaming load: if the device has one, the data is the first to leave its
/// caches.
template <class T>
WINGBEAT_FN T load_once(WINGBEAT_GLOBAL const T* source) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == sizeof(float2)) {
    const float2 bits = __ldcs(reinterpret_cast<const float2*>(source));
    return __builtin_bit_cast(T, bits);
  } else if constexpr (sizeof(T) == sizeof(float4)) {
    const float4 bits = __ldcs(reinterpret_cast<const float4*>(source));
    return __builtin_bit_cast(T, bits);
  }
#endif
  return *source;
}

/// Writes *target = value by a streaming store: the data is the first to leave the device's caches.
template <class T>
WINGBEAT_FN void store_once(WINGBEAT_GLOBAL T* target, const T& value) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == sizeof(float2)) {
    __stcs(reinterpret_cast<float2*>(target), __builtin_bit_cast(float2, value));
    return;
  } else if constexpr (sizeof(T) == sizeof(float4)) {
    __stcs(reinterpret_cast<float4*>(target), __builtin_bit_cast(float4, value));
    return;
  }
#endif
  *target = value;
}

/// Returns four consecutive bytes of two consecutive words, from `first_byte` (below 4) on, as a
/// big-endian number.
WINGBEAT_FN unsigned big_endian(unsigned word, unsigned next, unsigned first_byte) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(word, next, 0x0123u + first_byte * 0x1111u);
#else
  const auto swapped = [](unsigned x) {
    return x << 24 | (x & 0xff00u) << 8 | (x >> 8 & 0xff00u) | x >> 24;
  };
  return unsigned((size(swapped(word)) << 32 | swapped(next)) << (8 * first_byte) >> 32);
#endif
}

/// Returns x with its bits rotated to the left by `n` below 32.
WINGBEAT_FN unsigned rotated(unsigned x, unsigned n) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(x, x, n);
#elif defined(__OPENCL_CPP_VERSION__)
  return ::rotate(x, n);
#else
  return x << n | x >> ((32 - n) % 32);
#endif
}

/// Prefetches `count` elements from `first` on into the cache that all workgroups share, except up
/// to 15 bytes at either end. Nothing waits for them. Does nothing if the dialect has no prefetch
/// (CUDA has it from sm_90 on). (In CUDA an address in device memory is the same number in the
/// generic and in the global space.)
template <class T>
WINGBEAT_FN void prefetch([[maybe_unused]] WINGBEAT_GLOBAL const T* first,
                          [[maybe_unused]] size count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr size unit = 16;
  const size begin = (reinterpret_cast<size>(first) + unit - 1) / unit * unit;
  const size end = reinterpret_cast<size>(first + count) / unit * unit;
  if (begin >= end) return;
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin),
               "r"(static_cast<unsigned>(end - begin)));
#endif
}

/// Waits until all earlier launches have ended and their writes are visible, then lets the next
/// launch begin. In this order, because waiting launches would otherwise fill the multiprocessors
/// unevenly. Kernels that are launched early call it first; it does nothing before sm_90 and on
/// other devices.
WINGBEAT_FN void follow_launches() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Returns a b + c, fused if the device can. Compilers fuse the expression themselves, but nvcc
/// does not if the product has another use.
template <class Real>
WINGBEAT_FN constexpr Real multiply_add(Real a, Real b, Real c) {
  return c + a * b;
}
#if defined(__CUDA_ARCH__)
__device__ __forceinline__ float multiply_add(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double multiply_add(double a, double b, double c) {
  return __fma_rn(a, b, c);
}
#endif

/// Mathematical functions for kernels around a transform, with the same names in every dialect;
/// transforms use tables instead. A `quick_` function is off by up to 1e-6.
namespace maths {
#if defined(__OPENCL_CPP_VERSION__)
inline float log10(float x) {
  return ::log10(x);
}
inline float cosine_of_turns(float x) {
  return ::cospi(2 * x);
}
inline float sine_of_turns(float x) {
  return ::sinpi(2 * x);
}
inline float quick_cosine_of_turns(float x) {
  return ::cospi(2 * x);
}
inline float quick_sine_of_turns(float x) {
  return ::sinpi(2 * x);
}
#elif defined(__CUDACC__)
WINGBEAT_FN float log10(float x) {
  return ::log10f(x);
}
// Takes turns, because ::cosf keeps an array in local memory for large angles.
WINGBEAT_FN float cosine_of_turns(float x) {
  return ::cospif(2 * x);
}
WINGBEAT_FN float sine_of_turns(float x) {
  return ::sinpif(2 * x);
}
WINGBEAT_FN float quick_cosine_of_turns(float x) {
#if defined(__CUDA_ARCH__)
  return ::__cosf(6.2831853f * (x - ::rintf(x)));
#else
  return cosine_of_turns(x);
#endif
}
WINGBEAT_FN float quick_sine_of_turns(float x) {
#if defined(__CUDA_ARCH__)
  return ::__sinf(6.2831853f * (x - ::rintf(x)));
#else
  return sine_of_turns(x);
#endif
}
#else
inline float log10(float x) {
  return __builtin_log10f(x);
}
inline float cosine_of_turns(float x) {
  return static_cast<float>(__builtin_cos(6.283185307179586 * double(x)));
}
inline float sine_of_turns(float x) {
  return static_cast<float>(__builtin_sin(6.283185307179586 * double(x)));
}
inline float quick_cosine_of_turns(float x) {
  return cosine_of_turns(x);
}
inline float quick_sine_of_turns(float x) {
  return sine_of_turns(x);
}
#endif

// From here on, Real is float or double.
#if defined(__OPENCL_CPP_VERSION__) || defined(__CUDACC__)
#define WINGBEAT_MATHS(name, ...) ::name(__VA_ARGS__)
#else
#define WINGBEAT_MATHS(name, ...)                                         \
  (sizeof(Real) == sizeof(float) ? Real(__builtin_##name##f(__VA_ARGS__)) \
                                 : Real(__builtin_##name(__VA_ARGS__)))
#endif

template <class Real>
WINGBEAT_FN Real square_root(Real x) {
  return WINGBEAT_MATHS(sqrt, x);
}

/// Returns sqrt(x^2 + y^2); the squares neither overflow nor underflow.
template <class Real>
WINGBEAT_FN Real magnitude(Real x, Real y) {
  return WINGBEAT_MATHS(hypot, x, y);
}

/// Returns the logarithm of x to base e.
template <class Real>
WINGBEAT_FN Real natural_log(Real x) {
  return WINGBEAT_MATHS(log, x);
}

/// Returns x^y, x >= 0.
template <class Real>
WINGBEAT_FN Real power(Real x, Real y) {
  return WINGBEAT_MATHS(pow, x, y);
}

/// Returns the integer nearest to x, ties to even: 2.5 -> 2, 3.5 -> 4. NaN stays NaN.
template <class Real>
WINGBEAT_FN Real round_even(Real x) {
  return WINGBEAT_MATHS(rint, x);
}

/// Returns the lesser number; if one is NaN, the other. Of 0 and -0 it returns either.
template <class Real>
WINGBEAT_FN Real minimum(Real a, Real b) {
  return WINGBEAT_MATHS(fmin, a, b);
}

/// Returns the greater number; if one is NaN, the other. Of 0 and -0 it returns either.
template <class Real>
WINGBEAT_FN Real maximum(Real a, Real b) {
  return WINGBEAT_MATHS(fmax, a, b);
}
#undef WINGBEAT_MATHS

/// Returns the number in [low, high] nearest to x; `low` if x is NaN. low <= high.
template <class Real>
WINGBEAT_FN Real clamp(Real x, Real low, Real high) {
  return minimum(maximum(x, low), high);
}

/// Returns round_even(x) as an integer of at most 64 bits: the least or the greatest Integer if x
/// is beyond it, 0 if x is NaN.
template <class Integer, class Real>
WINGBEAT_FN Integer to_integer(Real x) {
  constexpr bool is_signed = Integer(-1) < Integer(0);
  constexpr unsigned digits = 8 * sizeof(Integer) - (is_signed ? 1 : 0);
  constexpr Integer greatest = static_cast<Integer>(~size(0) >> (64 - digits));
  constexpr Integer least = is_signed ? static_cast<Integer>(-greatest - 1) : Integer(0);
  // Both are powers of two or 0, so a Real holds them exactly; it may not hold `greatest`.
  constexpr Real beyond = Real(2) * static_cast<Real>(size(1) << (digits - 1));
  constexpr Real below = is_signed ? -beyond : Real(0);
  const Real rounded = round_even(x);
  if (rounded >= beyond) return greatest;
  if (rounded <= below) return least;
  return rounded == rounded ? static_cast<Integer>(rounded) : Integer(0);
}
}  // namespace maths

/// Threads per subgroup: the groups in lockstep, which share a subgroup barrier.
#if defined(__CUDACC__)
inline constexpr unsigned subgroup_size = 32;
#else
inline constexpr unsigned subgroup_size = 1;
#endif

}  // namespace wingbeat::device
