// SPDX-License-Identifier: Apache-2.0
// The requirements on a channeliser's description, and quantities that follow from it.
#pragma once

#include "channelising/arithmetic/quantise.hpp"  // is_integer
#include "wingbeat/channeliser.hpp"              // channeliser_spec

namespace wingbeat::channelising {

/// The number of channels of a bank is a product of 2, 3, 5, 7, 11 and 13.
inline constexpr std::size_t min_channels = 2, max_channels = 65536;

/// Throws `plan_error` with the field at fault, its value and the allowed values.
void validate(const channeliser_spec& spec);

/// A heap has 16 spectra, or a multiple of 32, because tiles of kernels have 16 or 32, or fewer.
inline constexpr std::size_t min_spectra = 16, spectra_step = 32;

/// Returns the real numbers of a sample: 2 for complex samples.
[[nodiscard]] constexpr unsigned parts_of(const channeliser_spec& spec) {
  return spec.complex_samples ? 2 : 1;
}

/// Returns whether the filter bank takes complex numbers: complex samples, or a narrow band.
/// Channels then lie around bin 0, otherwise they begin there.
[[nodiscard]] constexpr bool has_complex_bank(const channeliser_spec& spec) {
  return spec.complex_samples || spec.narrowband.has_value();
}

/// Returns the place of the middle of the band among the channels: N/2, between two of them if N is
/// odd; for complex numbers the channel of bin 0, N/2 rounded down.
[[nodiscard]] double middle_channel(const channeliser_spec& spec);

/// Returns how many adjacent channels become one point: the least divisor of the channels that
/// leaves at most `max_points`.
[[nodiscard]] std::size_t channels_per_point(std::size_t channels, std::size_t max_points);

/// Returns whether dither is added.
[[nodiscard]] inline bool has_dither(const channeliser_spec& spec) {
  return is_integer(spec.output) &&
         spec.dither.value_or(dither_kind::uniform) == dither_kind::uniform;
}

/// Returns the part of the output rate that the decimating filter keeps on either side of 0.
[[nodiscard]] double pass_edge(const channeliser_spec& spec);

/// Returns the distance of channels, and the frequency of the centre of channel `channel`; for
/// complex samples, from the middle of their band.
[[nodiscard]] double channel_width_hz(const channeliser_spec& spec);
[[nodiscard]] double channel_hz(const channeliser_spec& spec, std::size_t channel);

}  // namespace wingbeat::channelising
