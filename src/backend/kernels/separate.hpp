// SPDX-License-Identifier: Apache-2.0
// Entry point: separates the bins of real transforms that took several passes. `policy` (defined
// before this file is read): real, total, threads, in_pitch, out_pitch.
#pragma once

#include "wingbeat/device/grid/real.hpp"  // separate_bin
#include "wingbeat/device/twiddle.hpp"    // roots

namespace wingbeat::device {

static_assert(sizeof(complex<policy::real>) == 2 * sizeof(policy::real), "two adjacent reals");

WINGBEAT_KERNEL(policy::threads)
void wingbeat_separate(WINGBEAT_GLOBAL const complex<policy::real>* in,
                       WINGBEAT_GLOBAL complex<policy::real>* out,
                       WINGBEAT_GLOBAL const complex<policy::real>* table, size in_first,
                       size out_first, size batch WINGBEAT_SCRATCH_PARAMETER) {
  const size bin = group::index() * policy::threads + group::thread();
  const size row = bin / policy::total;
  if (row >= batch) return;
  const twiddle::roots<policy::real, 2 * policy::total> roots{table};
  grid::separate_bin<policy>(in + in_first + row * policy::in_pitch,
                             out + out_first + row * policy::out_pitch, bin % policy::total, roots);
}

}  // namespace wingbeat::device
