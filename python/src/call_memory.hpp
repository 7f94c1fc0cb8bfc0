// SPDX-License-Identifier: Apache-2.0
// The queue and the memory of one call, which runs without the GIL.
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

/// An array whose library allocates a call's memory on its device, if the library is known.
struct allocator {
  const array_library* library = nullptr;
  nb::handle x = {};
};

/// A call that runs without the GIL, on the queue of a stream or on a given one. Its memory is from
/// the caller's allocator, otherwise from this library.
class released_call {
  std::vector<nb::object> owners_;  // first, so destroyed last, under the GIL
  released_gil released_;

 public:
  released_call(engine runs_on, int device_index, std::uintptr_t stream, const allocator& given)
      : on(queue_of(runs_on, device_index, stream)),
        given_(runs_on == engine::cuda || runs_on == engine::opencl ? given : allocator{}) {}
  /// Runs on the device and stream of an array.
  explicit released_call(const given_array& x)
      : released_call(x.view.runs_on, x.view.device_index, x.stream(), {x.library, x.lender}) {}
  explicit released_call(const queue& given) : on(given) {}
  released_call(const released_call&) = delete;
  released_call& operator=(const released_call&) = delete;
  ~released_call() {
    if (!own_.empty()) on.wait();  // before its memory is freed
  }

  [[nodiscard]] buffer_view memory(std::size_t bytes) {
    if (bytes == 0) return {};
    if (given_.library == nullptr) {
      own_.emplace_back(on, bytes);
      return own_.back().view();
    }
    array view;
    view.element = {precision::fp32, false, whole_number::natural, 1};
    view.rank = 1;
    view.shape[0] = static_cast<std::ptrdiff_t>(bytes);
    const held_gil held;
    owners_.push_back(given_.library->empty(given_.x, {}, view));
    return view.view();
  }

  queue on;

 private:
  allocator given_;
  std::vector<buffer> own_;
};

}  // namespace wingbeat::python
