// SPDX-License-Identifier: Apache-2.0
// The matrices and twiddles of device/tensor/convolve.hpp.
#pragma once

#include <vector>

#include "wingbeat/device/tensor/matrix_product.hpp"  // quad

namespace wingbeat::convolving {

/// Returns the table of rows of 256 `outer` points, in the order of `table_places`.
[[nodiscard]] std::vector<device::tensor::quad> tensor_table(unsigned outer);

}  // namespace wingbeat::convolving
