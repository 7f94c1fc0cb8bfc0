// SPDX-License-Identifier: Apache-2.0
// The one source of roots of unity: long double, reduced to the first octant, rounded once; in long
// tables, the product of two.
#pragma once

#include <complex>
#include <vector>

#include "planner/pass.hpp"  // pass_numbers, convolution_numbers

namespace wingbeat::planner {

/// Returns the table of a pass in the order of `pass_numbers`: the roots of its body, of the
/// twiddles before it and of the real transform, then the numbers of a convolution. Instantiated
/// for float, double and long double.
template <class Real>
[[nodiscard]] std::vector<std::complex<Real>> table_of(
    const pass_numbers& numbers, const convolution_numbers& convolved_by = {});

}  // namespace wingbeat::planner
