// SPDX-License-Identifier: Apache-2.0
#include "queues.hpp"

#include <list>
#include <mutex>
#include <utility>  // move

namespace wingbeat::python {
namespace {

constexpr std::size_t max_queues = 64;

struct adopted_queue {
  engine runs_on;
  int device_index;
  std::uintptr_t native;
  queue adopted;
};

struct adopted_queues {
  std::mutex mutex;
  std::list<adopted_queue> by_use;  // the latest first
};

/// Never destroyed: drivers may be gone when static objects are.
adopted_queues& kept_queues() {
  static auto& kept = *new adopted_queues;
  return kept;
}

}  // namespace

queue adopted_queue_of(engine runs_on, int device_index, std::uintptr_t native) {
  if (runs_on == engine::host) return queue{first_device(runs_on)};
  void* const handle = reinterpret_cast<void*>(native);
  return runs_on == engine::cuda ? queue::from_cuda_stream(handle, device_index)
                                 : queue::from_opencl_queue(handle);
}

queue& host_queue() {
  thread_local queue own{first_device(engine::host)};
  return own;
}

queue queue_of(engine runs_on, int device_index, std::uintptr_t native) {
  if (runs_on == engine::host) return host_queue();
  if (runs_on == engine::reference) return queue{first_device(runs_on)};
  adopted_queues& kept = kept_queues();
  const std::lock_guard held{kept.mutex};
  for (auto each = kept.by_use.begin(); each != kept.by_use.end(); ++each) {
    if (each->runs_on != runs_on || each->native != native) continue;
    if (each->device_index != device_index) continue;
    kept.by_use.splice(kept.by_use.begin(), kept.by_use, each);
    return each->adopted;
  }
  queue adopted = adopted_queue_of(runs_on, device_index, native);
  // Memory comes from the allocator of the array's library, call by call.
  adopted.disown_workspace();
  kept.by_use.push_front({runs_on, device_index, native, std::move(adopted)});
  if (kept.by_use.size() > max_queues) kept.by_use.pop_back();
  return kept.by_use.front().adopted;
}

void drop_queues() {
  adopted_queues& kept = kept_queues();
  const std::lock_guard held{kept.mutex};
  kept.by_use.clear();
}

}  // namespace wingbeat::python
