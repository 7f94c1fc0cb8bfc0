// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/repeated_calls.hpp"

#include <cstring>    // memcmp, memcpy
#include <exception>  // exception
#include <utility>    // move

#include "backend/cuda/context.hpp"  // entered, check, relaxed_capture_mode
#include "backend/cuda/queue.hpp"    // cuda_queue

namespace wingbeat::backend::cuda {
namespace {

kernel_node node_of(const kernel& launched, const launch_config& config, void** arguments) {
  return {.function = launched.function(),
          .grid_x = config.grid_x,
          .block_x = config.block_x,
          .shared_bytes = config.shared_bytes,
          .arguments = arguments};
}

std::size_t bytes_of(kernel_arguments arguments) {
  std::size_t size_bytes = 0;
  for (const kernel_argument& each : arguments) size_bytes += each.size_bytes;
  return size_bytes;
}

void copy(kernel_arguments from, std::vector<std::byte>& to) {
  to.resize(bytes_of(from));
  std::byte* position = to.data();
  for (const kernel_argument& each : from) {
    std::memcpy(position, each.data, each.size_bytes);
    position += each.size_bytes;
  }
}

bool is_equal(const std::vector<std::byte>& bytes, kernel_arguments arguments) {
  if (bytes.size() != bytes_of(arguments)) return false;
  const std::byte* position = bytes.data();
  for (const kernel_argument& each : arguments) {
    if (std::memcmp(position, each.data, each.size_bytes) != 0) return false;
    position += each.size_bytes;
  }
  return true;
}

/// Queues each launch at once and adds it to a graph, unless the driver refuses the graph.
class recorded_launches final : public launch_sequence {
 public:
  recorded_launches(const driver_api& api, queue& target) : target_(target), immediate_(target) {
    attempt([&] { graph_ = std::make_unique<call_graph>(api, target.context()); });
  }

  void launch(const backend::kernel& launched, std::size_t workgroups,
              kernel_arguments arguments) override {
    immediate_.launch(launched, workgroups, arguments);
    const auto& added = static_cast<const kernel&>(launched);
    if (graph_) attempt([&] { graph_->add(added, added.config(target_, workgroups), arguments); });
  }

  /// Returns the graph, or null if the driver refused it.
  [[nodiscard]] std::unique_ptr<call_graph> graph() {
    if (graph_) attempt([&] { graph_->instantiate(); });
    return std::move(graph_);
  }

 private:
  /// Drops the graph if a step of its creation fails, because the call itself succeeded.
  template <class Step>
  void attempt(Step step) {
    try {
      step();
    } catch (const std::exception&) {
      graph_.reset();
    }
  }

  queue& target_;
  immediate_launches immediate_;
  std::unique_ptr<call_graph> graph_;
};

/// Sets the arguments of a graph's launches, in order.
class graph_launches final : public launch_sequence {
 public:
  graph_launches(const queue& target, call_graph& graph) : target_(target), graph_(graph) {}
  void launch(const backend::kernel& launched, std::size_t workgroups,
              kernel_arguments arguments) override {
    const auto& set = static_cast<const kernel&>(launched);
    graph_.set(next_++, set, set.config(target_, workgroups), arguments);
  }

 private:
  const queue& target_;
  call_graph& graph_;
  std::size_t next_ = 0;
};

}  // namespace

call_graph::call_graph(const driver_api& api, context_handle context)
    : api_(api), context_(context) {
  const entered current{api_, context_};
  check(api_, api_.graph_create(&graph_, 0), "make a graph");
}

call_graph::~call_graph() {
  const entered current{api_, context_, std::nothrow};
  if (!current.is_current()) return;
  const relaxed_capture_mode relaxed{api_};
  // If the graph is running, the driver frees it when it has ended.
  if (runnable_ != nullptr) api_.runnable_destroy(runnable_);
  api_.graph_destroy(graph_);
}

void call_graph::add(const kernel& added, const launch_config& config, kernel_arguments arguments) {
  const entered current{api_, context_};
  argument_pointers pointers = pointers_to(arguments);
  const kernel_node described = node_of(added, config, pointers.data());
  node added_node;
  added_node.workgroups = config.grid_x;
  copy(arguments, added_node.arguments);
  check(api_, api_.graph_add_kernel(&added_node.handle, graph_, nullptr, 0, &described),
        "add a launch to a graph");
  if (!nodes_.empty()) {
    graph_edge edge;
    if (added.starts_early()) edge.from_port = edge.type = graph_edge::programmatic;
    check(api_, api_.graph_add_edges(graph_, &nodes_.back().handle, &added_node.handle, &edge, 1),
          "order the launches of a graph");
  }
  nodes_.push_back(std::move(added_node));
}

void call_graph::instantiate() {
  const entered current{api_, context_};
  check(api_, api_.graph_make_runnable(&runnable_, graph_, 0), "make a graph ready to launch");
}

void call_graph::set(std::size_t index, const kernel& launched, const launch_config& config,
                     kernel_arguments arguments) {
  node& known = nodes_.at(index);
  if (config.grid_x == known.workgroups && is_equal(known.arguments, arguments)) return;
  argument_pointers pointers = pointers_to(arguments);
  const kernel_node described = node_of(launched, config, pointers.data());
  const entered current{api_, context_};
  check(api_, api_.runnable_set_kernel(runnable_, known.handle, &described),
        "set the arguments of a graph's launch");
  known.workgroups = config.grid_x;
  copy(arguments, known.arguments);
}

void call_graph::launch(stream_handle stream) const {
  const entered current{api_, context_};
  check(api_, api_.runnable_launch(runnable_, stream), "launch a graph");
}

void repeated_calls::call(backend::queue& target, const call_body& body) {
  queue& on = cuda_queue(target);
  if (on.context() == context_ && !is_captured(on.stream())) {
    if (const locked_calls stream = lock_calls_on(on.stream()); stream.calls != nullptr) {
      return call_on(*stream.calls, on, body);
    }
  }
  immediate_launches launches{on};
  body(launches);
}

void repeated_calls::call_on(stream_calls& stream, queue& target, const call_body& body) {
  if (stream.graph) {
    graph_launches launches{target, *stream.graph};
    body(launches);
    stream.graph->launch(target.stream());
  } else if (stream.n_calls == 1) {
    const relaxed_capture_mode relaxed{api_};
    recorded_launches launches{api_, target};
    body(launches);
    stream.graph = launches.graph();
  } else {
    immediate_launches launches{target};
    body(launches);
  }
  if (stream.n_calls < 2) ++stream.n_calls;  // counts calls that did not throw
}

bool repeated_calls::is_captured(stream_handle stream) const {
  const entered current{api_, context_};
  int status = 0;
  return api_.stream_is_capturing(stream, &status) != success || status != 0;
}

/// Returns the calls on a stream, in place of those of the least recently called stream if it has
/// none.
repeated_calls::locked_calls repeated_calls::lock_calls_on(stream_handle stream) {
  const std::lock_guard protect{mutex_};
  stream_calls* found = nullptr;
  for (stream_calls& each : streams_) {
    const bool has_calls = each.last_call > 0 && each.stream == stream;
    if (has_calls || found == nullptr || each.last_call < found->last_call) found = &each;
    if (has_calls) break;
  }
  std::unique_lock lock{found->mutex, std::try_to_lock};
  if (!lock.owns_lock()) return {};
  if (found->last_call == 0 || found->stream != stream) {
    found->stream = stream;
    found->n_calls = 0;
    found->graph.reset();
  }
  found->last_call = ++clock_;
  return {found, std::move(lock)};
}

}  // namespace wingbeat::backend::cuda
