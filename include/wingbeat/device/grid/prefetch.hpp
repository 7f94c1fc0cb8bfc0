// SPDX-License-Identifier: Apache-2.0
// Prefetches a later tile's input into the cache that all workgroups share: if one workgroup fills
// a multiprocessor, nothing else keeps memory busy while it computes.
#pragma once

#include "wingbeat/device/grid/tile.hpp"  // tile
#include "wingbeat/device/port.hpp"       // WINGBEAT_FN, size

namespace wingbeat::device::grid {

/// Prefetches the input of the tile that is `prefetch_tiles` after `number`, if there is one:
/// in.prefetch(at, count) is called for runs of elements. Each workgroup of a cluster prefetches
/// its part of each run.
/// Callers: threads 0 .. lanes - 1 of each workgroup, at least.
template <class Policy, class Input>
WINGBEAT_FN void prefetch_tile(const Input& in, unsigned number, size rows, unsigned thread,
                               unsigned part = 0) {
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr size count = numbers.prefetch_elements;
  constexpr unsigned lanes = numbers.shape.lanes, parts = numbers.shape.workgroups;
  constexpr unsigned tiles = numbers.prefetch_tiles;
  if (thread >= lanes) return;
  const tile<Policy> later(number + tiles, rows);
  if (!later.exists(thread)) return;
  const size begin = count * part / parts;
  in.prefetch(later.in(thread) + begin, count * (part + 1) / parts - begin);
}

}  // namespace wingbeat::device::grid
