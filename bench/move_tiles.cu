// SPDX-License-Identifier: Apache-2.0
// What do tiles of columns cost when nothing is computed? Moves 1 GiB in tiles of R rows of W
// bytes, rows S bytes apart on one side or on both, contiguous on the other; once by threads that
// load and store 8 bytes each, once by resident workgroups whose rows the copy engine fetches
// (cp.async.bulk, three tiles deep). Prints fractions of a plain copy's speed.
//     nvcc -arch=sm_90 -O3 -std=c++17 bench/move_tiles.cu -o move_tiles && ./move_tiles
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using address = unsigned long long;
constexpr address total_bytes = address{1} << 30;
constexpr unsigned elements = 16;  // of a thread, 8 bytes each

/// Tiles of 2^log2_rows rows of 2^log2_width bytes, in matrices of 2^log2_all such rows,
/// 2^log2_pitch bytes apart. Numbered along a row first.
struct side {
  unsigned log2_width, log2_pitch, log2_rows, log2_all;

  __device__ address base(unsigned tile) const {
    const unsigned across = log2_pitch - log2_width, down = log2_all - log2_rows;
    const address column = tile & ((1u << across) - 1);
    tile >>= across;
    const address slice = tile & ((1u << down) - 1);
    tile >>= down;
    return (address{tile} << (log2_all + log2_pitch)) + (slice << (log2_rows + log2_pitch)) +
           (column << log2_width);
  }
  __device__ address at(address first, unsigned element) const {
    const unsigned bits = log2_width - 3;
    return first + (address{element >> bits} << log2_pitch) + 8 * (element & ((1u << bits) - 1));
  }
};

template <unsigned Threads>
__global__ __launch_bounds__(Threads, 1024 / Threads) void by_threads(const char* in, char* out,
                                                                      side from, side to) {
  const address first_in = from.base(blockIdx.x), first_out = to.base(blockIdx.x);
  float2 x[elements];
#pragma unroll
  for (unsigned r = 0; r < elements; ++r) {
    x[r] = *reinterpret_cast<const float2*>(in + from.at(first_in, threadIdx.x + r * Threads));
  }
  __syncthreads();
#pragma unroll
  for (unsigned r = 0; r < elements; ++r) {
    *reinterpret_cast<float2*>(out + to.at(first_out, threadIdx.x + r * Threads)) = x[r];
  }
}

__device__ unsigned local(const void* address) {
  return static_cast<unsigned>(__cvta_generic_to_shared(address));
}

template <unsigned Threads>
__global__ __launch_bounds__(Threads) void by_copy_engine(const char* in, char* out, side from,
                                                          side to, unsigned tiles) {
  constexpr unsigned depth = 3, tile_bytes = elements * Threads * 8;
  extern __shared__ __align__(128) char memory[];
  __shared__ address arrivals[depth];
  if (threadIdx.x == 0) {
    for (auto& each : arrivals) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(local(&each)) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const auto request = [&](unsigned tile, unsigned stage) {
    if (tile >= tiles) return;
    const unsigned counted = local(arrivals + stage);
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(counted),
                   "r"(tile_bytes)
                   : "memory");
    }
    __syncwarp();
    const char* first = in + from.base(tile);
    for (unsigned row = threadIdx.x; row < 1u << from.log2_rows; row += Threads) {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(local(memory + stage * tile_bytes) + (row << from.log2_width)),
          "l"(first + (address{row} << from.log2_pitch)), "r"(1u << from.log2_width), "r"(counted)
          : "memory");
    }
  };
  for (unsigned i = 0; i + 1 < depth; ++i) request(blockIdx.x + i * gridDim.x, i);
  unsigned stage = 0, parity = 0;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    __syncthreads();
    request(tile + (depth - 1) * gridDim.x, (stage + depth - 1) % depth);
    unsigned has_arrived = 0;
    while (has_arrived == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, "
          "0, p; }"
          : "=r"(has_arrived)
          : "r"(local(arrivals + stage)), "r"(parity)
          : "memory");
    }
    const auto* here = reinterpret_cast<const float2*>(memory + stage * tile_bytes);
    const address first_out = to.base(tile);
#pragma unroll
    for (unsigned r = 0; r < elements; ++r) {
      const unsigned element = threadIdx.x + r * Threads;
      *reinterpret_cast<float2*>(out + to.at(first_out, element)) = here[element];
    }
    if (++stage == depth) {
      stage = 0;
      parity ^= 1;
    }
  }
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "move_tiles: %s\n", cudaGetErrorString(status));
  std::exit(3);
}

/// Returns the median of seven runs, in milliseconds.
template <class Run>
float timed(const Run& run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  run();
  std::vector<float> all(7);
  for (float& ms : all) {
    check(cudaEventRecord(begin));
    run();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&ms, begin, end));
  }
  check(cudaGetLastError());
  std::nth_element(all.begin(), all.begin() + 3, all.end());
  return all[3];
}

}  // namespace

int main() {
  char *in = nullptr, *out = nullptr;
  check(cudaMalloc(&in, total_bytes));
  check(cudaMalloc(&out, total_bytes));
  check(cudaMemset(in, 1, total_bytes));
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const float copy = timed([&] { cudaMemcpyAsync(out, in, total_bytes, cudaMemcpyDefault); });
  constexpr unsigned threads = 256, log2_tile = 15;
  const unsigned tiles = total_bytes >> log2_tile, depth_bytes = 3u << log2_tile;
  check(cudaFuncSetAttribute(by_copy_engine<threads>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             depth_bytes));
  std::printf("copy %.3f ms; W, S in bytes: in rows apart, out, both; by threads | copy engine\n",
              copy);
  for (unsigned width = 5; width <= 10; ++width) {
    for (unsigned pitch = std::max(11u, width + 1); pitch <= 16; ++pitch) {
      const unsigned rows = log2_tile - width;
      const side apart{width, pitch, rows, std::max(pitch >= 13 ? pitch - 3 : 10, rows)};
      const side flat{13, 13, log2_tile - 13, log2_tile - 13};
      const side from[] = {apart, flat, apart}, to[] = {flat, apart, apart};
      std::printf("%5u %6u ", 1u << width, 1u << pitch);
      for (unsigned i = 0; i < 3; ++i) {
        const float plain =
            timed([&] { by_threads<threads><<<tiles, threads>>>(in, out, from[i], to[i]); });
        const float engine = timed([&] {
          by_copy_engine<threads>
              <<<2 * multiprocessors, threads, depth_bytes>>>(in, out, from[i], to[i], tiles);
        });
        std::printf("  %.3f | %.3f", copy / plain, copy / engine);
      }
      std::printf("\n");
    }
  }
  return 0;
}
