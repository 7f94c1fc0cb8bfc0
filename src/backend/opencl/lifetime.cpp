// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/lifetime.hpp"

#include <unistd.h>  // getpid, gettid

#include <algorithm>  // remove
#include <atomic>
#include <memory>  // make_unique
#include <mutex>
#include <vector>

#include "wingbeat/error.hpp"  // device_error

namespace wingbeat::backend::opencl {
namespace {

std::atomic<bool> is_closed = false;
std::atomic<pid_t> owner = 0;  // the process that loaded the driver; 0 before

bool is_forked() noexcept {
  const pid_t loaded_in = owner;
  return loaded_in != 0 && loaded_in != ::getpid();
}

class registry {
 public:
  /// Never destroyed, because queues with static storage unregister themselves.
  static registry& shared() {
    static auto& registered = *std::make_unique<registry>().release();
    return registered;
  }

  void add(finishable& queue) {
    const std::lock_guard held{mutex_};
    queues_.push_back(&queue);
  }

  void drop(finishable& queue) noexcept {
    const std::lock_guard held{mutex_};
    queues_.erase(std::remove(queues_.begin(), queues_.end(), &queue), queues_.end());
  }

  void finish_all() noexcept {
    const std::lock_guard held{mutex_};  // keeps queues from being destroyed
    for (finishable* const queue : queues_) queue->finish_at_exit();
  }

 private:
  std::mutex mutex_;
  std::vector<finishable*> queues_;
};

struct main_thread_guard {
  ~main_thread_guard() {
    if (is_driver_usable()) registry::shared().finish_all();
  }
};

struct exit_guard {
  ~exit_guard() {
    if (is_driver_usable()) registry::shared().finish_all();
    is_closed = true;
  }
};

}  // namespace

void begin_driver_use() {
  owner = ::getpid();
  static const exit_guard guard;
}

void register_queue(finishable& queue) {
  registry::shared().add(queue);
}

void unregister_queue(finishable& queue) noexcept {
  registry::shared().drop(queue);
}

void finish_with_main_thread() {
  if (::gettid() != ::getpid()) return;
  static thread_local const main_thread_guard guard;
}

bool is_driver_usable() noexcept {
  return !is_closed && !is_forked();
}

void require_usable_driver() {
  if (is_closed) {
    throw device_error(
        "OpenCL was called at exit, after its driver was closed; finish what uses it before main "
        "returns, or construct the queue before main, in the object whose destructor uses it");
  }
  if (is_forked()) {
    throw device_error(
        "OpenCL was called in a forked child, where its driver has no threads; open the first "
        "queue after the fork, or start the child as a program of its own");
  }
}

}  // namespace wingbeat::backend::opencl
