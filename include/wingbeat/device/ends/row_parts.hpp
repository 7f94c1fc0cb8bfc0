// SPDX-License-Identifier: Apache-2.0
// Rows of a plan that are parts of its functor's rows.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, size

namespace wingbeat::device::ends {

/// Row r is part r % rows of the functor's row r / rows, and has `elements` values.
struct row_parts {
  size rows = 1, elements = 0;

  WINGBEAT_FN constexpr size signal(size row) const { return row / rows; }
  WINGBEAT_FN constexpr size part(size row) const { return row % rows; }
  WINGBEAT_FN constexpr size element(size row, size i) const { return row % rows * elements + i; }
};

/// A functor of whole signals at the ends of a plan whose rows are parts of them.
template <class Functor, size Rows, size Elements>
struct of_signals : Functor {};

template <class Functor>
struct parts_of {
  WINGBEAT_FN static constexpr row_parts get() { return {}; }
};
template <class Functor, size Rows, size Elements>
struct parts_of<of_signals<Functor, Rows, Elements>> {
  WINGBEAT_FN static constexpr row_parts get() { return {Rows, Elements}; }
};

}  // namespace wingbeat::device::ends
