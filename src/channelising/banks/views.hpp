// SPDX-License-Identifier: Apache-2.0
// The samples of a filter bank.
#pragma once

#include <cstddef>  // size_t

#include "tuning/compiled_engines.hpp"                     // compiles_kernels
#include "wingbeat/device/channeliser/spectrum_entry.hpp"  // spectrum_entry
#include "wingbeat/devices.hpp"                            // engine

namespace wingbeat::channelising {

using device::channeliser::spectrum_entry;

/// The storage of a bank's samples; each polarisation has its own plane.
enum class sample_form {
  packed,  ///< Bits, as received; read by engines that compile kernels.
  reals,   ///< Floats, on other engines.
  complex  ///< Complex floats: narrowband, and on other engines complex samples.
};

/// Returns the form in which an engine holds the samples of the ADC.
[[nodiscard]] constexpr sample_form form_of_samples(engine runs_on, bool is_complex = false) {
  if (compiles_kernels(runs_on)) return sample_form::packed;
  return is_complex ? sample_form::complex : sample_form::reals;
}

/// The layout of a bank's samples.
struct sample_planes {
  sample_form form = sample_form::reals;
  std::size_t plane_bytes = 0;  ///< From one polarisation to the next.
};

}  // namespace wingbeat::channelising
