// SPDX-License-Identifier: Apache-2.0
#include "receive/source.hpp"

#include "net/capture.hpp"       // capture_reader
#include "net/memory_node.hpp"   // node_of
#include "net/udp_receiver.hpp"  // datagram_batch

namespace wingbeat::receive {
void stop_request::set() {
  {
    const std::scoped_lock lock(mutex_);
    is_set_ = true;
  }
  changed_.notify_all();
}

bool stop_request::wait_until(std::chrono::steady_clock::time_point time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_until(lock, time, [this] { return is_set_.load(); });
}

feed_list open_feeds(const source& input, const chunk_geometry& geometry) {
  if (const auto* live = std::get_if<live_source>(&input)) return open_live(*live);
  feed_list feeds;
  if (const auto* capture = std::get_if<capture_source>(&input)) {
    feeds.push_back(open_capture_feed(*capture));
  } else {
    feeds.push_back(open_recording(std::get<recording_source>(input), geometry));
  }
  return feeds;
}

bool waits(const source& input) {
  const auto* capture = std::get_if<capture_source>(&input);
  const auto* recording = std::get_if<recording_source>(&input);
  return capture != nullptr ? capture->speed == replay_speed::full
                            : recording != nullptr && recording->speed == replay_speed::full;
}

std::optional<int> memory_node_of(const source& input) {
  const auto* live = std::get_if<live_source>(&input);
  if (live == nullptr) return {};
  std::vector<std::string> names;
  for (const std::string& each : live->interfaces) names.push_back(net::interface_name(each));
  return net::node_of(names);
}

std::size_t n_threads(const source& input) {
  const auto* live = std::get_if<live_source>(&input);
  return live == nullptr ? 1 : live->affinity.size();
}

std::size_t feed_bytes(const source& input, const chunk_geometry& geometry) {
  if (const auto* live = std::get_if<live_source>(&input)) {
    return n_threads(input) * net::datagram_batch::memory_bytes(live->messages_per_call);
  }
  if (std::holds_alternative<capture_source>(input)) return net::capture_reader::memory_bytes;
  // A packet, its samples as integers, and a file's buffer.
  return geometry.polarisations *
         (geometry.packet_bytes() + geometry.packet_samples * sizeof(std::int16_t) + 65536);
}

}  // namespace wingbeat::receive
