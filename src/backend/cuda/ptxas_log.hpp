// SPDX-License-Identifier: Apache-2.0
// The assembler's figures of a kernel, from the log of --ptxas-options=-v.
#pragma once

#include <string_view>

namespace wingbeat::backend::cuda {

/// -1 where the log has none.
struct ptxas_figures {
  int registers = -1;            ///< Of one thread.
  int spill_bytes = -1;          ///< Of one thread: the larger of its spill stores and loads.
  int stack_bytes = -1;          ///< Of one thread, of the kernel and all it calls.
  int static_scratch_bytes = 0;  ///< Of one workgroup; the log names it only when there is some.
};

/// Returns the figures of one entry point; spills of functions it calls count too.
[[nodiscard]] ptxas_figures read_ptxas_log(std::string_view log, std::string_view entry);

}  // namespace wingbeat::backend::cuda
