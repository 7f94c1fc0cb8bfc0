// SPDX-License-Identifier: Apache-2.0
// Conversion of numbers between this program, fp64, and device memory, fp32 or fp64.
#pragma once

#include <cstddef>  // byte, size_t
#include <span>
#include <vector>

#include "wingbeat/plan.hpp"  // plan_spec, precision

namespace wingbeat::cli {

/// Returns the numbers rounded to the precision, as bytes of a buffer.
[[nodiscard]] std::vector<std::byte> pack(std::span<const double> numbers, precision real);

/// Rounds every number to the precision, so that an engine and its reference transform the same.
void round_to(precision real, std::span<double> numbers);

}  // namespace wingbeat::cli
