// SPDX-License-Identifier: Apache-2.0
// Datagrams sent to a receiver of this process, and chunks collected from it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "net/udp_sender.hpp"   // udp_sender
#include "receive/packets.hpp"  // expect_contents
#include "receive/receiver.hpp"

namespace wingbeat::test {

inline constexpr std::uint32_t loopback = 0x7f000001;

/// Returns a source on a free port of the loopback interface.
inline receive::live_source loopback_source(std::size_t n_endpoints = 1) {
  return {.endpoints = std::vector<net::endpoint>(n_endpoints, {loopback, 0}),
          .buffer_bytes = n_endpoints << 22};
}

class loopback_sender {
 public:
  loopback_sender() : sender_(loopback, 1 << 22, 1) {}

  void send(const net::endpoint& destination, std::span<const std::byte> datagram,
            std::size_t segment_bytes = 0) {
    const iovec piece{const_cast<std::byte*>(datagram.data()), datagram.size()};
    const net::outgoing_message message{destination, std::span(&piece, 1), segment_bytes};
    EXPECT_EQ(sender_.send(std::span(&message, 1)), 1u) << sender_.fault();
    // Sockets may have little room.
    if (++n_sent_ % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }

 private:
  net::udp_sender sender_;
  std::size_t n_sent_ = 0;
};

/// Waits until the condition holds; returns false after a minute.
inline bool wait_until(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Waits until the receiver has counted so many datagrams, and stops it.
inline void stop_after(receive::receiver& receiver, std::uint64_t n_datagrams) {
  EXPECT_TRUE(wait_until([&] { return receiver.counts().datagrams >= n_datagrams; }))
      << receiver.counts().datagrams << " of " << n_datagrams;
  receiver.stop();
}

/// Returns the times of all chunks, in chunks, and checks what they hold, until no more come.
inline std::vector<std::int64_t> collect(receive::receiver& receiver,
                                         const receive::chunk_geometry& geometry = small_chunks) {
  std::vector<std::int64_t> indices;
  while (!receiver.is_finished()) {
    const auto received = receiver.next(std::chrono::milliseconds(100));
    if (!received) continue;
    expect_contents(*received, geometry);
    indices.push_back(received->timestamp / static_cast<std::int64_t>(geometry.chunk_samples));
  }
  return indices;
}

}  // namespace wingbeat::test
