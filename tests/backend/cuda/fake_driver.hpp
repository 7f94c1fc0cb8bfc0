// SPDX-License-Identifier: Apache-2.0
// A CUDA driver and an NVRTC made of host memory, so that the cuda engine's own logic is tested
// on machines without a GPU: who is current, what is asked, what a refusal turns into.
#pragma once

#include <array>
#include <atomic>
#include <cstdlib>  // malloc, free
#include <cstring>  // memcpy
#include <memory>   // unique_ptr
#include <mutex>
#include <string>
#include <utility>  // pair
#include <vector>

#include "backend/cuda/driver.hpp"

namespace wingbeat::test {

namespace cuda = backend::cuda;

/// One launch as the driver would see it.
struct fake_launch {
  unsigned grid_x, block_x, shared_bytes;
  cuda::stream_handle stream;
  std::array<const void*, 3> pointers;      // in, out, table
  std::array<std::uint64_t, 3> quantities;  // in_first, out_first, batch
  bool is_early = false;                    // alone, or along its edge of a graph
  bool is_of_graph = false;
};

/// A graph of launches, which is also what it is made ready as.
struct fake_node {
  fake_launch launch;
  fake_node* after = nullptr;
};
struct fake_graph {
  std::vector<std::unique_ptr<fake_node>> nodes;
};

/// What the fake does next and what it saw. Reset it at the start of each test.
struct fake_machine {
  static constexpr std::size_t memory_bytes = 1 << 20;

