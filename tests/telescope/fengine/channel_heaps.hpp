// SPDX-License-Identifier: Apache-2.0
// What an engine sends to a socket of this process: heaps of channels, descriptors and stop heaps.
#pragma once

#include <poll.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>  // pair
#include <vector>

#include "net/udp_receiver.hpp"      // udp_receiver
#include "spead/channel_heap.hpp"    // channel_heap_of
#include "spead/heap_assembler.hpp"  // heap_assembler

namespace wingbeat::test {

class heap_catcher {
 public:
  struct caught_heap {
    std::uint64_t missing = 0;
    std::vector<std::byte> voltages = {};
  };
  /// By timestamp and first channel.
  using heaps = std::map<std::pair<std::uint64_t, std::uint64_t>, caught_heap>;

  heap_catcher() : socket_({0x7f000001, 0}, 0, 1 << 26) {
    thread_ = std::thread{[this] { receive(); }};
  }
  ~heap_catcher() {
    is_done_ = true;
    thread_.join();
  }

  [[nodiscard]] net::endpoint place() const { return socket_.source(); }
  [[nodiscard]] std::size_t n_stops() const { return n_stops_; }
  [[nodiscard]] heaps caught() const {
    const std::lock_guard lock{mutex_};
    return heaps_;
  }
  /// Returns how many heaps have been caught, of those that `take_before` has taken too.
  [[nodiscard]] std::size_t n_heaps() const { return n_heaps_; }

  /// Returns the heaps before a timestamp, and forgets them.
  heaps take_before(std::uint64_t timestamp) {
    heaps taken;
    const std::lock_guard lock{mutex_};
    while (!heaps_.empty() && heaps_.begin()->first.first < timestamp) {
      taken.insert(heaps_.extract(heaps_.begin()));
    }
    return taken;
  }

 private:
  void receive() {
    net::datagram_batch batch{64};
    spead::heap_assembler assembler{{.max_heaps = 64}};
    pollfd ready{.fd = socket_.descriptor(), .events = POLLIN, .revents = 0};
    while (!is_done_) {
      if (::poll(&ready, 1, 20) <= 0 || socket_.receive(batch) == 0) continue;
      batch.for_each([&](std::span<const std::byte> datagram, bool) {
        if (const auto whole = assembler.add(datagram)) take(*whole);
      });
    }
  }
  void take(const spead::heap& whole) {
    if (whole.is_stop()) ++n_stops_;
    const auto of_channels = spead::channel_heap_of(whole);
    if (!of_channels) return;
    const std::lock_guard lock{mutex_};
    const auto [place, is_first] = heaps_.insert_or_assign(
        {of_channels->timestamp, of_channels->first_channel},
        caught_heap{of_channels->missing,
                    {of_channels->voltages.begin(), of_channels->voltages.end()}});
    n_heaps_ += is_first;
  }

  net::udp_receiver socket_;
  std::atomic<bool> is_done_ = false;
  std::atomic<std::size_t> n_stops_ = 0, n_heaps_ = 0;
  mutable std::mutex mutex_;
  heaps heaps_;
  std::thread thread_;
};

}  // namespace wingbeat::test
