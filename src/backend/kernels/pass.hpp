// SPDX-License-Identifier: Apache-2.0
// Entry point: one pass of a transform, as `policy` (defined before this file is read) describes.
#pragma once

#include "wingbeat/device/grid/pass.hpp"  // pass

namespace wingbeat::device {

static_assert(sizeof(complex<policy::real>) == 2 * sizeof(policy::real), "two adjacent reals");

WINGBEAT_KERNEL((grid::pass<policy>::shape::workgroup_threads))
void wingbeat_pass(WINGBEAT_GLOBAL const complex<policy::real>* in,
                   WINGBEAT_GLOBAL complex<policy::real>* out,
                   WINGBEAT_GLOBAL const complex<policy::real>* table, size in_first,
                   size out_first, size batch WINGBEAT_SCRATCH_PARAMETER) {
  if (batch == 0) return;  // a warm-up: nothing may be touched
  grid::pass<policy>(in + in_first, out + out_first, table, batch, WINGBEAT_SCRATCH).run();
}

}  // namespace wingbeat::device
