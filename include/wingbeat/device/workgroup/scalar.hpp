// SPDX-License-Identifier: Apache-2.0
// The type of arithmetic for each stored type.
#pragma once

#include "wingbeat/device/half.hpp"  // half_float, half_pair

namespace wingbeat::device::workgroup {

/// fp16 in memory is fp32 in registers; other types are computed as they are stored.
template <class Real>
struct arithmetic_of {
  using type = Real;
};
template <>
struct arithmetic_of<half_float> {
  using type = float;
};

/// Whether a workgroup can transform this type.
template <class Real>
struct is_scalar {
  static constexpr bool value = false;
};
template <>
struct is_scalar<float> {
  static constexpr bool value = true;
};
template <>
struct is_scalar<double> {
  static constexpr bool value = true;
};
template <>
struct is_scalar<half_float> {
  static constexpr bool value = true;
};
template <>
struct is_scalar<half_pair> {
  static constexpr bool value = true;
};

}  // namespace wingbeat::device::workgroup