  cuda::result init_status = cuda::success;
  cuda::result image_status = cuda::success;  // of loading a module
  int n_devices = 2;
  int capability_major = 9;
  bool has_clusters = true;
  int max_threads = 1024;
  int driver_version = 13020;
  int nvrtc_version = 130;  // 10 major + minor
  std::atomic<bool> is_shut_down = false;
  std::atomic<int> n_compilations = 0;
  std::atomic<int> n_images = 0, n_events = 0, n_streams = 0, n_allocations = 0, n_opened = 0;
  std::atomic<int> n_calls_out_of_context = 0, n_context_waits = 0, n_stream_waits = 0;
  std::atomic<int> dynamic_shared_bytes = 0;
  enum class graph_step { none, create, add, order, instantiate };
  graph_step refused_step = graph_step::none;
  cuda::result peer_status = cuda::success;
  std::vector<std::pair<cuda::context_handle, cuda::context_handle>> peers;
  int capture_status = 0;  // 1: active, 2: invalidated
  cuda::result capture_query = cuda::success;
  std::atomic<int> n_graphs = 0, n_runnables = 0, n_set_anew = 0, n_strict_calls = 0;
  cuda::stream_handle captured = nullptr;
  std::vector<std::unique_ptr<fake_graph>> graphs;  // also those that a test's end leaves
  std::mutex mutex;
  std::vector<fake_launch> launches;
  std::vector<std::string> options;  // of the last compilation
};

/// Returns the fake of this test; `fresh` starts over.
inline fake_machine& machine(bool fresh = false) {
  static auto current = std::make_unique<fake_machine>();
  if (fresh) current = std::make_unique<fake_machine>();
  return *current;
}

/// The calling thread's stack of contexts, as the driver keeps it.
inline std::vector<cuda::context_handle>& contexts() {
  thread_local std::vector<cuda::context_handle> stack;
  return stack;
}

/// The calling thread's capture mode; 0 is the strictest.
inline int& capture_mode() {
  thread_local int mode = 0;
  return mode;
}

/// To be called by what the driver refuses while another stream is being captured, unless the
/// calling thread's mode is relaxed.
inline void count_if_strict() {
  if (capture_mode() != cuda::capture_mode_relaxed) ++machine().n_strict_calls;
}

template <class Handle>
Handle handle_numbered(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

/// Status of a call that needs a current context.
inline cuda::result in_context() {
  constexpr cuda::result deinitialized = 4, invalid_context = 201;
  if (machine().is_shut_down) return deinitialized;
  if (!contexts().empty()) return cuda::success;
  ++machine().n_calls_out_of_context;
  return invalid_context;
}

inline void fake_devices(cuda::driver_api& api) {
  api.error_name = [](int, const char** name) { return *name = "CUDA_ERROR_FAKE", 0; };
  api.error_text = [](int, const char** text) { return *text = "as the test wished", 0; };
  api.init = [](unsigned) { return machine().init_status; };
  api.driver_version = [](int* version) { return *version = machine().driver_version, 0; };
  api.device_count = [](int* n) { return *n = machine().n_devices, 0; };
  api.device_get = [](int* ordinal, int index) { return *ordinal = index, 0; };
  api.device_name = [](char* name, int, int) { return std::strcpy(name, "Fake GPU"), 0; };
  api.device_memory = [](std::size_t* n, int) { return *n = fake_machine::memory_bytes, 0; };
  api.device_attribute = [](int* value, int attribute, int) {
    using namespace cuda::device_attribute;
    switch (attribute) {
      case compute_capability_major: *value = machine().capability_major; break;
      case compute_capability_minor: *value = 0; break;
      case max_shared_memory_per_block_optin: *value = 232448; break;
      case multiprocessor_count: *value = 132; break;
      case cluster_launch:
        if (machine().capability_major < 9) return 1;  // drivers that do not know it
        *value = machine().has_clusters ? 1 : 0;
        break;
      default: *value = 1024;
    }
    return 0;
  };
  api.primary_context_retain = [](cuda::context_handle* result, int ordinal) {
    return *result = handle_numbered<cuda::context_handle>(100 + ordinal), 0;
  };
  api.context_push = [](cuda::context_handle context) {
    if (machine().is_shut_down) return 4;
    return contexts().push_back(context), 0;
  };
  api.context_pop = [](cuda::context_handle* left) {
    *left = contexts().back();
    return contexts().pop_back(), 0;
  };
  api.context_current = [](cuda::context_handle* current) {
    return *current = contexts().empty() ? nullptr : contexts().back(), 0;
  };
  api.context_device = [](int* ordinal) {
    *ordinal = static_cast<int>(reinterpret_cast<std::uintptr_t>(contexts().back()) - 100);
    return 0;
  };
  api.context_enable_peer = [](cuda::context_handle peer, unsigned) {
    if (machine().peer_status != cuda::success) return machine().peer_status;
    const auto pair = std::pair{contexts().back(), peer};
    for (const auto& each : machine().peers) {
      if (each == pair) return cuda::peer_access_already_enabled;
    }
    return machine().peers.push_back(pair), in_context();
  };
  api.context_synchronize = [] { return ++machine().n_context_waits, in_context(); };
}

inline void fake_memory(cuda::driver_api& api) {
  api.memory_allocate = [](cuda::device_address* result, std::size_t size_bytes) {
    count_if_strict();
    if (const auto status = in_context()) return status;
    if (size_bytes > fake_machine::memory_bytes) return cuda::out_of_memory;
    ++machine().n_allocations;
    return *result = reinterpret_cast<cuda::device_address>(std::malloc(size_bytes)), 0;
  };
  api.memory_free = [](cuda::device_address address) {
    count_if_strict();
    if (const auto status = in_context()) return status;
    --machine().n_allocations;
    return std::free(reinterpret_cast<void*>(address)), 0;
  };
  api.memory_share = [](cuda::shared_handle* result, cuda::device_address address) {
    std::memcpy(result->bytes, &address, sizeof address);
    return in_context();
  };
  api.memory_open = [](cuda::device_address* result, cuda::shared_handle handle, unsigned flags) {
    if (machine().peer_status != cuda::success) return machine().peer_status;
    std::memcpy(result, handle.bytes, sizeof *result);
    ++machine().n_opened;
    return flags == cuda::open_with_peer_access ? in_context() : 1;
  };
  api.memory_close = [](cuda::device_address) { return --machine().n_opened, in_context(); };
  api.memory_info = [](std::size_t* free, std::size_t* total) {
    return *free = *total = fake_machine::memory_bytes, 0;
  };
  api.copy_to_device = [](cuda::device_address to, const void* from, std::size_t size_bytes,
                          cuda::stream_handle) {
    return std::memcpy(reinterpret_cast<void*>(to), from, size_bytes), in_context();
  };
  api.copy_to_host = [](void* to, cuda::device_address from, std::size_t size_bytes,
                        cuda::stream_handle) {
    return std::memcpy(to, reinterpret_cast<void*>(from), size_bytes), in_context();
  };
  api.set_words = [](cuda::device_address target, unsigned value, std::size_t count,
                     cuda::stream_handle) {
    std::fill_n(reinterpret_cast<unsigned*>(target), count, value);
    return cuda::success;
  };
  api.copy_on_device = [](cuda::device_address to, cuda::device_address from,
                          std::size_t size_bytes, cuda::stream_handle) {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), size_bytes);
    return in_context();
  };
  api.copy_rows = [](const cuda::copied_rows* rows, cuda::stream_handle) {
    for (std::size_t row = 0; row < rows->count; ++row) {
      std::memcpy(reinterpret_cast<void*>(rows->target + row * rows->target_stride),
                  reinterpret_cast<void*>(rows->source + row * rows->source_stride),
                  rows->row_bytes);
    }
    return in_context();
  };
}

