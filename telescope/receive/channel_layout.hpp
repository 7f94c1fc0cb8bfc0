// SPDX-License-Identifier: Apache-2.0
// How an F-engine's channels are cut in heaps: as the user says, as its descriptors say, or both.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>

#include "spead/descriptor.hpp"      // descriptor
#include "wingbeat/channeliser.hpp"  // heap_sample

namespace wingbeat::receive {

/// A batch is one heap of each substream: [channel][spectrum][polarisation][re, im].
struct channel_layout {
  std::size_t channels = 0;                ///< Of all substreams together.
  std::size_t channels_per_substream = 0;  ///< Divides them.
  std::size_t spectra = 0;                 ///< Of a heap.
  std::size_t polarisations = 2;
  heap_sample samples = heap_sample::int8;

  [[nodiscard]] std::size_t n_substreams() const { return channels / channels_per_substream; }
  [[nodiscard]] std::size_t heap_bytes() const;
  [[nodiscard]] std::size_t batch_bytes() const { return n_substreams() * heap_bytes(); }
  bool operator==(const channel_layout&) const = default;
};

inline constexpr std::size_t max_batch_bytes = std::size_t{1} << 30;

/// What is known of a layout before heaps come.
struct layout_request {
  std::optional<std::size_t> channels = {}, channels_per_substream = {}, substreams = {},
                             spectra = {};
  std::optional<heap_sample> samples = {};
  /// Where neither channels nor substreams are stated; unset: these must be.
  std::optional<std::size_t> default_substreams = {};
};

/// Returns the layout of one substream from the descriptor of its voltages; `channels` is 0. None
/// if it is not the descriptor of [channel][spectrum][polarisation][re, im].
[[nodiscard]] std::optional<channel_layout> described_layout(const spead::descriptor& voltages);

/// Returns the layout; none where a description is needed, and it is not there yet. Samples of a
/// stream that is not described are int8 unless stated. Throws `plan_error` where the two
/// contradict each other, the request itself, or the channels are not known.
[[nodiscard]] std::optional<channel_layout> resolve(const layout_request& request,
                                                    const std::optional<channel_layout>& described);

/// Returns the options that would make a description unnecessary, in words.
[[nodiscard]] std::string missing_of(const layout_request& request);

}  // namespace wingbeat::receive
