// SPDX-License-Identifier: Apache-2.0
// The decimated samples of a narrowband, on one engine. Their index j counts input samples S j.
#pragma once

#include <optional>
#include <vector>

#include "channelising/banks/views.hpp"          // sample_form
#include "channelising/stream/sample_store.hpp"  // sample_store
#include "wingbeat/channeliser.hpp"              // channeliser_spec
#include "wingbeat/kernel.hpp"                   // kernel

namespace wingbeat::channelising {

class downconverter {
 public:
  /// For samples that an engine holds in `form`.
  downconverter(const queue& on, const channeliser_spec& spec, sample_form form);

  /// Returns the index of the first output whose taps begin at input sample `index` or later.
  [[nodiscard]] std::int64_t first_from(std::int64_t index) const;
  /// Returns the index after the last output whose taps end before input sample `end`.
  [[nodiscard]] std::int64_t end_of(std::int64_t end) const;

  /// Queues `count` outputs from index `first` on, each polarisation into its plane of `to`.
  void run(queue& on, const sample_store& from, const sample_store& to, std::int64_t first,
           std::size_t count);

 private:
  channeliser_spec spec_;
  channeliser_sizes sizes_;
  std::uint64_t turn_;
  std::vector<std::complex<float>> taps_;  ///< h[a] exp(-2 pi i a f/fs)
  buffer taps_there_;
  std::optional<kernel> kernel_;
};

}  // namespace wingbeat::channelising
