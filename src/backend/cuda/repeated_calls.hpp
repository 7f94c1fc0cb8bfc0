// SPDX-License-Identifier: Apache-2.0
// A plan's calls as graphs: launching a graph takes 1.1 microseconds of the calling thread where
// one kernel takes 2.6 to 3.4, and setting a launch's arguments anew 0.4 (bench/NOTES.md, 24).
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

/// The launches of one call, one behind another, and the arguments they were given last.
class call_graph {
 public:
  /// Of a stream's priority. Throws `device_error`, as all members do.
  call_graph(const driver_api& api, context_handle context, stream_handle stream);
  call_graph(const call_graph&) = delete;
  call_graph& operator=(const call_graph&) = delete;
  ~call_graph();

  void add(const kernel& what, const launch_config& config, kernel_arguments arguments);
  /// Ends the additions.
  void make_runnable();

  /// Gives launch `index` its arguments, unless it has them.
  void set(std::size_t index, const kernel& what, const launch_config& config,
           kernel_arguments arguments);
  void launch(stream_handle stream) const;

 private:
  struct node {
    node_handle handle = nullptr;
    unsigned workgroups = 0;
    std::vector<std::byte> arguments;
  };

  void prioritize(node_handle handle) const;

  const driver_api& api_;
  context_handle context_;
  int priority_ = 0;
  graph_handle graph_ = nullptr;
  runnable_handle runnable_ = nullptr;
  std::vector<node> nodes_;
};

/// The first call on a stream is launched kernel by kernel, and so is the second, which is
/// remembered as a graph; from then on the graph is launched. Kernel by kernel go also calls into a
/// stream that is being captured, calls while another thread is in one of this plan, and calls on
/// more than 8 streams in turn.
class repeated_calls final : public backend::repeated_calls {
 public:
  repeated_calls(const driver_api& api, context_handle context) : api_(api), context_(context) {}

  void call(backend::queue& on, const launches& made) override;

 private:
  struct stream_calls {
    stream_handle stream = nullptr;
    std::uint64_t last_call = 0;  ///< 0: none.
    bool is_remembered = false;   ///< Or could not be: then `graph` is null.
    std::unique_ptr<call_graph> graph;
  };

  [[nodiscard]] bool is_captured(stream_handle stream) const;
  [[nodiscard]] stream_calls& calls_on(stream_handle stream);

  const driver_api& api_;
  context_handle context_;
  std::mutex mutex_;  // of what follows
  std::uint64_t n_calls_ = 0;
  std::array<stream_calls, 8> streams_;
};

}  // namespace wingbeat::backend::cuda
