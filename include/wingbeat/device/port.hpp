// SPDX-License-Identifier: Apache-2.0
// The dialect seam: the only file that knows which compiler is reading (g++, clang, nvcc, NVRTC,
// or clang's C++ for OpenCL). Everything else is freestanding C++17.
#pragma once

#if defined(__OPENCL_CPP_VERSION__)  // C++ for OpenCL
#define WINGBEAT_FN inline
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

/// Unrolls the loop that follows, so that arrays it indexes can live in registers. Not under the
/// host's sanitizers: there one unrolled test took g++ 12 over five minutes.
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

// The workgroup this code runs in. A test on the host brings a `group` of its own.
#if defined(__OPENCL_CPP_VERSION__)

struct group {
  static unsigned thread() { return static_cast<unsigned>(get_local_id(0)); }
  static size index() { return get_group_id(0); }
  static void barrier() { ::barrier(CLK_LOCAL_MEM_FENCE); }
  static void subgroup_barrier() { barrier(); }
};

#define WINGBEAT_KERNEL(Threads) __kernel __attribute__((reqd_work_group_size(Threads, 1, 1)))
#define WINGBEAT_KERNEL_RESIDENT(Threads, Workgroups) WINGBEAT_KERNEL(Threads)
#define WINGBEAT_SCRATCH_PARAMETER , __local char* scratch_bytes
#define WINGBEAT_SCRATCH scratch_bytes

#elif defined(__CUDACC__)

struct group {
  static __device__ __forceinline__ unsigned thread() { return threadIdx.x; }
  static __device__ __forceinline__ size index() { return blockIdx.x; }
  static __device__ __forceinline__ void barrier() { __syncthreads(); }
  static __device__ __forceinline__ void subgroup_barrier() { __syncwarp(); }
};

/// An entry point, started with exactly `Threads` threads in each workgroup.
#define WINGBEAT_KERNEL(Threads) extern "C" __global__ __launch_bounds__(Threads)
/// The same, of which a multiprocessor is to hold `Workgroups` at once: the compiler uses no more
/// registers than that leaves room for.
#define WINGBEAT_KERNEL_RESIDENT(Threads, Workgroups) \
  extern "C" __global__ __launch_bounds__(Threads, Workgroups)
/// Local memory: an argument in OpenCL (PoCL shares arrays declared inside a C++ kernel between
/// its threads, seen with 3.1), launch-time shared memory in CUDA.
#define WINGBEAT_SCRATCH_PARAMETER
#define WINGBEAT_SCRATCH (::wingbeat::device::shared_bytes())

__device__ __forceinline__ char* shared_bytes() {
  extern __shared__ double2 wingbeat_shared[];  // aligned for complex<double>
  return reinterpret_cast<char*>(wingbeat_shared);
}

#else

struct group;  // the caller brings one: thread(), index(), barrier(), subgroup_barrier()

#endif

/// The little mathematics that kernels around a transform want, under one name everywhere.
/// Transforms themselves use tables.
namespace maths {
#if defined(__OPENCL_CPP_VERSION__)
inline float square_root(float x) {
  return ::sqrt(x);
}
inline float log10(float x) {
  return ::log10(x);
}
#elif defined(__CUDACC__)
WINGBEAT_FN float square_root(float x) {
  return ::sqrtf(x);
}
WINGBEAT_FN float log10(float x) {
  return ::log10f(x);
}
#else
inline float square_root(float x) {
  return __builtin_sqrtf(x);
}
inline float log10(float x) {
  return __builtin_log10f(x);
}
#endif
}  // namespace maths

/// Threads that run in lockstep groups of this many may meet at a subgroup barrier.
#if defined(__CUDACC__)
inline constexpr unsigned subgroup_size = 32;
#else
inline constexpr unsigned subgroup_size = 1;
#endif

}  // namespace wingbeat::device
