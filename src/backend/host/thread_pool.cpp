// SPDX-License-Identifier: Apache-2.0
#include "backend/host/thread_pool.hpp"

#include <unistd.h>  // getpid

#include <algorithm>  // clamp, min
#include <charconv>   // from_chars
#include <cstdlib>    // getenv
#include <memory>     // make_unique
#include <string_view>
#include <system_error>

#include "formatted.hpp"       // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::backend::host {
namespace {

constexpr unsigned max_threads = 1024;

unsigned threads_wanted() {
  const char* const given = std::getenv("WINGBEAT_THREADS");
  if (given == nullptr || *given == '\0')
    return std::clamp(std::thread::hardware_concurrency(), 1U, max_threads);
  const std::string_view text = given;
  unsigned count = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc{} || end != text.data() + text.size() || count < 1 ||
      count > max_threads) {
    throw plan_error(formatted(
        "WINGBEAT_THREADS is '{}'; set it to a number of threads from 1 to {}", text, max_threads));
  }
  return count;
}

/// Closes a pool at exit, or when the library is unloaded.
struct closing_guard {
  thread_pool& pool;
  ~closing_guard() { pool.close(); }
};

}  // namespace

thread_pool& thread_pool::shared() {
  static auto& pool = *std::make_unique<thread_pool>(threads_wanted()).release();
  static const closing_guard guard{pool};
  return pool;
}

thread_pool::thread_pool(unsigned n_threads) : process_(getpid()) {
  try {
    for (; n_threads_ < n_threads; ++n_threads_) {
      workers_.emplace_back([this, slot = n_threads_] { work(slot); });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those we have do the work.
  }
}

thread_pool::~thread_pool() {
  close();
  for (auto& worker : workers_) worker.detach();  // a fork: the workers stayed with the parent
}

void thread_pool::close() noexcept {
  if (getpid() != process_) return;
  const std::unique_lock mine{in_use_, std::try_to_lock};
  if (!mine) return;
  {
    const std::lock_guard held{mutex_};
    is_closing_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
  workers_.clear();
}

void thread_pool::run(std::size_t n_tasks, unsigned n_threads, task each) {
  const auto n_used =
      static_cast<unsigned>(std::min<std::size_t>({n_tasks, n_threads, n_threads_}));
  std::unique_lock mine{in_use_, std::defer_lock};
  if (n_used <= 1 || getpid() != process_ || !mine.try_lock() || is_closing_) {
    for (std::size_t i = 0; i < n_tasks; ++i) each(i, 0);
    return;
  }
  {
    const std::lock_guard held{mutex_};
    each_ = &each;
    n_tasks_ = n_tasks;
    next_ = 0;
    n_wanted_ = n_running_ = n_used - 1;
    failure_ = nullptr;
    ++round_;
  }
  wake_.notify_all();
  drain(0);
  std::unique_lock held{mutex_};
  done_.wait(held, [this] { return n_running_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

void thread_pool::work(unsigned slot) {
  std::size_t seen = 0;
  for (;;) {
    {
      std::unique_lock held{mutex_};
      wake_.wait(held, [&] { return is_closing_ || round_ != seen; });
      if (is_closing_) return;
      seen = round_;
      if (slot > n_wanted_) continue;
    }
    drain(slot);
    const std::lock_guard held{mutex_};
    if (--n_running_ == 0) done_.notify_one();
  }
}

void thread_pool::drain(unsigned slot) noexcept {
  try {
    for (std::size_t i = next_++; i < n_tasks_; i = next_++) (*each_)(i, slot);
  } catch (...) {
    next_ = n_tasks_;  // the other threads need not go on
    const std::lock_guard held{mutex_};
    if (!failure_) failure_ = std::current_exception();
  }
}

}  // namespace wingbeat::backend::host
