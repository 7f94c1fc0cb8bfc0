// SPDX-License-Identifier: Apache-2.0
// A filter bank in three launches: filters, a plan, and what makes heaps of its bins. Of a
// narrowband, the filters are the plan's load.
#pragma once

#include <optional>
#include <string>

#include "channelising/banks/row_filter.hpp"  // row_filter
#include "channelising/banks/row_finish.hpp"  // row_finish
#include "channelising/banks/views.hpp"       // bank_views, sample_planes
#include "wingbeat/buffer.hpp"                // buffer
#include "wingbeat/plan.hpp"                  // plan

namespace wingbeat::channelising {

class chained_bank {
 public:
  /// Of `n_heaps` heaps at once, on engines that compile kernels.
  chained_bank(const queue& on, const channeliser_spec& spec, const sample_planes& planes,
               std::size_t n_heaps = 1);

  /// Queues the spectra of these heaps.
  void enqueue(queue& on, const bank_views& views) const;

  [[nodiscard]] std::string explain() const;

 private:
  channeliser_sizes sizes_;
  std::size_t n_heaps_;
  std::optional<row_filter> filters_;
  plan spectra_;
  row_finish finish_;
  buffer weights_, filtered_, staged_;
};

}  // namespace wingbeat::channelising
