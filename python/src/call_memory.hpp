// SPDX-License-Identifier: Apache-2.0
// What one call needs beside its arrays: its queue and its memory, and no GIL.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uintptr_t
#include <vector>

#include "array_library.hpp"     // array_library
#include "bindings.hpp"          // nb
#include "queues.hpp"            // queue_of
#include "wingbeat/buffer.hpp"   // buffer, buffer_view
#include "wingbeat/devices.hpp"  // engine
#include "wingbeat/queue.hpp"    // queue

namespace wingbeat::python {

/// The array beside which a call's memory is allocated by its library: none of the host, and of
/// libraries that are not known.
struct allocator {
  const array_library* library = nullptr;
  nb::handle x = {};
};

/// A call that runs without the GIL, on the queue of a stream or on one that is given, with memory
/// of the caller's allocator, or else the library's own.
class released_call {
  std::vector<nb::object> owners_;  // first, because they are destroyed last, under the GIL
  released_gil released_;

 public:
  released_call(engine runs_on, int device_index, std::uintptr_t stream, const allocator& given)
      : on(queue_of(runs_on, device_index, stream)), given_(given) {}
  /// Where an array is.
  explicit released_call(const given_array& x)
      : released_call(x.view.runs_on, x.view.device_index, x.stream(), allocator_of(x)) {}
  explicit released_call(const queue& given) : on(given) {}
  released_call(const released_call&) = delete;
  released_call& operator=(const released_call&) = delete;
  ~released_call() {
    if (!own_.empty()) on.wait();  // before the memory goes
  }

  /// Returns memory of the caller's allocator; none where there is none.
  [[nodiscard]] buffer_view lent(std::size_t bytes) {
    if (bytes == 0 || given_.library == nullptr) return {};
    const held_gil held;
    const nb::object memory = given_.library->workspace(given_.x, bytes);
    owners_.push_back(memory[0]);
    return {reinterpret_cast<void*>(nb::cast<std::uintptr_t>(memory[1])), 0, bytes};
  }

  [[nodiscard]] buffer_view memory(std::size_t bytes) {
    if (bytes == 0 || given_.library != nullptr) return lent(bytes);
    own_.emplace_back(on, bytes);
    return own_.back().view();
  }

  [[nodiscard]] static allocator allocator_of(const given_array& x) {
    return x.view.runs_on == engine::host ? allocator{} : allocator{x.library, x.lender};
  }

  queue on;

 private:
  allocator given_;
  std::vector<buffer> own_;
};

}  // namespace wingbeat::python
