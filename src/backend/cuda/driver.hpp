// SPDX-License-Identifier: Apache-2.0
// The few functions of the CUDA driver and of NVRTC that wingbeat calls, declared here and opened
// while the program runs: no toolkit is needed to build, no GPU to start.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <span>
#include <string>
#include <vector>

#include "system/shared_library.hpp"  // opened

namespace wingbeat::backend::cuda {

using result = int;                    // CUresult; nvrtcResult has other codes, but the same 0
using device_ordinal = int;            // CUdevice
using device_address = std::uint64_t;  // CUdeviceptr
using context_handle = struct CUctx_st*;
using stream_handle = struct CUstream_st*;
using event_handle = struct CUevent_st*;
using module_handle = struct CUmod_st*;
using function_handle = struct CUfunc_st*;
using graph_handle = struct CUgraph_st*;
using node_handle = struct CUgraphNode_st*;
using runnable_handle = struct CUgraphExec_st*;  // a graph made ready to launch
using program_handle = struct _nvrtcProgram*;

inline constexpr result success = 0;
inline constexpr result out_of_memory = 2;
inline constexpr result not_ready = 600;
inline constexpr result peer_access_already_enabled = 704;

inline constexpr unsigned stream_non_blocking = 1;  // does not wait for the default stream
inline constexpr int usual_priority = 0, high_priority = -1;  // of streams
inline constexpr unsigned event_default = 0;                  // with timing
inline constexpr unsigned pinned_for_all_contexts = 1;
inline constexpr int capture_mode_relaxed = 2;
inline constexpr unsigned open_with_peer_access = 1;  // if it is another device

/// The first driver that captures early launches into graphs: CUDA 12.3.
inline constexpr int first_driver_of_early_launches = 12030;

/// CUipcMemHandle: a handle by which another process opens memory.
struct shared_handle {
  char bytes[64] = {};
};

/// CUDA_MEMCPY2D: rows of bytes from device memory to device memory.
struct copied_rows {
  static constexpr int device_memory = 2;
  std::size_t source_x = 0, source_y = 0;
  int source_kind = device_memory;
  const void* source_host = nullptr;
  device_address source = 0;
  void* source_array = nullptr;
  std::size_t source_stride = 0;
  std::size_t target_x = 0, target_y = 0;
  int target_kind = device_memory;
  void* target_host = nullptr;
  device_address target = 0;
  void* target_array = nullptr;
  std::size_t target_stride = 0;
  std::size_t row_bytes = 0, count = 0;
};
static_assert(sizeof(copied_rows) == 128);
/// The driver refuses larger strides.
inline constexpr std::size_t max_stride_bytes = 0x7fffffff;

/// CUlaunchAttribute: a number, or a flag, in a union of 64 bytes.
struct launch_attribute {
  static constexpr int programmatic_stream_serialization = 6;
  alignas(8) int key = 0;
  alignas(8) int value = 0;
  char reserved[60] = {};
};
/// CUlaunchConfig.
struct launch_config {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  stream_handle stream = nullptr;
  launch_attribute* attributes = nullptr;
  unsigned n_attributes = 0;
};
static_assert(sizeof(launch_attribute) == 72 && sizeof(launch_config) == 56);

/// CUDA_KERNEL_NODE_PARAMS_v2: a launch in a graph.
struct kernel_node {
  function_handle function = nullptr;
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
  void* library_kernel = nullptr;  // instead of `function`
  context_handle context = nullptr;
};
/// CUgraphEdgeData: a launch that may begin when all workgroups of the one before it allow it.
struct graph_edge {
  static constexpr unsigned char programmatic = 1;
  unsigned char from_port = 0, to_port = 0, type = 0;
  unsigned char reserved[5] = {};
};
static_assert(sizeof(kernel_node) == 72 && sizeof(graph_edge) == 8);

namespace device_attribute {
inline constexpr int max_threads_per_block = 1;
inline constexpr int multiprocessor_count = 16;
inline constexpr int compute_capability_major = 75;
inline constexpr int compute_capability_minor = 76;
inline constexpr int max_shared_memory_per_block_optin = 97;
inline constexpr int cluster_launch = 120;  // in drivers since CUDA 11.8, which sm_90 needs
}  // namespace device_attribute

namespace function_attribute {
inline constexpr int max_threads_per_block = 0;
inline constexpr int static_shared_bytes = 1;
inline constexpr int local_bytes = 3;
inline constexpr int registers = 4;
inline constexpr int max_dynamic_shared_bytes = 8;
inline constexpr int preferred_shared_carveout = 9;  // in percent
inline constexpr int non_portable_cluster = 14;      // clusters of more than 8
}  // namespace function_attribute

/// The driver's functions. Trivially destructible, so that it outlives every object with static
/// storage; the exact symbol of each is in driver.cpp.
struct driver_api {
  result (*error_name)(result, const char**);
  result (*error_text)(result, const char**);
  result (*init)(unsigned flags);
  result (*driver_version)(int*);  // 1000 major + 10 minor

