// SPDX-License-Identifier: Apache-2.0
// The dimensions over which a pass repeats, with their places in the arrays it reads and writes;
// and an axis cut in nested levels.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <vector>

#include "arrays/array.hpp"  // array
#include "arrays/order.hpp"  // axis_span

namespace wingbeat::arrays {

/// `count` places, `in`, `out` and `filter` units apart in the arrays that a pass reads, writes and
/// multiplies by. In the array that it reads they may lie in blocks: see `batch`.
struct dimension {
  std::size_t count = 1;
  std::size_t in = 0;
  std::size_t out = 0;
  std::size_t filter = 0;
  std::size_t block = 0, block_in = 0;
};

/// A dimension other than the axes of a pass: another axis, or one of the batch.
struct beside : dimension {
  std::optional<std::size_t> axis = std::nullopt;
};

/// Returns the dimensions of a pass over `axes`, slowest first: those of the batch, then the valid
/// elements of the other axes, which are the same in both arrays.
[[nodiscard]] std::vector<beside> dimensions_beside(const array& from, const array& to,
                                                    const axis_span& axes);

/// Returns the units from an array's start to the first element that a pass over `axes` reads or
/// writes, if it begins at index 0 of `axes`.
[[nodiscard]] std::size_t offset_beside(const array& source, const axis_span& axes);

/// Returns how many units before an array's start index 0 of all of `axes` would lie, if the array
/// begins with later indices.
[[nodiscard]] std::size_t lead_along(const array& source, const axis_span& axes);

/// Returns whether `outer` continues where `inner` ends, in every array.
[[nodiscard]] constexpr bool continues(const dimension& inner, const dimension& outer) {
  return inner.block == 0 && outer.block == 0 && outer.in == inner.in * inner.count &&
         outer.out == inner.out * inner.count && outer.filter == inner.filter * inner.count;
}

/// Merges each dimension with the next slower one if that continues it and `may_merge(inner,
/// outer)`, and calls `on_merge(merged)`. The list is ordered, fastest first.
template <class Dimension, class MayMerge, class OnMerge>
void merge(std::vector<Dimension>& list, MayMerge may_merge, OnMerge on_merge) {
  std::size_t n_merged = 0;
  for (const Dimension& outer : list) {
    Dimension* const inner = n_merged == 0 ? nullptr : &list[n_merged - 1];
    if (inner != nullptr && continues(*inner, outer) && may_merge(*inner, outer)) {
      inner->count *= outer.count;
      on_merge(*inner);
    } else {
      list[n_merged++] = outer;
    }
  }
  list.resize(n_merged);
}
template <class Dimension>
void merge(std::vector<Dimension>& list) {
  const auto always = [](const Dimension&, const Dimension&) { return true; };
  merge(list, always, [](const Dimension&) {});
}

/// One level of an axis that is cut: `count` indices, `stride` indices of the axis apart.
struct level {
  std::size_t count = 1;
  std::size_t stride = 1;
};

/// Returns the levels of an axis cut into nested levels of `counts`, fastest first: index i0 + i1
/// counts[0] + i2 counts[0] counts[1] + ..
[[nodiscard]] std::vector<level> nested_levels(const std::vector<std::size_t>& counts);

}  // namespace wingbeat::arrays
