// SPDX-License-Identifier: Apache-2.0
// The power in the channels of an output's latest heap, for the page, which shows it twice a
// second.
#pragma once

#include <chrono>
#include <cstdint>  // uint64_t
#include <mutex>
#include <string>
#include <vector>

#include "control/monitor.hpp"       // monitored_spectrum
#include "wingbeat/channeliser.hpp"  // channelised_heap, channeliser_spec

namespace wingbeat::fengine {

class latest_spectra {
 public:
  /// Heaps arrive at least every `period_s` while samples are received.
  latest_spectra(std::string stream, channeliser_spec bank, double period_s);

  /// Measures the heap, unless another one was measured less than half a second ago.
  void offer(const channelised_heap& heap);

  /// Returns a spectrum for each polarisation; none before the first heap. Any thread.
  [[nodiscard]] std::vector<control::monitored_spectrum> spectra() const;

 private:
  using clock = std::chrono::steady_clock;

  std::string stream_;
  channeliser_spec bank_;
  double stale_after_s_;
  clock::time_point next_ = {};
  mutable std::mutex mutex_;
  std::uint64_t sequence_ = 0;
  clock::time_point measured_at_ = {};
  std::vector<control::monitored_spectrum> spectra_;  ///< [polarisation]
};

}  // namespace wingbeat::fengine
