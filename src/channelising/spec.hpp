// SPDX-License-Identifier: Apache-2.0
// What a channeliser's description has to satisfy, and what follows from it.
#pragma once

#include "wingbeat/channeliser.hpp"  // channeliser_spec

namespace wingbeat::channelising {

/// Throws `plan_error`, naming the field at fault, what it is and what it may be.
void validate(const channeliser_spec& spec);

/// Returns the real numbers of a sample: 2 of complex samples.
[[nodiscard]] constexpr unsigned parts_of(const channeliser_spec& spec) {
  return spec.complex_samples ? 2 : 1;
}

/// Returns whether the filter bank takes complex numbers: complex samples, or those of a narrow
/// band. Its channels then lie around bin 0, else they begin there.
[[nodiscard]] constexpr bool has_complex_bank(const channeliser_spec& spec) {
  return spec.complex_samples || spec.narrowband.has_value();
}

/// Returns whether dither is added.
[[nodiscard]] bool has_dither(const channeliser_spec& spec);

/// Returns the part of the output rate that the decimating filter keeps on either side of 0.
[[nodiscard]] double pass_edge(const channeliser_spec& spec);

/// Returns the distance of channels, and the frequency of the centre of channel `channel`; of
/// complex samples from the middle of their band.
[[nodiscard]] double channel_width_hz(const channeliser_spec& spec);
[[nodiscard]] double channel_hz(const channeliser_spec& spec, std::size_t channel);

}  // namespace wingbeat::channelising
