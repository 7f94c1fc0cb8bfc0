// SPDX-License-Identifier: Apache-2.0
#include "backend/concurrent_work.hpp"

#include <algorithm>  // max, min
#include <atomic>
#include <exception>  // current_exception, rethrow_exception
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "wingbeat/thread_limit.hpp"  // thread_limit

namespace wingbeat::backend {
namespace {

/// Counts the threads that calls take besides their callers.
class shared_threads {
 public:
  explicit shared_threads(std::size_t wanted) {
    const std::size_t most = std::max(std::thread::hardware_concurrency(), 1U) - 1;
    std::size_t taken = n_taken;
    do {
      count = std::min(wanted, most - std::min(most, taken));
    } while (!n_taken.compare_exchange_weak(taken, taken + count));
  }
  shared_threads(const shared_threads&) = delete;
  shared_threads& operator=(const shared_threads&) = delete;
  ~shared_threads() { n_taken -= count; }

  std::size_t count = 0;

 private:
  static constinit inline std::atomic<std::size_t> n_taken{0};
};

}  // namespace

void each_concurrently(std::size_t n, const std::function<void(std::size_t)>& work) {
  if (n == 0) return;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;  // of the two below
  std::size_t failed = n;
  std::exception_ptr failure;
  const auto run = [&] {
    for (std::size_t i = next++; i < n; i = next++) {
      try {
        work(i);
      } catch (...) {
        next = n;
        const std::lock_guard held{mutex};
        if (i < failed) failure = std::current_exception();
        failed = std::min(failed, i);
      }
    }
  };
  const shared_threads taken{std::min<std::size_t>(n, thread_limit::current()) - 1};
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() < taken.count) {
        others.emplace_back([&] {
          const thread_limit alone{1};
          run();
        });
      }
    } catch (const std::system_error&) {
      // The system has no more threads: the existing ones do the rest.
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace wingbeat::backend
