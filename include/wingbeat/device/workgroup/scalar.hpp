// SPDX-License-Identifier: Apache-2.0
// What numbers are computed with, given what they are stored as.
#pragma once

#include "wingbeat/device/half.hpp"  // half_float

namespace wingbeat::device::workgroup {

/// fp16 in memory is fp32 in registers; all else is computed as it is stored.
template <class Real>
struct arithmetic_of {
  using type = Real;
};
template <>
struct arithmetic_of<half_float> {
  using type = float;
};

}  // namespace wingbeat::device::workgroup
