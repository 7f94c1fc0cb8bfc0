// SPDX-License-Identifier: Apache-2.0
#include "queues.hpp"

#include "latest_used.hpp"

namespace wingbeat::python {
namespace {

/// Identifies a stream.
struct stream_key {
  engine runs_on;
  int device_index;
  std::uintptr_t native;

  friend bool operator==(const stream_key&, const stream_key&) = default;
};

/// Never destroyed, because drivers may be gone when static objects are destroyed.
auto& kept_queues = *new latest_used<stream_key, queue>{64, false};

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
  const auto kept = kept_queues.get({runs_on, device_index, native}, [&] {
    auto adopted = std::make_shared<queue>(adopted_queue_of(runs_on, device_index, native));
    // Each call takes memory from the allocator of its array's library.
    adopted->disown_workspace();
    return adopted;
  });
  return *kept;
}

void drop_queues() {
  kept_queues.clear();
}

}  // namespace wingbeat::python
