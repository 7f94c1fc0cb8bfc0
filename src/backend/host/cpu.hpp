// SPDX-License-Identifier: Apache-2.0
// This processor, and the kernels that it can run.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "backend/frame_rows.hpp"              // frame_rows
#include "backend/host/bank/bank_kernels.hpp"  // bank_kernels
#include "backend/host/kernels.hpp"            // instruction_set
#include "backend/host/line_kernels.hpp"       // line_set
#include "backend/host/sum_kernels.hpp"        // sum_kernels
#include "backend/score_rows.hpp"              // score_rows

namespace wingbeat::backend::host {

/// Kernels compiled for one instruction set, by name: "baseline", "avx2", "avx512".
struct named_set {
  std::string name;
  std::string features;  ///< Required features beyond the flags of the build.
  const instruction_set* kernels = nullptr;
  const bank_kernels* bank = nullptr;
  const line_set* lines = nullptr;
  const sum_kernels* sums = nullptr;
  const score_rows* scores = nullptr;
  const frame_rows* frames = nullptr;
};

/// Returns the sets that this processor runs, widest last; "baseline" is always the first.
[[nodiscard]] const std::vector<named_set>& supported_sets();

/// Returns the widest set, or the one $WINGBEAT_HOST_ISA names.
/// Throws `plan_error` if that is not supported.
[[nodiscard]] const named_set& chosen_set();

/// Returns the processor's name as the system reports it, or "CPU".
[[nodiscard]] std::string cpu_name();

/// Returns the bytes of this machine's memory; 0 if the system does not report it.
[[nodiscard]] std::size_t memory_bytes();

}  // namespace wingbeat::backend::host