inline void fake_streams(cuda::driver_api& api) {
  api.stream_create = [](cuda::stream_handle* result, unsigned, int) {
    *result = handle_numbered<cuda::stream_handle>(static_cast<unsigned>(++machine().n_streams));
    return in_context();
  };
  api.stream_destroy = [](cuda::stream_handle) { return --machine().n_streams, in_context(); };
  api.stream_synchronize = [](cuda::stream_handle) {
    return ++machine().n_stream_waits, in_context();
  };
  api.event_create = [](cuda::event_handle* result, unsigned) {
    *result = handle_numbered<cuda::event_handle>(static_cast<unsigned>(++machine().n_events));
    return in_context();
  };
  api.event_destroy = [](cuda::event_handle) { return --machine().n_events, in_context(); };
  api.event_record = [](cuda::event_handle, cuda::stream_handle) { return in_context(); };
  api.event_synchronize = [](cuda::event_handle) { return in_context(); };
  api.event_elapsed_ms = [](float* elapsed_ms, cuda::event_handle, cuda::event_handle) {
    return *elapsed_ms = 250, in_context();
  };
}

/// Kernels of these tests have the parameters of a pass; a launch may come without arguments.
inline cuda::result fake_driver_launch(cuda::function_handle, unsigned grid_x, unsigned, unsigned,
                                       unsigned block_x, unsigned, unsigned, unsigned shared_bytes,
                                       cuda::stream_handle stream, void** arguments, void**) {
  const auto pointer = [&](int i) {
    return arguments[i] == nullptr ? nullptr : *static_cast<void**>(arguments[i]);
  };
  const auto quantity = [&](int i) {
    return arguments[i] == nullptr ? 0 : *static_cast<std::uint64_t*>(arguments[i]);
  };
  const std::lock_guard held{machine().mutex};
  machine().launches.push_back({grid_x,
                                block_x,
                                shared_bytes,
                                stream,
                                {pointer(0), pointer(1), pointer(2)},
                                {quantity(3), quantity(4), quantity(5)}});
  return in_context();
}

