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

/// Unrolls the loop that follows, so that arrays it indexes can live in registers.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define WINGBEAT_UNROLL _Pragma("GCC unroll 64")
#else
#define WINGBEAT_UNROLL _Pragma("unroll")
#endif

namespace wingbeat::device {

/// Counts elements; what sizeof returns, 64 bits on every device we run on.
using size = decltype(sizeof(0));

}  // namespace wingbeat::device
