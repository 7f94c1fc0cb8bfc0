// SPDX-License-Identifier: Apache-2.0
#include "receive/receiver.hpp"

#include <exception>
#include <mutex>
#include <thread>

#include "net/memory_node.hpp"         // memory_preference
#include "receive/chunk_assembly.hpp"  // chunk_assembly
#include "receive/chunk_writer.hpp"    // chunk_writer

namespace wingbeat::receive {
namespace {

bool waits(const source& from) {
  if (const auto* capture = std::get_if<capture_source>(&from)) {
    return capture->speed == replay_speed::full;
  }
  const auto* recording = std::get_if<recording_source>(&from);
  return recording != nullptr && recording->speed == replay_speed::full;
}

assembly_spec assembly_of(const receive_spec& spec) {
  return {.open_chunks = n_threads(spec.source) > 1 ? 3u : 2u,
          .jump_samples = spec.jump_samples,
          .masks_timestamps = spec.masks_timestamps,
          .waits = waits(spec.source),
          .start_near = spec.start_near};
}

}  // namespace

memory_bound bound_of(const receive_spec& spec) {
  check(spec.geometry);
  const auto* live = std::get_if<live_source>(&spec.source);
  return {.chunks = spec.n_chunks * (spec.geometry.chunk_bytes() + sizeof(chunk) + 1024),
          .buffers = n_threads(spec.source) * chunk_writer::memory_bytes(spec.geometry) +
                     feed_bytes(spec.source, spec.geometry) + 65536,
          .sockets = live == nullptr ? 0 : live->buffer_bytes};
}

struct receiver::state {
  explicit state(const receive_spec& spec)
      : pool(std::make_shared<chunk_pool>(spec.geometry, spec.n_chunks, spec.memory)),
        assembly(pool, spec.n_chunks, assembly_of(spec)),
        feeds(open_feeds(spec.source, spec.geometry)) {}

  void run(packet_feed& feed) {
    try {
      chunk_writer writer(assembly);
      feed.run(writer, pool->geometry(), stop);
    } catch (const std::exception& fault) {
      const std::scoped_lock lock(mutex);
      if (failure.empty()) failure = fault.what();
    }
    {
      const std::scoped_lock lock(mutex);
      if (--n_running > 0) return;
    }
    // The last one: nothing more comes.
    assembly.flush();
    pool->close();
  }

  std::shared_ptr<chunk_pool> pool;
  chunk_assembly assembly;
  std::vector<std::unique_ptr<packet_feed>> feeds;
  stop_request stop;
  std::vector<std::thread> threads;
  mutable std::mutex mutex;  ///< Of what follows.
  std::size_t n_running = 0;
  std::string failure;
  std::string memory_text;
};

receiver::receiver(const receive_spec& spec) {
  const std::optional<int> node = memory_node_of(spec.source);
  const net::memory_preference preference{node};
  state_ = std::make_unique<state>(spec);
  if (std::holds_alternative<live_source>(spec.source)) {
    state_->memory_text = net::memory_text(node, preference.fault());
  }
}

std::string receiver::memory_text() const {
  return state_->memory_text;
}

receiver::~receiver() {
  stop();
}

void receiver::start() {
  if (!state_->threads.empty()) return;
  state_->n_running = state_->feeds.size();
  for (const auto& feed : state_->feeds) {
    state_->threads.emplace_back([s = state_.get(), f = feed.get()] { s->run(*f); });
  }
}

void receiver::stop() {
  state_->stop.set();
  state_->assembly.stop();
  for (std::thread& running : state_->threads) {
    if (running.joinable()) running.join();
  }
  state_->pool->close();
}

received_chunk receiver::next(std::chrono::milliseconds patience) {
  chunk* content = state_->pool->next(patience);
  return content == nullptr ? received_chunk() : received_chunk(state_->pool, content);
}

bool receiver::is_finished() const {
  return state_->pool->is_finished();
}

std::string receiver::failure() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->failure;
}

receive_counts receiver::counts() const {
  receive_counts result = state_->assembly.counts();
  for (const auto& feed : state_->feeds) result.add(feed->counts());
  return result;
}

std::vector<net::endpoint> receiver::endpoints() const {
  std::vector<net::endpoint> all;
  for (const auto& feed : state_->feeds) {
    for (const net::endpoint& next : feed->endpoints()) all.push_back(next);
  }
  return all;
}

net::socket_buffers receiver::buffers() const {
  net::socket_buffers all;
  for (const auto& feed : state_->feeds) all.add(feed->buffers());
  return all;
}

}  // namespace wingbeat::receive