inline void fake_kernels(cuda::driver_api& api) {
  api.module_load = [](cuda::module_handle* result, const void*) {
    count_if_strict();
    if (machine().image_status != cuda::success) return machine().image_status;
    *result = handle_numbered<cuda::module_handle>(static_cast<unsigned>(++machine().n_images));
    return in_context();
  };
  api.module_unload = [](cuda::module_handle) {
    count_if_strict();
    return --machine().n_images, in_context();
  };
  api.module_function = [](cuda::function_handle* found, cuda::module_handle, const char*) {
    return *found = handle_numbered<cuda::function_handle>(7), in_context();
  };
  api.function_attribute = [](int* value, int attribute, cuda::function_handle) {
    *value = attribute == 0 ? machine().max_threads : attribute == 1 ? 16 : attribute == 4 ? 40 : 0;
    return in_context();
  };
  api.function_set_attribute = [](cuda::function_handle, int attribute, int value) {
    if (attribute == 8) machine().dynamic_shared_bytes = value;
    return in_context();
  };
  api.resident_workgroups = [](int* count, cuda::function_handle, int, std::size_t) {
    *count = 1;
    return in_context();
  };
  api.launch = fake_driver_launch;
  api.launch_configured = [](const cuda::launch_config* config, cuda::function_handle function,
                             void** arguments, void** extra) {
    const cuda::result status = fake_driver_launch(
        function, config->grid_x, config->grid_y, config->grid_z, config->block_x, config->block_y,
        config->block_z, config->shared_bytes, config->stream, arguments, extra);
    const std::lock_guard held{machine().mutex};
    machine().launches.back().is_early =
        config->n_attributes == 1 && config->attributes->value == 1 &&
        config->attributes->key == cuda::launch_attribute::programmatic_stream_serialization;
    return status;
  };
}

inline fake_launch launch_of(const cuda::kernel_node& given) {
  fake_launch result{given.grid_x, given.block_x, given.shared_bytes, nullptr, {}, {}};
  for (int i = 0; i < 3; ++i) result.pointers[i] = *static_cast<void**>(given.arguments[i]);
  for (int i = 0; i < 3; ++i) {
    result.quantities[i] = *static_cast<std::uint64_t*>(given.arguments[3 + i]);
  }
  result.is_of_graph = true;
  return result;
}

/// Status of a step of making or destroying a graph.
inline cuda::result graph_step(fake_machine::graph_step step) {
  count_if_strict();
  constexpr cuda::result unsupported = 801;
  const bool is_refused = step != fake_machine::graph_step::none && machine().refused_step == step;
  return is_refused ? unsupported : in_context();
}

inline void fake_graphs(cuda::driver_api& api) {
  using step = fake_machine::graph_step;
  api.graph_create = [](cuda::graph_handle* result, unsigned) {
    if (const auto status = graph_step(step::create)) return status;
    ++machine().n_graphs;
    machine().graphs.push_back(std::make_unique<fake_graph>());
    *result = reinterpret_cast<cuda::graph_handle>(machine().graphs.back().get());
    return cuda::success;
  };
  api.graph_destroy = [](cuda::graph_handle gone) {
    --machine().n_graphs;
    std::erase_if(machine().graphs, [&](const std::unique_ptr<fake_graph>& each) {
      return each.get() == reinterpret_cast<fake_graph*>(gone);
    });
    return graph_step(step::none);
  };
  api.graph_add_kernel = [](cuda::node_handle* result, cuda::graph_handle graph,
                            const cuda::node_handle*, std::size_t,
                            const cuda::kernel_node* parameters) {
    if (const auto status = graph_step(step::add)) return status;
    auto& nodes = reinterpret_cast<fake_graph*>(graph)->nodes;
    nodes.push_back(std::make_unique<fake_node>(fake_node{launch_of(*parameters)}));
    *result = reinterpret_cast<cuda::node_handle>(nodes.back().get());
    return cuda::success;
  };
  api.graph_add_edges = [](cuda::graph_handle, const cuda::node_handle* from,
                           const cuda::node_handle* to, const cuda::graph_edge* parameters,
                           std::size_t) {
    if (const auto status = graph_step(step::order)) return status;
    auto* const later = reinterpret_cast<fake_node*>(*to);
    later->after = reinterpret_cast<fake_node*>(*from);
    later->launch.is_early = parameters->type == 1 && parameters->from_port == 1;
    return cuda::success;
  };
}

