// SPDX-License-Identifier: Apache-2.0
// Functors that move each element by the number that a plan gives it: rows one behind another, of
// the elements in the ranges alone, stored in the plan's precision. A plan with them does what the
// plan without them does on packed rows.
#pragma once

#include "wingbeat/plan.hpp"  // plan_spec

namespace wingbeat::test {

/// Return the functor of a request, for every engine. The request has no layout on that side.
[[nodiscard]] fused_load numbered_load(const plan_spec& spec);
[[nodiscard]] fused_store numbered_store(const plan_spec& spec);

/// Returns a multiplier of a request whose factors, 1 to 1 7/8, depend on the row and the element.
[[nodiscard]] fused_load numbered_multiplier(const plan_spec& spec);

}  // namespace wingbeat::test
