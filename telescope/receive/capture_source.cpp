// SPDX-License-Identifier: Apache-2.0
#include <algorithm>  // all_of, binary_search, sort
#include <optional>

#include "net/capture.hpp"  // capture_reader, open_capture
#include "receive/source.hpp"
#include "spead/packet.hpp"  // decode, packet

namespace wingbeat::receive {
namespace {

constexpr std::size_t batch_datagrams = 64;  // after which complete chunks are passed on

/// Passes on the packets of one captured frame. A frame has several packets if it was captured
/// before the system segmented an outgoing message (GSO), or after it joined incoming ones (GRO).
void add_packets(datagram_sink& sink, std::span<const std::byte> payload) {
  while (true) {
    spead::packet first;
    std::size_t n_bytes = payload.size();
    if (decode(payload, first) == spead::packet_fault::none) n_bytes = first.n_bytes();
    sink.add(payload.first(n_bytes), false);
    payload = payload.subspan(n_bytes);
    // Zeros are padding; other bytes that are no packet are counted as such.
    if (std::all_of(payload.begin(), payload.end(), [](std::byte b) { return b == std::byte{}; })) {
      return;
    }
  }
}

class capture_feed : public datagram_feed {
 public:
  explicit capture_feed(const capture_source& capture)
      : reader_(net::open_capture(capture.file)),
        destinations_(capture.destinations),
        speed_(capture.speed) {
    std::sort(destinations_.begin(), destinations_.end());
  }

  void run(datagram_sink& sink, stop_request& stop) override {
    const auto start = std::chrono::steady_clock::now();
    std::optional<std::int64_t> first_ns;
    std::size_t n_in_batch = 0;
    sink.begin();
    while (!stop.is_set()) {
      const auto next = reader_.next();
      if (!next) break;
      count_frames();
      if (!is_wanted(next->destination)) continue;
      if (!first_ns) first_ns = next->time_ns;
      if (++n_in_batch == batch_datagrams || speed_ == replay_speed::real) {
        sink.end();
        n_in_batch = 0;
        const auto due = start + std::chrono::nanoseconds(next->time_ns - *first_ns);
        if (speed_ == replay_speed::real && !stop.wait_until(due)) {
          sink.begin();
          break;
        }
        sink.begin();
      }
      add_packets(sink, next->payload);
    }
    count_frames();
    sink.end();
  }

  receive_counts counts() const override {
    receive_counts result;
    result.other_destinations = n_others_;
    result.other_frames = n_frames_;
    result.cut_frames = n_cut_;
    return result;
  }

 private:
  [[nodiscard]] bool is_wanted(const net::endpoint& destination) {
    if (destinations_.empty() ||
        std::binary_search(destinations_.begin(), destinations_.end(), destination)) {
      return true;
    }
    ++n_others_;
    return false;
  }

  void count_frames() {
    const net::capture_counts& counts = reader_.counts();
    n_frames_ = counts.others + counts.fragments;
    n_cut_ = counts.truncated;
  }

  net::capture_reader reader_;
  std::vector<net::endpoint> destinations_;
  replay_speed speed_;
  std::atomic<std::uint64_t> n_others_ = 0, n_frames_ = 0, n_cut_ = 0;
};

}  // namespace

std::unique_ptr<datagram_feed> open_capture_feed(const capture_source& capture) {
  return std::make_unique<capture_feed>(capture);
}

}  // namespace wingbeat::receive
