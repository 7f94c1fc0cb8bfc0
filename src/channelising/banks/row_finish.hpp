// SPDX-License-Identifier: Apache-2.0
// The end of a bank in a launch of its own, on engines that compile kernels: rows of bins in device
// memory are turned, weighed, dithered, quantised and transposed to heaps.
#pragma once

#include "channelising/banks/views.hpp"  // bank_views
#include "wingbeat/channeliser.hpp"      // channeliser_spec
#include "wingbeat/kernel.hpp"           // kernel

namespace wingbeat::channelising {

/// Returns complex numbers from one row of bins to the next: the bins of the bank's transform.
[[nodiscard]] std::size_t bins_of(const channeliser_spec& spec);

[[nodiscard]] kernel_spec finish_kernel(const channeliser_spec& spec);

class row_finish {
 public:
  row_finish(const queue& on, const channeliser_spec& spec);

  /// Queues `n_heaps` heaps: complex<float>[polarisation][spectrum][bin] to views.heaps. From one
  /// polarisation's entries to the next's are `n_of_entries`.
  void enqueue(queue& on, buffer_view bins, const bank_views& views, std::size_t n_heaps,
               std::size_t n_of_entries) const;

 private:
  channeliser_spec spec_;
  std::size_t spectra_per_heap_;
  kernel kernel_;
};

}  // namespace wingbeat::channelising