  result (*device_count)(int*);
  result (*device_get)(device_ordinal*, int index);
  result (*device_name)(char*, int size, device_ordinal);
  result (*device_memory)(std::size_t*, device_ordinal);
  result (*device_attribute)(int*, int attribute, device_ordinal);

  result (*primary_context_retain)(context_handle*, device_ordinal);
  result (*context_push)(context_handle);
  result (*context_pop)(context_handle*);
  result (*context_current)(context_handle*);
  result (*context_device)(device_ordinal*);
  result (*context_synchronize)();
  result (*context_enable_peer)(context_handle peer, unsigned flags);  // of the current context

  result (*memory_allocate)(device_address*, std::size_t);
  result (*memory_free)(device_address);
  result (*memory_info)(std::size_t* free, std::size_t* total);
  result (*pinned_allocate)(void**, std::size_t, unsigned flags);
  result (*pinned_free)(void*);
  result (*copy_to_device)(device_address, const void*, std::size_t, stream_handle);
  result (*copy_to_host)(void*, device_address, std::size_t, stream_handle);
  result (*copy_on_device)(device_address, device_address, std::size_t, stream_handle);
  result (*copy_rows)(const copied_rows*, stream_handle);
  /// Memory of other processes; null in drivers without it.
  result (*memory_share)(shared_handle*, device_address);
  result (*memory_open)(device_address*, shared_handle, unsigned flags);
  result (*memory_close)(device_address);
  result (*set_words)(device_address, unsigned value, std::size_t count, stream_handle);

  result (*stream_create)(stream_handle*, unsigned flags, int priority);
  result (*stream_destroy)(stream_handle);
  result (*stream_synchronize)(stream_handle);
  result (*stream_wait_event)(stream_handle, event_handle, unsigned flags);
  result (*event_create)(event_handle*, unsigned flags);
  result (*event_destroy)(event_handle);
  result (*event_record)(event_handle, stream_handle);
  result (*event_synchronize)(event_handle);
  result (*event_query)(event_handle);
  result (*event_elapsed_ms)(float*, event_handle from, event_handle to);

  result (*module_load)(module_handle*, const void* image);
  result (*module_unload)(module_handle);
  result (*module_function)(function_handle*, module_handle, const char* name);
  result (*function_attribute)(int*, int attribute, function_handle);
  result (*function_set_attribute)(function_handle, int attribute, int value);
  result (*resident_workgroups)(int*, function_handle, int threads, std::size_t scratch_bytes);
  result (*launch)(function_handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   stream_handle, void** arguments, void** extra);
  /// Null in drivers before CUDA 11.8.
  result (*launch_configured)(const launch_config*, function_handle, void** arguments,
                              void** extra);

  /// Some are null in drivers before CUDA 12.3; see `has_graphs`.
  result (*graph_create)(graph_handle*, unsigned flags);
  result (*graph_destroy)(graph_handle);
  result (*graph_add_kernel)(node_handle*, graph_handle, const node_handle* after,
                             std::size_t n_after, const kernel_node*);
  result (*graph_add_edges)(graph_handle, const node_handle* from, const node_handle* to,
                            const graph_edge*, std::size_t count);
  result (*graph_make_runnable)(runnable_handle*, graph_handle, unsigned long long flags);
  result (*runnable_destroy)(runnable_handle);
  result (*runnable_set_kernel)(runnable_handle, node_handle, const kernel_node*);
  result (*runnable_launch)(runnable_handle, stream_handle);
  result (*stream_is_capturing)(stream_handle, int* status);  // 0: not capturing
  result (*exchange_capture_mode)(int* mode);                 // of the calling thread
};

/// Returns whether the driver has every function that graphs need.
[[nodiscard]] bool has_graphs(const driver_api& api);

/// NVRTC's functions: CUDA C++ text to machine code, without a GPU.
struct nvrtc_api {
  const char* (*error_text)(result);
  result (*version)(int* major, int* minor);
  result (*n_architectures)(int*);
  result (*architectures)(int*);  // 75, 80, 90 ... : sm_75, sm_80, sm_90
  result (*create)(program_handle*, const char* text, const char* name, int n_headers,
                   const char* const* headers, const char* const* names);
  result (*destroy)(program_handle*);
  result (*compile)(program_handle, int n_options, const char* const* options);
  result (*cubin_size)(program_handle, std::size_t*);
  result (*cubin)(program_handle, char*);
  result (*ptx_size)(program_handle, std::size_t*);
  result (*ptx)(program_handle, char*);
  result (*log_size)(program_handle, std::size_t*);
  result (*log)(program_handle, char*);
};

/// Opens the first of `candidates` (names for dlopen, or paths) that holds every function.
[[nodiscard]] opened<driver_api> open_driver(std::span<const std::string> candidates);
[[nodiscard]] opened<nvrtc_api> open_nvrtc(std::span<const std::string> candidates);

/// Returns the places where NVRTC may be, in the order tried.
[[nodiscard]] std::vector<std::string> nvrtc_candidates();

/// Returns NVRTC as opened once for this process.
[[nodiscard]] const opened<nvrtc_api>& process_nvrtc();

}  // namespace wingbeat::backend::cuda
