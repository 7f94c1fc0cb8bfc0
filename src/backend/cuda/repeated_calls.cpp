// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/repeated_calls.hpp"

#include <algorithm>  // find_if, min_element
#include <cstring>    // memcmp

#include "backend/cuda/context.hpp"  // entered, check
#include "backend/cuda/queue.hpp"    // cuda_queue
#include "wingbeat/error.hpp"        // device_error

namespace wingbeat::backend::cuda {
namespace {

/// Lets this thread make graphs while other streams are being captured, for one scope.
class beside_captures {
 public:
  explicit beside_captures(const driver_api& api) : api_(api) {
    api_.exchange_capture_mode(&mode_);
  }
  beside_captures(const beside_captures&) = delete;
  beside_captures& operator=(const beside_captures&) = delete;
  ~beside_captures() { api_.exchange_capture_mode(&mode_); }

 private:
  const driver_api& api_;
  int mode_ = capture_mode_relaxed;
};

kernel_node described(const kernel& what, const launch_config& config, void** arguments) {
  return {.function = what.function(),
          .grid_x = config.grid_x,
          .block_x = config.block_x,
          .shared_bytes = config.shared_bytes,
          .arguments = arguments};
}

void copy(kernel_arguments from, std::vector<std::byte>& to) {
  std::size_t size_bytes = 0;
  for (const kernel_argument& each : from) size_bytes += each.size_bytes;
  to.resize(size_bytes);
  std::byte* at = to.data();
  for (const kernel_argument& each : from) {
    std::memcpy(at, each.at, each.size_bytes);
    at += each.size_bytes;
  }
}

bool is_equal(const std::vector<std::byte>& bytes, kernel_arguments arguments) {
  const std::byte* at = bytes.data();
  for (const kernel_argument& each : arguments) {
    if (std::memcmp(at, each.at, each.size_bytes) != 0) return false;
    at += each.size_bytes;
  }
  return true;
}

/// Launches at once, and adds each launch to a graph as long as the driver takes them.
class launches_to_remember final : public launch_sequence {
 public:
  launches_to_remember(const driver_api& api, queue& on) : on_(on), at_once_(on) {
    attempt([&] { graph_ = std::make_unique<call_graph>(api, on.context(), on.stream()); });
  }

  void launch(const backend::kernel& what, std::size_t workgroups,
              kernel_arguments arguments) override {
    at_once_.launch(what, workgroups, arguments);
    const auto& mine = static_cast<const kernel&>(what);
    if (graph_) attempt([&] { graph_->add(mine, mine.config(on_, workgroups), arguments); });
  }

  /// Returns the graph, or null where the driver refused it.
  [[nodiscard]] std::unique_ptr<call_graph> remembered() {
    if (graph_) attempt([&] { graph_->make_runnable(); });
    return std::move(graph_);
  }

 private:
  template <class Step>
  void attempt(Step step) {
    try {
      step();
    } catch (const device_error&) {
      graph_.reset();
    }
  }

  queue& on_;
  launches_at_once at_once_;
  std::unique_ptr<call_graph> graph_;
};

class launches_of_a_graph final : public launch_sequence {
 public:
  launches_of_a_graph(const queue& on, call_graph& graph) : on_(on), graph_(graph) {}
  void launch(const backend::kernel& what, std::size_t workgroups,
              kernel_arguments arguments) override {
    const auto& mine = static_cast<const kernel&>(what);
    graph_.set(next_++, mine, mine.config(on_, workgroups), arguments);
  }

