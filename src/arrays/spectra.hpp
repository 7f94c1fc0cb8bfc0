// SPDX-License-Identifier: Apache-2.0
// Spectra that the rows of a convolution are multiplied by.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/device/grid/numbers.hpp"  // product
#include "wingbeat/plan.hpp"                 // precision

namespace wingbeat {

using device::grid::product;

/// Results of a row in blocks of `length` neighbours, `stride` complex numbers apart, so that
/// blocks of other rows lie between. The first begins with the first result in memory. 0: none.
struct result_blocks {
  std::size_t length = 0;
  std::size_t stride = 0;
};

/// One spectrum behind another, each as the engine's rows hold it.
struct spectrum_array {
  precision stored = precision::fp32;  ///< fp16 and bf16 meet rows of fp32.
  std::vector<std::size_t> distances;  ///< One per batch dimension, in complex numbers; 0: shared.
  product times = product::plain;
  result_blocks blocks = {};
};

}  // namespace wingbeat
