// SPDX-License-Identifier: Apache-2.0
#include "receive/feed_threads.hpp"

#include <exception>  // current_exception, rethrow_exception

namespace wingbeat::receive {

void feed_threads::start(const run_function& run, const std::function<void()>& finish) {
  if (!threads_.empty()) return;
  n_running_ = feeds_.size();
  for (const auto& feed : feeds_) {
    threads_.emplace_back([this, run, finish, own = feed.get()] {
      std::exception_ptr fault;
      try {
        run(*own, stop_);
      } catch (const std::exception&) {
        fault = std::current_exception();
        stop_.set();
      }
      {
        const std::scoped_lock lock(mutex_);
        if (!failure_) failure_ = fault;
        if (--n_running_ > 0) return;
      }
      finish();
    });
  }
}

void feed_threads::join() {
  for (std::thread& running : threads_) {
    if (running.joinable()) running.join();
  }
}

void feed_threads::rethrow_failure() const {
  const std::scoped_lock lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

std::string feed_threads::failure() const {
  try {
    rethrow_failure();
  } catch (const std::exception& fault) {
    return fault.what();
  }
  return {};
}

receive_counts feed_threads::counts() const {
  receive_counts sum;
  for (const auto& feed : feeds_) sum.add(feed->counts());
  return sum;
}

std::vector<net::endpoint> feed_threads::endpoints() const {
  std::vector<net::endpoint> endpoints;
  for (const auto& feed : feeds_) {
    for (const net::endpoint& each : feed->endpoints()) endpoints.push_back(each);
  }
  return endpoints;
}

net::socket_buffers feed_threads::buffers() const {
  net::socket_buffers sum;
  for (const auto& feed : feeds_) sum.add(feed->buffers());
  return sum;
}

}  // namespace wingbeat::receive
