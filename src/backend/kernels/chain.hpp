// SPDX-License-Identifier: Apache-2.0
// Entry point: two passes in one launch. Defined before this file is read: WINGBEAT_PASS_KERNEL;
// in `first` and `second` what pass.hpp reads of each; `chained`, the policy of the chain.
#pragma once

#include "wingbeat/device/grid/chain.hpp"  // chain

namespace wingbeat::device {

WINGBEAT_PASS_KERNEL
void wingbeat_chain(WINGBEAT_GLOBAL const first::input::element* in,
                    WINGBEAT_GLOBAL second::output::element* out,
                    WINGBEAT_GLOBAL const complex<first::policy::real>* table, size in_first,
                    size out_first, size batch,
                    WINGBEAT_GLOBAL char* workspace WINGBEAT_SCRATCH_PARAMETER) {
  const auto blocks = reinterpret_cast<WINGBEAT_GLOBAL const char*>(table);
  const auto middle = workspace + grid::counter_bytes(batch, chained::chunk_rows);
  const first::body one({in + in_first, blocks},
                        {reinterpret_cast<WINGBEAT_GLOBAL first::output::element*>(middle), blocks},
                        table + first::policy::roots_at, WINGBEAT_SCRATCH);
  const second::body two(
      {reinterpret_cast<WINGBEAT_GLOBAL const second::input::element*>(middle), blocks},
      {out + out_first, blocks}, table + second::policy::roots_at, WINGBEAT_SCRATCH);
  grid::chain<first::body, second::body, chained>(
      reinterpret_cast<WINGBEAT_GLOBAL unsigned*>(workspace), batch, WINGBEAT_SCRATCH)
      .run(one, two);
}

}  // namespace wingbeat::device
