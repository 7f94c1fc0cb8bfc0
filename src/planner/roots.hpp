// SPDX-License-Identifier: Apache-2.0
// The one source of roots of unity: long double, reduced to the first octant, rounded once.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <vector>

#include "planner/pass.hpp"  // pass

namespace wingbeat::planner {

/// Returns the table that a pass reads: roots of its workgroup stages, of the pass itself, of the
/// real transform; the order is that of wingbeat/device/grid/pass.hpp.
[[nodiscard]] std::vector<std::complex<long double>> table_of(const pass& one);

}  // namespace wingbeat::planner
