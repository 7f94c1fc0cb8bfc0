// SPDX-License-Identifier: Apache-2.0
// Spectra that the rows of a convolution are multiplied by.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/device/grid/numbers.hpp"  // product
#include "wingbeat/plan.hpp"                 // precision

namespace wingbeat {

using device::grid::product;

/// One spectrum behind another, each as the engine's rows hold it.
struct spectrum_array {
  precision stored = precision::fp32;
  std::vector<std::size_t> distances;  ///< One per batch dimension, in complex numbers; 0: shared.
  product times = product::plain;
};

}  // namespace wingbeat
