// SPDX-License-Identifier: Apache-2.0
#include "control/update_queue.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>  // exchange

namespace wingbeat::control {

wake_event::wake_event() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!event_.is_open()) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void wake_event::set() const noexcept {
  // It fails only if the counter is full, and then the event is set.
  const std::uint64_t increment = 1;
  [[maybe_unused]] const auto written = ::write(event_.get(), &increment, sizeof increment);
}

void wake_event::clear() const noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto read = ::read(event_.get(), &count, sizeof count);
}

void update_queue::push(const sensor& sensor, const reading& reading) {
  {
    const std::lock_guard lock(mutex_);
    std::deque<control::reading>& waiting = updates_[&sensor];
    if (waiting.size() == max_per_sensor) waiting.pop_back();
    waiting.push_back(reading);
    if (waiting.size() > 1) return;  // awake already
  }
  wake_.set();
}

update_queue::updates update_queue::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(updates_, {});
}

}  // namespace wingbeat::control
