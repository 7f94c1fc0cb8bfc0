// SPDX-License-Identifier: Apache-2.0
// What one call needs beside its arrays: its queue and its memory, and no GIL.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uintptr_t
#include <vector>

#include "bindings.hpp"          // nb
#include "queues.hpp"            // queue_of
#include "wingbeat/buffer.hpp"   // buffer, buffer_view
#include "wingbeat/devices.hpp"  // engine
#include "wingbeat/queue.hpp"    // queue

namespace wingbeat::python {

/// Memory of one call: of the caller's allocator, or else the library's own.
class call_memory {
 public:
  /// `allocate` is None, or gives (owner, pointer); `owners` is destroyed under the GIL.
  call_memory(queue& on, nb::handle allocate, std::vector<nb::object>& owners)
      : on_(on), allocate_(allocate), owners_(owners) {}
  call_memory(const call_memory&) = delete;
  call_memory& operator=(const call_memory&) = delete;
  ~call_memory() {
    if (!own_.empty()) on_.wait();  // before the memory goes
  }

  [[nodiscard]] buffer_view get(std::size_t bytes) {
    if (bytes == 0) return {};
    if (allocate_.is_none()) {
      own_.emplace_back(on_, bytes);
      return own_.back().view();
    }
    const nb::gil_scoped_acquire held;
    const nb::object memory = allocate_(bytes);
    owners_.push_back(memory[0]);
    return {reinterpret_cast<void*>(nb::cast<std::uintptr_t>(memory[1])), 0, bytes};
  }

 private:
  queue& on_;
  nb::handle allocate_;
  std::vector<nb::object>& owners_;
  std::vector<buffer> own_;
};

/// A call that runs without the GIL, on the queue of a stream or on one that is given.
class released_call {
  std::vector<nb::object> owners_;  // first, because they are destroyed last, under the GIL
  nb::gil_scoped_release released_;

 public:
  released_call(engine runs_on, int device_index, std::uintptr_t stream, nb::handle allocate)
      : on(queue_of(runs_on, device_index, stream)), memory(on, allocate, owners_) {}
  released_call(const queue& given, nb::handle allocate)
      : on(given), memory(on, allocate, owners_) {}

  queue on;
  call_memory memory;
};

}  // namespace wingbeat::python
