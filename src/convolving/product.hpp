// SPDX-License-Identifier: Apache-2.0
// The product of spectra as the load of an inverse transform, for engines and lengths that do not
// convolve rows in one crossing.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/device/functors/product.hpp"  // product_numbers
#include "wingbeat/fusion.hpp"                   // fused_load
#include "wingbeat/plan.hpp"                     // precision

namespace wingbeat::convolving {

/// Returns a load that reads `count` spectra [run][column][bin]. Its operand is the view of the
/// prepared spectra, in the same layout; both are stored as `stored`.
[[nodiscard]] fused_load product_load(const device::functors::product_numbers& pairs,
                                      std::size_t count, precision stored);

}  // namespace wingbeat::convolving
