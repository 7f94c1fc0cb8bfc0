// SPDX-License-Identifier: Apache-2.0
// How the tiles of a placed pass move: which go through local memory, which are known to be full,
// which are prefetched.
#pragma once

#include <cstddef>  // size_t

#include "arrays/dimension.hpp"   // dimension
#include "planner/pass.hpp"       // pass
#include "planner/placement.hpp"  // placement

namespace wingbeat::planner {

/// The sides of a pass whose rows alternate element by element and are gathered.
struct gathered_sides {
  bool in = false, out = false;
};

/// Gives a pass over rows that alternate element by element on one side as many at once as fill a
/// sector, staged there, so that a GPU moves whole sectors; as far as the device has local memory
/// and threads. `lanes` are the neighbours that lanes run over.
[[nodiscard]] gathered_sides gather_rows(pass& result, const arrays::dimension& lanes,
                                         const placement& position);

/// Decides which sides of a pass with loops and functors go through local memory, and records
/// whether all of its tiles are full.
void stage(pass& result, const placement& position, const gathered_sides& gathered);

/// Has a workgroup take its tile of all rows of the batch, one row after another, where the store
/// functor can keep what it is given, a workgroup has room for that, and tiles are enough for the
/// device.
void keep(pass& result, const placement& position, const gathered_sides& gathered);

/// Decides which elements are prefetched, `ahead_bytes` before they are read (0: none).
void prefetch(pass& result, std::size_t ahead_bytes, const placement& position);

}  // namespace wingbeat::planner
