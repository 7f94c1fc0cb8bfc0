// SPDX-License-Identifier: Apache-2.0
// Why packets, and frames of a capture, could not be used.
#pragma once

#include <string>

#include "receive/batch_assembly.hpp"  // heap_receive_counts
#include "receive/counts.hpp"          // receive_counts

namespace wingbeat::cli {

/// Returns "1200 frames were cut by the capture's snap length, 3 packets are SPEAD-64-40"; empty if
/// all were used.
[[nodiscard]] std::string unusable_text(const receive::receive_counts& counts);
[[nodiscard]] std::string unusable_text(const receive::heap_receive_counts& counts);

/// Returns what to do about a capture without whole packets.
[[nodiscard]] std::string remedy_text(std::uint64_t n_cut_frames);

}  // namespace wingbeat::cli
