// SPDX-License-Identifier: Apache-2.0
// Spectra that multiply the rows of a convolution.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/device/grid/numbers.hpp"  // product
#include "wingbeat/plan.hpp"                 // precision

namespace wingbeat {

using device::grid::product;

/// Results of a row in blocks of `length` neighbours, `stride` complex numbers apart, with blocks
/// of other rows between them. The first block begins with the first result in memory. 0: no
/// blocks.
struct result_blocks {
  std::size_t length = 0;
  std::size_t stride = 0;
};

/// Consecutive spectra, each in the bin order of the engine's rows.
struct spectrum_array {
  precision stored = precision::fp32;  ///< fp16 and bf16 multiply rows of fp32.
  std::vector<std::size_t> distances;  ///< One per batch dimension, in complex numbers; 0: shared.
  product times = product::plain;
  result_blocks blocks = {};
};

}  // namespace wingbeat
