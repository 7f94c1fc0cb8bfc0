// SPDX-License-Identifier: Apache-2.0
// The levels of packed samples in device memory, on engines that compile kernels: a histogram is
// counted there, and read on demand.
#pragma once

#include <cstdint>  // uint32_t, uint64_t
#include <vector>

#include "wingbeat/buffer.hpp"                               // buffer
#include "wingbeat/channeliser.hpp"                          // input_level
#include "wingbeat/device/channeliser/sample_histogram.hpp"  // histogram_numbers
#include "wingbeat/kernel.hpp"                               // kernel

namespace wingbeat::channelising {

/// Returns how samples of `sample_bits` are counted on a device.
[[nodiscard]] device::channeliser::histogram_numbers histogram_for(unsigned sample_bits,
                                                                   const device_info& device);

[[nodiscard]] kernel_spec histogram_kernel(const device::channeliser::histogram_numbers& numbers);

class level_counter {
 public:
  level_counter(const queue& on, const device::channeliser::histogram_numbers& numbers,
                std::size_t n_polarisations);

  /// Queues the count of samples `first` to `first + count` of a polarisation, both multiples of 8,
  /// counted from the beginning of `plane`.
  void enqueue(queue& on, std::size_t polarisation, buffer_view plane, std::size_t first,
               std::size_t count);

  /// Waits for queued counts, and adds each once to the histograms and sums of `levels`.
  void collect(std::vector<input_level>& levels);

 private:
  /// Adds the device's counts since the last time to `counted_`.
  void read_back();

  device::channeliser::histogram_numbers numbers_;
  std::size_t n_bins_, n_polarisations_;
  kernel kernel_;
  buffer counters_;                     ///< uint32_t[polarisation][bin], which wrap.
  std::vector<std::uint32_t> seen_;     ///< The counters when last read.
  std::vector<std::uint64_t> counted_;  ///< [polarisation][bin], not collected yet.
  bool has_counted_ = false;            ///< Any of `counted_` may be above 0.
  std::uint64_t n_unread_ = 0;          ///< Samples queued since the last read.
};

}  // namespace wingbeat::channelising
