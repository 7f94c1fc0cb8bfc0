// SPDX-License-Identifier: Apache-2.0
// The samples of a filter bank.
#pragma once

#include <cstddef>  // size_t

#include "tuning/compiled_engines.hpp"                     // compiles_kernels
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
[[nodiscard]] constexpr sample_form form_of_samples(engine runs_on, bool is_complex = false) {
  if (compiles_kernels(runs_on)) return sample_form::packed;
  return is_complex ? sample_form::complex : sample_form::reals;
}

/// Where the samples of a bank lie.
struct sample_planes {
  sample_form form = sample_form::reals;
  std::size_t plane_bytes = 0;  ///< From one polarisation to the next.
};

}  // namespace wingbeat::channelising