 private:
  const queue& on_;
  call_graph& graph_;
  std::size_t next_ = 0;
};

}  // namespace

call_graph::call_graph(const driver_api& api, context_handle context, stream_handle stream)
    : api_(api), context_(context) {
  const entered current{api_, context_};
  check(api_, api_.stream_priority(stream, &priority_), "find a stream's priority");
  check(api_, api_.graph_create(&graph_, 0), "make a graph");
}

call_graph::~call_graph() {
  const entered current{api_, context_, std::nothrow};
  if (!current.is_current()) return;
  // One that runs is freed behind its run.
  if (runnable_ != nullptr) api_.runnable_destroy(runnable_);
  api_.graph_destroy(graph_);
}

void call_graph::add(const kernel& what, const launch_config& config, kernel_arguments arguments) {
  const entered current{api_, context_};
  argument_pointers pointers = pointers_to(arguments);
  const kernel_node as = described(what, config, pointers.data());
  node next{.handle = nullptr, .workgroups = config.grid_x, .arguments = {}};
  copy(arguments, next.arguments);
  check(api_, api_.graph_add_kernel(&next.handle, graph_, nullptr, 0, &as), "add to a graph");
  prioritize(next.handle);
  if (!nodes_.empty()) {
    graph_edge edge;
    if (what.starts_early()) edge.from_port = edge.type = graph_edge::programmatic;
    check(api_, api_.graph_add_edges(graph_, &nodes_.back().handle, &next.handle, &edge, 1),
          "order the launches of a graph");
  }
  nodes_.push_back(std::move(next));
}

void call_graph::prioritize(node_handle handle) const {
  if (priority_ == 0) return;
  const node_attribute priority{.value = priority_};
  check(api_, api_.graph_set_attribute(handle, node_attribute::priority, &priority),
        "set the priority of a graph's launch");
}

void call_graph::make_runnable() {
  const entered current{api_, context_};
  check(api_, api_.graph_make_runnable(&runnable_, graph_, 0), "make a graph ready to launch");
}

void call_graph::set(std::size_t index, const kernel& what, const launch_config& config,
                     kernel_arguments arguments) {
  node& known = nodes_[index];
  if (config.grid_x == known.workgroups && is_equal(known.arguments, arguments)) return;
  argument_pointers pointers = pointers_to(arguments);
  const kernel_node as = described(what, config, pointers.data());
  const entered current{api_, context_};
  check(api_, api_.runnable_set_kernel(runnable_, known.handle, &as),
        "give a graph other arguments");
  known.workgroups = config.grid_x;
  copy(arguments, known.arguments);
}

void call_graph::launch(stream_handle stream) const {
  const entered current{api_, context_};
  check(api_, api_.runnable_launch(runnable_, stream), "launch a graph");
}

void repeated_calls::call(backend::queue& on, const launches& made) {
  queue& target = cuda_queue(on);
  launches_at_once plain{target};
  const std::unique_lock held{mutex_, std::try_to_lock};
  if (!held.owns_lock() || target.context() != context_ || is_captured(target.stream())) {
    made(plain);
    return;
  }
  stream_calls& mine = calls_on(target.stream());
  if (mine.graph) {
    launches_of_a_graph again{target, *mine.graph};
    made(again);
    mine.graph->launch(target.stream());
  } else if (mine.last_call == 0 || mine.is_remembered) {
    made(plain);
  } else {
    const beside_captures scope{api_};
    launches_to_remember second{api_, target};
    made(second);
    mine.graph = second.remembered();
    mine.is_remembered = true;
  }
  mine.last_call = ++n_calls_;
}

bool repeated_calls::is_captured(stream_handle stream) const {
  const entered current{api_, context_};
  int status = 0;
  return api_.stream_is_capturing(stream, &status) != success || status != 0;
}

repeated_calls::stream_calls& repeated_calls::calls_on(stream_handle stream) {
  const auto is_mine = [&](const stream_calls& each) {
    return each.last_call > 0 && each.stream == stream;
  };
  const auto found = std::find_if(streams_.begin(), streams_.end(), is_mine);
  if (found != streams_.end()) return *found;
  const auto is_older = [](const stream_calls& a, const stream_calls& b) {
    return a.last_call < b.last_call;
  };
  stream_calls& oldest = *std::min_element(streams_.begin(), streams_.end(), is_older);
  oldest = {};
  oldest.stream = stream;
  return oldest;
}

}  // namespace wingbeat::backend::cuda
