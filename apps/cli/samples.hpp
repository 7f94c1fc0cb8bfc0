// SPDX-License-Identifier: Apache-2.0
// Conversion of numbers between this program, fp64, and device memory, fp32 or fp64.
#pragma once

#include <span>

#include "convolving/convolver.hpp"  // pack
#include "wingbeat/plan.hpp"         // precision

namespace wingbeat::cli {

using convolving::pack;

/// Rounds every number to the precision, so that an engine and its reference transform the same.
void round_to(precision real, std::span<double> values);

}  // namespace wingbeat::cli
