// SPDX-License-Identifier: Apache-2.0
// The assembler's figures of a kernel, from the log of --ptxas-options=-v.
#pragma once

#include <string_view>

namespace wingbeat::backend::cuda {

/// -1: not in the log.
struct ptxas_figures {
  int registers = -1;            ///< Per thread.
  int spill_bytes = -1;          ///< Per thread: the larger of its spill stores and loads.
  int stack_bytes = -1;          ///< Per thread, for the kernel and all it calls.
  int static_scratch_bytes = 0;  ///< Per workgroup; the log only has it if not 0.
};

/// Returns the figures of one entry point; spills of functions it calls count too.
[[nodiscard]] ptxas_figures read_ptxas_log(std::string_view log, std::string_view entry);

}  // namespace wingbeat::backend::cuda
