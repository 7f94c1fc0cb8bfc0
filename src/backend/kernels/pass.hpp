// SPDX-License-Identifier: Apache-2.0
// Entry point: one pass of a transform. Requires these definitions: WINGBEAT_PASS_KERNEL, the
// launch attributes; WINGBEAT_OPERAND_PARAMETERS, WINGBEAT_LOAD_OPERANDS and
// WINGBEAT_STORE_OPERANDS, the operands of the ends; WINGBEAT_FILTER, the beginning of spectra;
// `policy`, the ends `input`, `output` and `filter`, and `body`.
#pragma once

#include "wingbeat/device/grid/pass.hpp"  // pass

namespace wingbeat::device {

static_assert(sizeof(complex<policy::real>) == 2 * sizeof(policy::real), "two adjacent reals");
// clang 15 only takes pointers to complete types as kernel parameters, and completes no type
// itself.
static_assert(sizeof(input::element) > 0 && sizeof(output::element) > 0, "elements are complete");

WINGBEAT_PASS_KERNEL
void wingbeat_pass(WINGBEAT_GLOBAL const input::element* in, WINGBEAT_GLOBAL output::element* out,
                   WINGBEAT_GLOBAL const complex<policy::real>* table, size in_first,
                   size out_first,
                   size batch WINGBEAT_OPERAND_PARAMETERS WINGBEAT_SCRATCH_PARAMETER) {
  constexpr grid::pass_numbers numbers = policy::numbers();
  if constexpr (numbers.starts_early) follow_launches();
  constexpr size roots_at = numbers.roots_at;
  const auto blocks = reinterpret_cast<WINGBEAT_GLOBAL const char*>(table);
  grid::pass<policy, body, input, output, filter>({in + in_first, blocks WINGBEAT_LOAD_OPERANDS},
                                                  {out + out_first, blocks WINGBEAT_STORE_OPERANDS},
                                                  table + roots_at, WINGBEAT_SCRATCH,
                                                  body::group_type{}, filter{WINGBEAT_FILTER})
      .run_tiles(group::index(), batch);
}

}  // namespace wingbeat::device
