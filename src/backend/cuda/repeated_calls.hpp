// SPDX-License-Identifier: Apache-2.0
// Repeats a plan's calls as CUDA graphs, because launching a graph takes less time of the calling
// thread than launching a kernel: 1.1 microseconds instead of 2.6 to 3.4, and 0.4 for each launch
// whose arguments changed (bench/lessons/calls.md#graphs).
#pragma once

#include <array>
#include <cstddef>  // byte, size_t
#include <cstdint>  // uint64_t
#include <memory>   // unique_ptr
#include <mutex>
#include <vector>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/kernel.hpp"  // kernel
#include "backend/kernel.hpp"       // repeated_calls

namespace wingbeat::backend::cuda {

/// A graph of the launches of one call, each after the one before, with the arguments that were set
/// last. Its members throw `device_error`.
class call_graph {
 public:
  call_graph(const driver_api& api, context_handle context);
  call_graph(const call_graph&) = delete;
  call_graph& operator=(const call_graph&) = delete;
  ~call_graph();

  /// Adds a launch. Call it before `instantiate` only.
  void add(const kernel& added, const launch_config& config, kernel_arguments arguments);
  /// Makes the graph ready to launch.
  void instantiate();

  /// Sets grid and arguments of launch `index`, if they differ from those set last.
  void set(std::size_t index, const kernel& launched, const launch_config& config,
           kernel_arguments arguments);
  void launch(stream_handle stream) const;

 private:
  struct node {
    node_handle handle = nullptr;
    unsigned workgroups = 0;
    std::vector<std::byte> arguments;
  };

  const driver_api& api_;
  context_handle context_;
  graph_handle graph_ = nullptr;
  runnable_handle runnable_ = nullptr;
  std::vector<node> nodes_;
};

/// Launches the kernels of a stream's first two calls one by one, records the second as a graph,
/// and launches that graph for the third call and all later ones. Kernels are also launched one by
/// one into a stream that is being captured, if another thread is in a call on the same stream, and
/// if a plan is called on more than 8 streams in turn.
class repeated_calls final : public backend::repeated_calls {
 public:
  repeated_calls(const driver_api& api, context_handle context) : api_(api), context_(context) {}

  void call(backend::queue& target, const call_body& body) override;

 private:
  /// The calls on one stream. Its mutex is held during a call.
  struct stream_calls {
    std::mutex mutex;
    stream_handle stream = nullptr;
    std::uint64_t last_call = 0;  ///< 0: none.
    unsigned n_calls = 0;
    std::unique_ptr<call_graph> graph;  ///< Null before the second call, and if it was refused.
  };
  struct locked_calls {
    stream_calls* calls = nullptr;  ///< Null: all are in use by other threads.
    std::unique_lock<std::mutex> lock;
  };

  void call_on(stream_calls& stream, queue& target, const call_body& body);
  [[nodiscard]] bool is_captured(stream_handle stream) const;
  [[nodiscard]] locked_calls lock_calls_on(stream_handle stream);

  const driver_api& api_;
  context_handle context_;
  std::mutex mutex_;  ///< Protects `clock_`, and `stream` and `last_call` of each of `streams_`.
  std::uint64_t clock_ = 0;
  std::array<stream_calls, 8> streams_;
};

}  // namespace wingbeat::backend::cuda
