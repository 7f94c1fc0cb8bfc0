// SPDX-License-Identifier: Apache-2.0
// One cuFFTDx block FFT: forward, and forward - multiply by a filter - inverse in one kernel.
//     nvcc -DPEER_LENGTH=1024 -DPEER_REAL=float -DPEER_ARCHITECTURE=900 -arch=sm_90 ...
#include <cuda_fp16.h>  // __half, __half2

#include <cufftdx.hpp>
#include <type_traits>  // is_same_v

#include "peer_cufftdx.hpp"  // block_fft

namespace {

using real = PEER_REAL;
constexpr bool is_half = std::is_same_v<real, __half>;

using described = decltype(cufftdx::Size<PEER_LENGTH>() + cufftdx::Precision<real>() +
                           cufftdx::Type<cufftdx::fft_type::c2c>() +
                           cufftdx::SM<PEER_ARCHITECTURE>() + cufftdx::Block());
using forward_described =
    decltype(described() + cufftdx::Direction<cufftdx::fft_direction::forward>());
using inverse_described =
    decltype(described() + cufftdx::Direction<cufftdx::fft_direction::inverse>());

// Both directions take what forward suggests, so that one register file serves both.
constexpr unsigned elements = forward_described::suggested_elements_per_thread;
constexpr unsigned transforms = forward_described::suggested_ffts_per_block;
using forward_fft = decltype(forward_described() + cufftdx::ElementsPerThread<elements>() +
                             cufftdx::FFTsPerBlock<transforms>());
using inverse_fft = decltype(inverse_described() + cufftdx::ElementsPerThread<elements>() +
                             cufftdx::FFTsPerBlock<transforms>());
static_assert(forward_fft::storage_size == inverse_fft::storage_size, "one register file");
static_assert(!forward_fft::requires_workspace, "powers of two need no workspace");

using value = typename forward_fft::value_type;  // fp16: (re, re') and (im, im') of two rows
using real_element = std::conditional_t<std::is_same_v<real, float>, float2, double2>;
using element = std::conditional_t<is_half, __half2, real_element>;

constexpr unsigned rows_at_once = forward_fft::implicit_type_batching;  // of one thread
static_assert(forward_fft::block_dim.y * rows_at_once == transforms, "threads of each row");

/// Where register 0 of this thread comes from; register l is `stride` elements later each.
__device__ std::size_t first_element() {
  const std::size_t row =
      (std::size_t{blockIdx.x} * (transforms / rows_at_once) + threadIdx.y) * rows_at_once;
  return row * PEER_LENGTH + threadIdx.x;
}

// Templates, so that the branch of the other precisions is not compiled.
template <class Element, class Value = value>
__device__ Value loaded(const Element* from) {
  if constexpr (is_half) {
    const Element a = from[0], b = from[PEER_LENGTH];
    return Value{__lows2half2(a, b), __highs2half2(a, b)};
  } else {
    const Element z = *from;
    return Value{z.x, z.y};
  }
}

template <class Element, class Value>
__device__ void stored(Element* to, const Value& z) {
  if constexpr (is_half) {
    to[0] = __lows2half2(z.x, z.y);
    to[PEER_LENGTH] = __highs2half2(z.x, z.y);
  } else {
    *to = Element{z.x, z.y};
  }
}

/// Returns z h; in fp16 for both rows, with the same h.
template <class Value, class Element>
__device__ Value filtered(const Value& z, const Element& h) {
  if constexpr (is_half) {
    const Element re = __low2half2(h), im = __high2half2(h);
    return Value{__hfma2(z.x, re, __hneg2(__hmul2(z.y, im))), __hfma2(z.x, im, __hmul2(z.y, re))};
  } else {
    return Value{z.x * h.x - z.y * h.y, z.x * h.y + z.y * h.x};
  }
}

__global__ __launch_bounds__(forward_fft::max_threads_per_block) void forward_kernel(
    const element* __restrict__ in, element* __restrict__ out) {
  extern __shared__ __align__(16) unsigned char shared[];
  const std::size_t first = first_element();
  value x[forward_fft::storage_size];
#pragma unroll
  for (unsigned l = 0; l < elements; ++l) x[l] = loaded(in + first + l * forward_fft::stride);
  forward_fft().execute(x, shared);
#pragma unroll
  for (unsigned l = 0; l < elements; ++l) stored(out + first + l * forward_fft::stride, x[l]);
}

__global__ __launch_bounds__(forward_fft::max_threads_per_block) void convolve_kernel(
    const element* __restrict__ in, element* __restrict__ out, const element* __restrict__ filter) {
  extern __shared__ __align__(16) unsigned char shared[];
  const std::size_t first = first_element();
  value x[forward_fft::storage_size];
#pragma unroll
  for (unsigned l = 0; l < elements; ++l) x[l] = loaded(in + first + l * forward_fft::stride);
  forward_fft().execute(x, shared);
#pragma unroll
  for (unsigned l = 0; l < elements; ++l) {
    x[l] = filtered(x[l], filter[threadIdx.x + l * forward_fft::stride]);
  }
  inverse_fft().execute(x, shared);
#pragma unroll
  for (unsigned l = 0; l < elements; ++l) stored(out + first + l * forward_fft::stride, x[l]);
}

constexpr unsigned shared_bytes = forward_fft::shared_memory_size > inverse_fft::shared_memory_size
                                      ? forward_fft::shared_memory_size
                                      : inverse_fft::shared_memory_size;

cudaError_t prepare(peer::block_fft& one) {
  constexpr auto allowance = cudaFuncAttributeMaxDynamicSharedMemorySize;
  cudaError_t status = cudaFuncSetAttribute(forward_kernel, allowance, shared_bytes);
  if (status != cudaSuccess) return status;
  status = cudaFuncSetAttribute(convolve_kernel, allowance, shared_bytes);
  if (status != cudaSuccess) return status;
  cudaFuncAttributes figures{};
  status = cudaFuncGetAttributes(&figures, convolve_kernel);
  if (status != cudaSuccess) return status;
  one.registers = figures.numRegs;
  one.stack_bytes = static_cast<int>(figures.localSizeBytes);
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&one.blocks_at_once, forward_kernel,
                                                       static_cast<int>(one.threads), shared_bytes);
}

void forward(const void* in, void* out, std::size_t batch, cudaStream_t on) {
  forward_kernel<<<static_cast<unsigned>(batch / transforms), forward_fft::block_dim, shared_bytes,
                   on>>>(static_cast<const element*>(in), static_cast<element*>(out));
}

void convolve(const void* in, void* out, const void* filter, std::size_t batch, cudaStream_t on) {
  convolve_kernel<<<static_cast<unsigned>(batch / transforms), forward_fft::block_dim, shared_bytes,
                    on>>>(static_cast<const element*>(in), static_cast<element*>(out),
                          static_cast<const element*>(filter));
}

const bool is_added = [] {
  peer::block_fft one;
  one.length = PEER_LENGTH;
  one.precision = is_half ? "fp16" : std::is_same_v<real, float> ? "fp32" : "fp64";
  one.element_bytes = sizeof(element);
  one.elements_per_thread = elements;
  one.transforms = transforms;
  one.threads = forward_fft::max_threads_per_block;
  one.scratch_bytes = shared_bytes;
  one.prepare = prepare;
  one.forward = forward;
  one.convolve = convolve;
  peer::all_block_ffts().push_back(one);
  return true;
}();

}  // namespace
