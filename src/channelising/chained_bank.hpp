// SPDX-License-Identifier: Apache-2.0
// A filter bank in several launches: filters, a plan whose store turns, weighs and quantises bins,
// and the transposition to [channel][spectrum][polarisation]. Heap after heap, so that what is
// handed on stays in the caches. Of complex numbers, the filters are the plan's load.
#pragma once

#include <optional>
#include <string>

#include "channelising/bank_views.hpp"  // bank_views, sample_planes
#include "channelising/row_filter.hpp"  // row_filter
#include "wingbeat/buffer.hpp"          // buffer
#include "wingbeat/kernel.hpp"          // kernel
#include "wingbeat/plan.hpp"            // plan

namespace wingbeat::channelising {

class chained_bank {
 public:
  chained_bank(const queue& on, const channeliser_spec& spec, const sample_planes& planes);

  /// Queues the spectra of `n_heaps` heaps; on engines of this process, makes them.
  void enqueue(queue& on, const bank_views& views, std::size_t n_heaps) const;

  [[nodiscard]] std::string explain() const;

 private:
  /// Of `n_spectra` in all heaps.
  void enqueue_heap(queue& on, const bank_views& views, std::uint64_t n_spectra) const;

  channeliser_spec spec_;
  channeliser_sizes sizes_;
  std::optional<row_filter> filters_;
  plan spectra_;
  std::optional<kernel> transpose_;
  buffer weights_, filtered_, staged_;
};

}  // namespace wingbeat::channelising
