// SPDX-License-Identifier: Apache-2.0
// How an F-engine's channels are divided into heaps, as stated by the user, its descriptors or
// both.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>

#include "spead/descriptor.hpp"      // descriptor
#include "wingbeat/channeliser.hpp"  // heap_sample

namespace wingbeat::receive {

/// A batch is one heap of each substream: [channel][spectrum][polarisation][re, im].
struct channel_layout {
  std::size_t channels = 0;                ///< Of all substreams.
  std::size_t channels_per_substream = 0;  ///< Divides `channels`.
  std::size_t spectra = 0;                 ///< Per heap.
  std::size_t polarisations = 2;
  heap_sample samples = heap_sample::int8;

  [[nodiscard]] std::size_t n_substreams() const { return channels / channels_per_substream; }
  [[nodiscard]] std::size_t heap_bytes() const;
  [[nodiscard]] std::size_t batch_bytes() const { return n_substreams() * heap_bytes(); }
  bool operator==(const channel_layout&) const = default;
};

inline constexpr std::size_t max_batch_bytes = std::size_t{1} << 30;

/// The known part of a layout before heaps arrive.
struct layout_request {
  std::optional<std::size_t> channels = {}, channels_per_substream = {}, substreams = {},
                             spectra = {};
  std::optional<heap_sample> samples = {};
  /// Used if neither channels nor substreams are stated; unset: these must be stated.
  std::optional<std::size_t> default_substreams = {};
};

/// Returns the layout of one substream from the descriptor of its voltages; `channels` is 0. None
/// if it is not the descriptor of [channel][spectrum][polarisation][re, im].
[[nodiscard]] std::optional<channel_layout> described_layout(const spead::descriptor& voltages);

/// Returns the layout; none if a description is needed but has not arrived yet. Without a
/// description, samples are int8 unless stated. Throws `plan_error` if the request contradicts the
/// description or itself, or if the channels are unknown.
[[nodiscard]] std::optional<channel_layout> resolve(const layout_request& request,
                                                    const std::optional<channel_layout>& described);

/// Returns, in words, the options that would make a description unnecessary.
[[nodiscard]] std::string missing_of(const layout_request& request);

}  // namespace wingbeat::receive
