// SPDX-License-Identifier: Apache-2.0
#include "system/fork_safe_mutex.hpp"

#include <pthread.h>  // pthread_atfork

#include <memory>  // make_unique
#include <vector>

namespace wingbeat {
namespace {

struct registry {
  registry() { static_cast<void>(pthread_atfork(lock_all, unlock_all, unlock_all)); }

  static registry& shared() {
    // Never destroyed, because mutexes with static storage leave it at exit.
    static auto& registered = *std::make_unique<registry>().release();
    return registered;
  }

  static void lock_all() {
    registry& own = shared();
    own.mutex.lock();
    for (fork_safe_mutex* const each : own.mutexes) each->lock();
  }
  static void unlock_all() {
    registry& own = shared();
    for (fork_safe_mutex* const each : own.mutexes) each->unlock();
    own.mutex.unlock();
  }

  std::mutex mutex;
  std::vector<fork_safe_mutex*> mutexes;
};

}  // namespace

fork_safe_mutex::fork_safe_mutex() {
  registry& every_mutex = registry::shared();
  const std::lock_guard held{every_mutex.mutex};
  every_mutex.mutexes.push_back(this);
}

fork_safe_mutex::~fork_safe_mutex() {
  registry& every_mutex = registry::shared();
  const std::lock_guard held{every_mutex.mutex};
  std::erase(every_mutex.mutexes, this);
}

}  // namespace wingbeat
