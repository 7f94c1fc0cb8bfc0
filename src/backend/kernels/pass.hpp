// SPDX-License-Identifier: Apache-2.0
// Entry point: one pass of a transform, as `policy` and its ends `input` and `output` (defined
// before this file is read) describe.
#pragma once

#include "wingbeat/device/grid/pass.hpp"  // pass

namespace wingbeat::device {

static_assert(sizeof(complex<policy::real>) == 2 * sizeof(policy::real), "two adjacent reals");

WINGBEAT_KERNEL((grid::pass<policy>::shape::workgroup_threads))
void wingbeat_pass(WINGBEAT_GLOBAL const input::element* in, WINGBEAT_GLOBAL output::element* out,
                   WINGBEAT_GLOBAL const complex<policy::real>* table, size in_first,
                   size out_first, size batch WINGBEAT_SCRATCH_PARAMETER) {
  if (batch == 0) return;  // a warm-up: nothing may be touched
  const auto blocks = reinterpret_cast<WINGBEAT_GLOBAL const char*>(table);
  grid::pass<policy, group, input, output>({in + in_first, blocks}, {out + out_first, blocks},
                                           table + policy::roots_at, batch, WINGBEAT_SCRATCH)
      .run();
}

}  // namespace wingbeat::device