inline void fake_runnables(cuda::driver_api& api) {
  using step = fake_machine::graph_step;
  api.graph_make_runnable = [](cuda::runnable_handle* result, cuda::graph_handle graph,
                               unsigned long long) {
    if (const auto status = graph_step(step::instantiate)) return status;
    ++machine().n_runnables;
    *result = reinterpret_cast<cuda::runnable_handle>(graph);
    return cuda::success;
  };
  api.runnable_destroy = [](cuda::runnable_handle) {
    return --machine().n_runnables, graph_step(step::none);
  };
  api.runnable_set_kernel = [](cuda::runnable_handle, cuda::node_handle node,
                               const cuda::kernel_node* parameters) {
    ++machine().n_set_anew;
    fake_launch& launch = reinterpret_cast<fake_node*>(node)->launch;
    const bool is_early = launch.is_early;
    launch = launch_of(*parameters);
    launch.is_early = is_early;
    return in_context();
  };
  // Launches that no edge orders behind the one before are seen without a grid.
  api.runnable_launch = [](cuda::runnable_handle graph, cuda::stream_handle stream) {
    const std::lock_guard held{machine().mutex};
    fake_node* before = nullptr;
    for (const auto& each : reinterpret_cast<fake_graph*>(graph)->nodes) {
      machine().launches.push_back(each->launch);
      machine().launches.back().stream = stream;
      if (each->after != before) machine().launches.back().grid_x = 0;
      before = each.get();
    }
    return in_context();
  };
  api.stream_is_capturing = [](cuda::stream_handle stream, int* status) {
    *status = stream == machine().captured ? machine().capture_status : 0;
    return machine().capture_query;
  };
  api.exchange_capture_mode = [](int* mode) {
    return std::swap(*mode, capture_mode()), cuda::success;
  };
}

inline cuda::driver_api fake_driver() {
  cuda::driver_api api{};
  fake_graphs(api);
  fake_runnables(api);
  fake_devices(api);
  fake_memory(api);
  fake_streams(api);
  fake_kernels(api);
  return api;
}

/// An NVRTC whose cubin of every text is "cubin" and whose log tells 40 registers for `kernel`.
inline wingbeat::opened<cuda::nvrtc_api> fake_nvrtc() {
  static constexpr char log[] =
      "Compiling entry function 'kernel' for 'sm_90'\n"
      " 8 bytes stack frame, 4 bytes spill stores, 6 bytes spill loads\nUsed 40 registers\n";
  cuda::nvrtc_api api{};
  api.error_text = [](int) { return "as the test wished"; };
  api.version = [](int* major, int* minor) {
    return *major = machine().nvrtc_version / 10, *minor = machine().nvrtc_version % 10, 0;
  };
  api.n_architectures = [](int* n) { return *n = 2, 0; };
  api.architectures = [](int* each) { return each[0] = 80, each[1] = 90, 0; };
  api.create = [](cuda::program_handle*, const char*, const char*, int, const char* const*,
                  const char* const*) { return 0; };
  api.destroy = [](cuda::program_handle*) { return 0; };
  api.compile = [](cuda::program_handle, int n, const char* const* options) {
    const std::lock_guard held{machine().mutex};
    machine().options.assign(options, options + n);
    return ++machine().n_compilations, 0;
  };
  api.cubin_size = [](cuda::program_handle, std::size_t* n) { return *n = 5, 0; };
  api.cubin = [](cuda::program_handle, char* to) { return std::memcpy(to, "cubin", 5), 0; };
  api.log_size = [](cuda::program_handle, std::size_t* n) { return *n = sizeof log, 0; };
  api.log = [](cuda::program_handle, char* to) { return std::memcpy(to, log, sizeof log), 0; };
  return {api, ""};
}

}  // namespace wingbeat::test
