// SPDX-License-Identifier: Apache-2.0
// Entry point: separates the bins of real transforms that took several passes. Defined before this
// file is read: `policy` (real, total, threads, roots_at), and the ends `input` and `output`.
#pragma once

#include "wingbeat/device/grid/ends.hpp"  // plain_load, plain_store
#include "wingbeat/device/grid/real.hpp"  // separate_bin
#include "wingbeat/device/twiddle.hpp"    // roots

namespace wingbeat::device {

static_assert(sizeof(complex<policy::real>) == 2 * sizeof(policy::real), "two adjacent reals");

WINGBEAT_KERNEL(policy::threads)
void wingbeat_separate(WINGBEAT_GLOBAL const input::element* in,
                       WINGBEAT_GLOBAL output::element* out,
                       WINGBEAT_GLOBAL const complex<policy::real>* table, size in_first,
                       size out_first, size batch WINGBEAT_SCRATCH_PARAMETER) {
  const size bin = group::index() * policy::threads + group::thread();
  const size row = bin / policy::total;
  if (row >= batch) return;
  const auto blocks = reinterpret_cast<WINGBEAT_GLOBAL const char*>(table);
  const twiddle::roots<policy::real, 2 * policy::total> roots{table + policy::roots_at};
  grid::separate_bin<policy>(input{in + in_first, blocks}.row(row),
                             output{out + out_first, blocks}.row(row), bin % policy::total, roots);
}

}  // namespace wingbeat::device
