// SPDX-License-Identifier: Apache-2.0
// The type of a stored real number, chosen when the program runs.
#pragma once

#include "wingbeat/device/bfloat.hpp"  // bfloat
#include "wingbeat/device/half.hpp"    // half_float
#include "wingbeat/plan.hpp"           // precision

namespace wingbeat {

/// Returns work(value) with a value of the stored type: double if Real is double, otherwise one of
/// the types that are computed in float.
template <class Real, class Work>
auto with_stored(precision stored, const Work& work) {
  if constexpr (sizeof(Real) == sizeof(double)) {
    return work(double{});
  } else {
    if (stored == precision::fp16) return work(device::half_float{});
    if (stored == precision::bf16) return work(device::bfloat{});
    return work(float{});
  }
}

}  // namespace wingbeat
