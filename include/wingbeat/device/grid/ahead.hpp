// SPDX-License-Identifier: Apache-2.0
// While a workgroup computes, memory brings what a later one reads into the cache they share: where
// one workgroup fills a multiprocessor, nothing else would keep memory busy.
#pragma once

#include "wingbeat/device/grid/tile.hpp"  // tile
#include "wingbeat/device/port.hpp"       // WINGBEAT_FN, size

namespace wingbeat::device::grid {

/// Requests the input of the tile that is Policy::ahead tiles after `number`, if there is one, from
/// `in`: in.request(at, count) is called for runs of elements. Policy, besides what tile.hpp asks:
///   ahead        tiles
///   run          elements of a butterfly's input, which lie one behind another
///   workgroups   of a cluster; each requests its part of each run
/// Callers: threads 0 .. lanes - 1 of each workgroup, at least.
template <class Policy, class Input>
WINGBEAT_FN void request_ahead(const Input& in, unsigned number, rows_of_batch rows,
                               unsigned thread, unsigned part = 0) {
  if (thread >= Policy::lanes) return;
  const tile<Policy> later(number + Policy::ahead, rows);
  if (!later.exists(thread)) return;
  const size from = Policy::run * part / Policy::workgroups;
  in.request(later.in(thread) + from, Policy::run * (part + 1) / Policy::workgroups - from);
}

}  // namespace wingbeat::device::grid
