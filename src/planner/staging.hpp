// SPDX-License-Identifier: Apache-2.0
// How the tiles of a placed pass move: which go through local memory, which are known to be full,
// which are prefetched.
#pragma once

#include <cstddef>  // size_t

#include "planner/pass.hpp"   // pass
#include "wingbeat/plan.hpp"  // plan_spec

namespace wingbeat::planner {

/// Decides which sides of a pass with loops and functors, of a plan for `spec`, go through local
/// memory, and tells whether all of its tiles are full.
void stage(pass& result, const plan_spec& spec);

/// Decides which elements are prefetched, `ahead_bytes` before they are read (0: none); `n_rows`
/// are all transforms of the batch.
void prefetch(pass& result, std::size_t ahead_bytes, std::size_t n_rows);

}  // namespace wingbeat::planner
