// SPDX-License-Identifier: Apache-2.0
// The feeds of a source, each with a thread of its own.
#pragma once

#include <exception>  // exception_ptr
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "receive/source.hpp"  // datagram_feed, stop_request

namespace wingbeat::receive {

class feed_threads {
 public:
  using run_function = std::function<void(datagram_feed& feed, stop_request& stop)>;

  explicit feed_threads(feed_list feeds) : feeds_(std::move(feeds)) {}

  /// Starts the threads, once: each runs its feed. One that throws stops the others. `finish` is
  /// called behind the last one.
  void start(const run_function& run, const std::function<void()>& finish);
  /// Has all feeds stop, after what has arrived.
  void stop() { stop_.set(); }
  /// Waits for the ends of the threads. May be called again.
  void join();

  /// Returns why a feed ended early, in one sentence; empty if none did.
  [[nodiscard]] std::string failure() const;
  /// Throws what ended a feed early, if anything did.
  void rethrow_failure() const;
  /// Returns the sum of counts that sinks do not see.
  [[nodiscard]] receive_counts counts() const;
  [[nodiscard]] std::vector<net::endpoint> endpoints() const;
  [[nodiscard]] net::socket_buffers buffers() const;

 private:
  feed_list feeds_;
  stop_request stop_;
  std::vector<std::thread> threads_;
  mutable std::mutex mutex_;  ///< Of what follows.
  std::size_t n_running_ = 0;
  std::exception_ptr failure_;
};

}  // namespace wingbeat::receive
