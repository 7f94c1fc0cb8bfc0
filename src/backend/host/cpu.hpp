// SPDX-License-Identifier: Apache-2.0
// What this processor is, and which of our kernels it can run.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "backend/host/bank/bank_kernels.hpp"  // bank_kernels
#include "backend/host/kernels.hpp"            // instruction_set
#include "backend/host/line_kernels.hpp"       // line_set
#include "backend/host/sum_kernels.hpp"        // sum_kernels

namespace wingbeat::backend::host {

/// Kernels compiled for one instruction set, by name: "baseline", "avx2", "avx512".
struct named_set {
  std::string name;
  std::string features;  ///< What they need beyond the build's own flags.
  const instruction_set* kernels = nullptr;
  const bank_kernels* bank = nullptr;
  const line_set* lines = nullptr;
  const sum_kernels* sums = nullptr;
};

/// Returns the sets this processor runs, widest last; the first, "baseline", always.
[[nodiscard]] const std::vector<named_set>& supported_sets();

/// Returns the widest set, or the one $WINGBEAT_HOST_ISA names.
/// Throws `plan_error` when that is none of the supported ones.
[[nodiscard]] const named_set& chosen_set();

/// Returns the processor's name as the system tells it, or "CPU".
[[nodiscard]] std::string cpu_name();

/// Returns the bytes of this machine's memory; 0 when the system does not tell.
[[nodiscard]] std::size_t memory_bytes();

}  // namespace wingbeat::backend::host
