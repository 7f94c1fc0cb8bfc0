// SPDX-License-Identifier: Apache-2.0
// Estimates of the registers of a shape, without a compiler.
#pragma once

#include "wingbeat/device/index.hpp"  // minimum, maximum
#include "wingbeat/device/port.hpp"   // WINGBEAT_FN

namespace wingbeat::device::workgroup {

/// Returns the 32-bit registers that a thread holding `held` complex numbers of two reals of
/// `real_bytes` is likely to need: the numbers, half as many temporaries, and 12 for indices,
/// pointers and roots. Source: bench/evidence/registers.md, where compilers differ by a seventh in
/// the median, by a half for the shortest transforms.
WINGBEAT_FN constexpr unsigned registers_estimate(unsigned held, unsigned real_bytes) {
  const unsigned data = 2 * held * real_bytes / 4;
  return minimum(data + data / 2 + 12, 255u);
}

/// Returns how many workgroups of a kernel that works on the spectrum in registers a multiprocessor
/// of 65536 registers should hold at once. A thread gets twice the registers of its numbers plus
/// 16, at least 40 and at most 128, and `more`. By itself the compiler takes more, and then fewer
/// workgroups overlap their waits. Source:
/// bench/lessons/workgroup.md#registers-decide-how-many-workgroups-overlap.
WINGBEAT_FN constexpr unsigned fused_workgroups_of(unsigned workgroup_threads, unsigned held,
                                                   unsigned real_bytes, unsigned more = 0) {
  const unsigned data = 2 * held * real_bytes / 4;
  const unsigned registers = minimum(maximum(2 * data + 16, 40u), 128u) + more;
  return maximum(1u, 65536u / (workgroup_threads * registers));
}

}  // namespace wingbeat::device::workgroup
