// SPDX-License-Identifier: Apache-2.0
#include "receive/receiver.hpp"

#include "net/memory_node.hpp"         // memory_preference
#include "receive/chunk_assembly.hpp"  // chunk_assembly
#include "receive/chunk_writer.hpp"    // chunk_writer
#include "receive/feed_threads.hpp"    // feed_threads

namespace wingbeat::receive {
namespace {

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

  std::shared_ptr<chunk_pool> pool;
  chunk_assembly assembly;
  feed_threads feeds;
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
  state_->feeds.start(
      [s = state_.get()](datagram_feed& feed, stop_request& stop) {
        chunk_writer writer(s->assembly);
        feed.run(writer, stop);
      },
      [s = state_.get()] {
        s->assembly.flush();
        s->pool->close();
      });
}

void receiver::stop() {
  state_->feeds.stop();
  state_->assembly.stop();
  state_->feeds.join();
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
  return state_->feeds.failure();
}

receive_counts receiver::counts() const {
  receive_counts result = state_->assembly.counts();
  result.add(state_->feeds.counts());
  return result;
}

std::vector<net::endpoint> receiver::endpoints() const {
  return state_->feeds.endpoints();
}

net::socket_buffers receiver::buffers() const {
  return state_->feeds.buffers();
}

}  // namespace wingbeat::receive
