// SPDX-License-Identifier: Apache-2.0
// What does it cost to part a short call into two passes? Two kernels that move 2^n complex numbers
// as the passes of a transform do, but compute nothing, joined in five ways: two launches; two that
// begin early (programmatic dependent launch); one cooperative launch with a barrier of the grid;
// a graph of two; and one early launch alone, for comparison. Then graphs of one, whose arguments
// stay or are set again before each call.
//     nvcc -O3 -arch=sm_90 launch_gaps.cu -o launch_gaps && ./launch_gaps
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int calls = 400, rounds = 15;

void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "launch_gaps: %s: %s\n", doing, cudaGetErrorString(status));
  std::exit(3);
}

/// Columns of `n` elements, `columns` beside each other; a workgroup takes four of them, and stores
/// them as rows.
__device__ void move(const float2* in, float2* out, int n, int columns, int workgroup) {
  const int column = workgroup * 4 + threadIdx.x % 4;
  float2 x[8];
  const int rows = blockDim.x / 4;
  for (int base = 0; base < n; base += 8 * rows) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int index = base + threadIdx.x / 4 + i * rows;
      if (index < n) x[i] = in[index * columns + column];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int index = base + threadIdx.x / 4 + i * rows;
      if (index < n) out[index * columns + column] = x[i];
    }
  }
}

__global__ void plain(const float2* in, float2* out, int n, int columns) {
  move(in, out, n, columns, blockIdx.x);
}

__global__ void early(const float2* in, float2* out, int n, int columns) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  move(in, out, n, columns, blockIdx.x);
}

__global__ void together(const float2* in, float2* between, float2* out, int n, int columns) {
  for (int w = blockIdx.x; w < columns / 4; w += gridDim.x) move(in, between, n, columns, w);
  cooperative_groups::this_grid().sync();
  for (int w = blockIdx.x; w < columns / 4; w += gridDim.x) move(between, out, n, columns, w);
}

struct buffers {
  float2 *in = nullptr, *between = nullptr, *out = nullptr;
};

void launch(bool is_early, const float2* in, float2* out, int n, int columns, cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(columns / 4);
  config.blockDim = dim3(n * 4 / 8 < 512 ? n * 4 / 8 : 512);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = is_early ? 1 : 0;
  check(cudaLaunchKernelEx(&config, is_early ? early : plain, in, out, n, columns), "launch");
}

/// Prints the time of a call on the device and on the calling thread.
template <class Call>
void time(const char* name, int bits, cudaStream_t stream, Call call) {
  cudaEvent_t from, to;
  check(cudaEventCreate(&from), "make an event");
  check(cudaEventCreate(&to), "make an event");
  float best_ms = 1e9f;
  double best_cpu_us = 1e9;
  for (int round = 0; round < rounds; ++round) {
    check(cudaStreamSynchronize(stream), "wait");
    check(cudaEventRecord(from, stream), "record");
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    const std::chrono::duration<double, std::micro> cpu = std::chrono::steady_clock::now() - begin;
    check(cudaEventRecord(to, stream), "record");
    check(cudaEventSynchronize(to), "wait");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, from, to), "compare");
    if (ms < best_ms) best_ms = ms;
    if (cpu.count() / calls < best_cpu_us) best_cpu_us = cpu.count() / calls;
  }
  std::printf("2^%d %-22s %6.2f us a call, %5.2f us of it on the processor\n", bits, name,
              1e3 * best_ms / calls, best_cpu_us);
}

struct captured {
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
};

template <class Calls>
captured capture(cudaStream_t stream, Calls calls) {
  captured made{};
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
  calls();
  check(cudaStreamEndCapture(stream, &made.graph), "capture");
  check(cudaGraphInstantiate(&made.runnable, made.graph, 0), "make a graph");
  return made;
}

void run(int bits, cudaStream_t stream, const buffers& memory) {
  const int n = 1 << bits / 2, columns = 1 << (bits - bits / 2);
  const auto two = [&](bool is_early) {
    launch(is_early, memory.in, memory.between, n, columns, stream);
    launch(is_early, memory.between, memory.out, n, columns, stream);
  };
  time("one launch", bits, stream,
       [&] { launch(false, memory.in, memory.out, n, columns, stream); });
  time("one early launch", bits, stream,
       [&] { launch(true, memory.in, memory.out, n, columns, stream); });
  time("two launches", bits, stream, [&] { two(false); });
  time("two early launches", bits, stream, [&] { two(true); });
  const int threads = n * 4 / 8 < 512 ? n * 4 / 8 : 512;
  int most = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, together, threads, 0), "count");
  const int workgroups = columns / 4 < 132 * most ? columns / 4 : 132 * most;
  int n_given = n, columns_given = columns;
  buffers given = memory;
  void* arguments[] = {&given.in, &given.between, &given.out, &n_given, &columns_given};
  time("one cooperative launch", bits, stream, [&] {
    check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(together), dim3(workgroups),
                                      dim3(threads), arguments, 0, stream),
          "launch together");
  });
  for (const bool is_early : {false, true}) {
    const captured graph = capture(stream, [&] { two(is_early); });
    time(is_early ? "graph of two early" : "graph of two", bits, stream,
         [&] { check(cudaGraphLaunch(graph.runnable, stream), "launch a graph"); });
  }
  const captured one =
      capture(stream, [&] { launch(false, memory.in, memory.out, n, columns, stream); });
  time("graph of one", bits, stream,
       [&] { check(cudaGraphLaunch(one.runnable, stream), "launch a graph"); });
  cudaGraphNode_t node;
  std::size_t count = 1;
  check(cudaGraphGetNodes(one.graph, &node, &count), "find a launch");
  cudaKernelNodeParams changed{};
  check(cudaGraphKernelNodeGetParams(node, &changed), "read a launch");
  time("graph of one, set anew", bits, stream, [&] {
    check(cudaGraphExecKernelNodeSetParams(one.runnable, node, &changed), "set a launch");
    check(cudaGraphLaunch(one.runnable, stream), "launch a graph");
  });
}

}  // namespace

int main() {
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
  buffers memory;
  for (float2** each : {&memory.in, &memory.between, &memory.out}) {
    check(cudaMalloc(each, sizeof(float2) << 22), "allocate");
    check(cudaMemset(*each, 0, sizeof(float2) << 22), "clear");
  }
  for (const int bits : {10, 14, 16, 18, 20, 22}) run(bits, stream, memory);
  return 0;
}
