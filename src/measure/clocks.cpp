// SPDX-License-Identifier: Apache-2.0
#include "measure/clocks.hpp"

#include "system/nvml.hpp"  // nvml_device

namespace wingbeat::measure {

clock_watch::clock_watch(const device_info& watched) : nvml_(nvml_device::open(watched)) {
  if (nvml_) driver_version_ = nvml_->driver_version();
}
clock_watch::clock_watch(clock_watch&&) noexcept = default;
clock_watch& clock_watch::operator=(clock_watch&&) noexcept = default;
clock_watch::~clock_watch() = default;

void clock_watch::sample() {
  if (!nvml_) return;
  if (const auto mhz = nvml_->sm_clock_mhz()) sm_mhz_.push_back(*mhz);
  if (const auto mhz = nvml_->memory_clock_mhz()) memory_mhz_.push_back(*mhz);
}

void clock_watch::restart() noexcept {
  sm_mhz_.clear();
  memory_mhz_.clear();
}

}  // namespace wingbeat::measure
