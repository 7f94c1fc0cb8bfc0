// SPDX-License-Identifier: Apache-2.0
// The unfused chain of a filter bank, written as well as its three steps allow: a filter that
// leaves floats in memory, cuFFT's real transforms in batches, and a kernel that turns, weighs,
// dithers, quantises and transposes through local memory; the kernels are those of chained_bank.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "channelising/banks/fused_bank.hpp"  // bank_views
#include "channelising/banks/row_filter.hpp"  // row_filter
#include "channelising/banks/row_finish.hpp"  // row_finish
#include "peers/cufft.hpp"                    // cufft

namespace wingbeat {

class unfused_bank {
 public:
  unfused_bank(const queue& on, const channeliser_spec& spec, std::size_t plane_bytes,
               std::size_t n_spectra);

  void enqueue(queue& on, const channelising::bank_views& views) const;

  struct step {
    std::string name;
    std::function<void()> enqueue;
  };
  /// Returns the three steps, each over all spectra. They refer to this, `on` and `views`.
  [[nodiscard]] std::vector<step> steps(queue& on, const channelising::bank_views& views) const;

 private:
  void filter(queue& on, const channelising::bank_views& views) const;
  void transform() const;
  void finish(queue& on, const channelising::bank_views& views) const;

  channeliser_spec spec_;
  channeliser_sizes sizes_;
  std::size_t n_spectra_;
  channelising::row_filter filter_;
  channelising::row_finish finish_;
  peers::cufft rows_;
  buffer filtered_, bins_;
};

/// Returns the part of the bytes of two heaps that differ.
[[nodiscard]] double differing_part(queue& on, const buffer& a, const buffer& b);

}  // namespace wingbeat
