// SPDX-License-Identifier: Apache-2.0
// How the tiles of a placed pass move: which pass through local memory, which are known to be full,
// which are prefetched.
#pragma once

#include <cstddef>  // size_t

#include "arrays/dimension.hpp"   // dimension
#include "planner/pass.hpp"       // pass
#include "planner/placement.hpp"  // placement

namespace wingbeat::planner {

/// Which sides have rows that alternate element by element and are gathered.
struct gathered_sides {
  bool in = false, out = false;
};

/// If rows alternate element by element on one side, makes a pass take as many at once as fill a
/// sector, staged there, so that a GPU moves whole sectors; limited by local memory and threads.
/// `lanes`: the dimension that lanes run over.
[[nodiscard]] gathered_sides gather_rows(pass& result, const arrays::dimension& lanes,
                                         const placement& position);

/// Decides which sides of a pass with loops and functors are staged, and records whether all of its
/// tiles are full.
void stage(pass& result, const placement& position, const gathered_sides& gathered);

/// Lets a workgroup take its tile in all rows of the batch, one row after another, if the store
/// functor can keep its state, a workgroup has room for it, and there are tiles enough for the
/// device.
void keep(pass& result, const placement& position, const gathered_sides& gathered);

/// Decides which elements are prefetched, `ahead_bytes` before they are read (0: none).
void prefetch(pass& result, std::size_t ahead_bytes, const placement& position);

}  // namespace wingbeat::planner
