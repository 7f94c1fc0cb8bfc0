// SPDX-License-Identifier: Apache-2.0
// Clusters that transform planes, or columns side by side, and the reference of a plane.
#pragma once

#include <algorithm>  // copy
#include <cstddef>    // ptrdiff_t

#include "device/grid/pass_probe.hpp"  // pass_numbers, picked, values
#include "support/oracle.hpp"          // dft, exact

namespace wingbeat::test {

template <class Base>
struct as_plane : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.shape.makes = body::plane;
    n.out.first_stride = n.shape.second;
    n.out.stride = 1;
    return n;
  }
};

/// Returns the DFT of a plane of A rows and B columns.
template <class Real>
exact dft_of_plane(const values<Real>& x, size a, size b, direction dir) {
  exact plane(a * b);
  for (size i = 0; i < a; ++i) {
    const auto row = dft(picked(x, i * b, b), dir);
    std::copy(row.begin(), row.end(), plane.begin() + static_cast<std::ptrdiff_t>(i * b));
  }
  for (size j = 0; j < b; ++j) {
    const auto column = dft(picked(plane, j, a, b), dir);
    for (size i = 0; i < a; ++i) plane[i * b + j] = column[i];
  }
  return plane;
}

}  // namespace wingbeat::test
