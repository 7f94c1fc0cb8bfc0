// SPDX-License-Identifier: Apache-2.0
// A long convolution, validated, and where signals and results lie on a padded row.
//
// Signals begin at index 0 of a row and results at s, the tap that leaves a signal where it is;
// results' gradients lie where the results do. With L values and K taps value n of the full
// convolution falls on index n mod P: no other falls on the results s .. s + L - 1 if
// P >= K + L - 1 - s. The correlation of the gradients with the signals has lag j, the gradient of
// tap j, at index j, and lag -q at P - q, which is K or more under the same condition.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/devices.hpp"           // device_info
#include "wingbeat/long_convolution.hpp"  // long_convolution_spec

namespace wingbeat::convolving {

struct long_geometry {
  std::size_t taps = 1;    ///< K
  std::size_t origin = 0;  ///< s
  std::size_t padded = 2;  ///< P
  index_range signals, results;
};

/// Throws `plan_error` unless the device can make a request.
void require_valid(const long_convolution_spec& spec, const device_info& device);

/// Returns the geometry of a request that has been or is being validated.
[[nodiscard]] long_geometry geometry_of(const long_convolution_spec& spec,
                                        const device_info& device);

/// Returns how many rows the signals of one channel take.
[[nodiscard]] std::size_t rows_of_channel(const long_convolution_spec& spec);

/// Returns what a request is computed in, and what its kernels are stored as.
[[nodiscard]] precision computed(const long_convolution_spec& spec);
[[nodiscard]] precision kernels_stored(const long_convolution_spec& spec);

}  // namespace wingbeat::convolving
