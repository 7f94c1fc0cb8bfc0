// SPDX-License-Identifier: Apache-2.0
// The filters of a bank in a launch of their own, on engines that compile kernels: packed samples
// to rows of floats in device memory, for transforms that do not fit a workgroup beside them.
#pragma once

#include "wingbeat/buffer.hpp"                     // buffer
#include "wingbeat/channeliser.hpp"                // channeliser_spec
#include "wingbeat/device/channeliser/filter.hpp"  // bank_numbers
#include "wingbeat/kernel.hpp"                     // kernel

namespace wingbeat::channelising {

/// The rows that a thread slides over, and how many workgroups a multiprocessor is to hold.
struct filter_shape_of_rows {
  unsigned sliding = 8;
  unsigned resident = 4;
};

/// Returns the kernel; `numbers` has tiles of as many rows as a thread slides over.
[[nodiscard]] kernel_spec filter_kernel(const device::channeliser::bank_numbers& numbers,
                                        unsigned resident);

class row_filter {
 public:
  row_filter(const queue& on, const channeliser_spec& spec, std::size_t plane_bytes,
             filter_shape_of_rows shape = {});

  /// Queues the filters of `n_spectra` spectra, a multiple of 16: packed samples to
  /// float[polarisation][spectrum][position]. From one polarisation's entries to the next's are
  /// `n_of_entries`.
  void enqueue(queue& on, buffer_view samples, buffer_view entries, buffer_view rows,
               std::size_t n_spectra, std::size_t n_of_entries) const;

  [[nodiscard]] kernel_resources resources() const { return kernel_.resources(); }

 private:
  device::channeliser::bank_numbers numbers_;
  std::size_t plane_bytes_;
  kernel kernel_;
  buffer weights_;
};

}  // namespace wingbeat::channelising
