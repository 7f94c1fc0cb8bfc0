// SPDX-License-Identifier: Apache-2.0
// Numbers of a numpy array on a device: in place on the host, otherwise copied.
#pragma once

#include <cstddef>  // size_t
#include <optional>

#include "wingbeat/buffer.hpp"   // buffer, buffer_view
#include "wingbeat/devices.hpp"  // engine
#include "wingbeat/queue.hpp"    // queue

namespace wingbeat::python {

/// Memory of this process as an operand of queued work.
class device_copy {
 public:
  device_copy(queue& on, const void* memory, std::size_t bytes)
      : memory_(const_cast<void*>(memory)), view_{memory_, 0, bytes} {
    const engine runs_on = on.device().runs_on;
    if (runs_on == engine::host || runs_on == engine::reference || bytes == 0) return;
    copy_.emplace(on, bytes);
    view_ = copy_->view();
  }

  /// Copies the numbers to the device.
  void send() {
    if (copy_) copy_->write(memory_, view_.size_bytes);
  }

  /// Waits for the queue, and copies the numbers from the device.
  void fetch(queue& on) {
    on.wait();
    if (copy_) copy_->read(memory_, view_.size_bytes);
  }

  [[nodiscard]] const buffer_view& view() const { return view_; }

 private:
  void* memory_;
  std::optional<buffer> copy_;
  buffer_view view_;
};

}  // namespace wingbeat::python
