// SPDX-License-Identifier: Apache-2.0
// The memory of a filter bank.
#pragma once

#include "wingbeat/buffer.hpp"                             // buffer_view
#include "wingbeat/device/channeliser/spectrum_entry.hpp"  // spectrum_entry
#include "wingbeat/devices.hpp"                            // engine

namespace wingbeat::channelising {

using device::channeliser::spectrum_entry;

/// What the samples of a bank are stored as, each polarisation in a plane of its own.
enum class sample_form {
  packed,  ///< Bits, as they came; an engine that compiles kernels reads them.
  reals,   ///< Floats, on the others.
  complex  ///< Complex floats: of a narrowband, and on the others of complex samples.
};

/// Returns how an engine holds the samples of the ADC.
[[nodiscard]] sample_form form_of_samples(engine runs_on, bool is_complex = false);

/// Where the samples of a bank lie.
struct sample_planes {
  sample_form form = sample_form::reals;
  unsigned bits = 0;            ///< Of a packed sample, or of each of its parts.
  std::size_t plane_bytes = 0;  ///< From one polarisation to the next.
};

/// Counters of saturated values, of each polarisation of a heap; their sum counts.
inline constexpr std::size_t saturation_counters = 32;

/// The memory of a launch, but for what the bank owns.
struct bank_views {
  buffer_view samples;    ///< Packed; polarisations `plane_bytes` apart.
  buffer_view entries;    ///< spectrum_entry[polarisation][spectrum]
  buffer_view gains;      ///< [set][polarisation][channel]
  buffer_view heaps;      ///< [heap][channel][spectrum][polarisation]
  buffer_view saturated;  ///< uint32_t[heap][polarisation][counter], added to.
};

}  // namespace wingbeat::channelising
