// SPDX-License-Identifier: Apache-2.0
// What a functor works on, as a template's argument:
//     fused_load<yours, as<{.length = 8, .is_real = true}>> load{in, nullptr};
#pragma once

#include "wingbeat/device/ends/functor.hpp"  // fused_as, fused_numbers

namespace wingbeat::test {

template <device::ends::fused_numbers Numbers, class Real>
struct fixed_rows {
  using real = Real;
  static constexpr device::ends::fused_numbers numbers() { return Numbers; }
};

template <device::ends::fused_numbers Numbers, class Real = float>
using as = device::ends::fused_as<fixed_rows<Numbers, Real>>;

}  // namespace wingbeat::test
