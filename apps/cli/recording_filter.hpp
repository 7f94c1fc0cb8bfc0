// SPDX-License-Identifier: Apache-2.0
// Filters the channels of a recording block by block, so that memory never holds all of it.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <optional>
#include <span>

#include "formats/signals/sample_reader.hpp"  // sample_reader
#include "wingbeat/convolution.hpp"           // extent
#include "wingbeat/plan.hpp"                  // precision
#include "wingbeat/queue.hpp"                 // queue

namespace wingbeat::cli {

/// Most taps for filtering a recording in blocks.
inline constexpr std::size_t max_block_taps = 65536;

struct recording_filter_spec {
  std::optional<std::size_t> channel;  ///< Unset: all.
  extent mode = extent::full;
  precision real = precision::fp32;
};

/// Takes results, [frame][channel][re, im if complex].
using frame_sink = std::function<void(std::span<const double> frames)>;

/// Returns the most bytes that the arrays of filtering signals of this shape take.
[[nodiscard]] double recording_filter_bytes(const formats::signal& shape, std::size_t n_taps);

/// Filters by stream_filter and gives all results to `sink`. taps: real, one row or one for each
/// channel, at most `max_block_taps` long. Throws `plan_error` for a result beyond the precision.
void filter_recording(const queue& on, formats::sample_reader& recording,
                      const formats::signal& taps, const recording_filter_spec& spec,
                      const frame_sink& sink);

}  // namespace wingbeat::cli
