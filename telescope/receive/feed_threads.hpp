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

  /// Starts the threads, once; each runs its feed. A feed that throws stops the others. The last
  /// one calls `finish` at its end.
  void start(const run_function& run, const std::function<void()>& finish);
  /// Stops all feeds, after they have taken what has arrived.
  void stop() { stop_.set(); }
  /// Waits for the ends of the threads. May be called again.
  void join();

  /// Returns why a feed ended early, in one sentence; empty if none did.
  [[nodiscard]] std::string failure() const;
  /// Rethrows the exception that ended a feed early, if there is one.
  void rethrow_failure() const;
  /// Returns the sum of the counts that sinks do not see.
  [[nodiscard]] receive_counts counts() const;
  [[nodiscard]] std::vector<net::endpoint> endpoints() const;
  [[nodiscard]] net::socket_buffers buffers() const;

 private:
  feed_list feeds_;
  stop_request stop_;
  std::vector<std::thread> threads_;
  mutable std::mutex mutex_;  ///< Guards the members below.
  std::size_t n_running_ = 0;
  std::exception_ptr failure_;
};

}  // namespace wingbeat::receive
