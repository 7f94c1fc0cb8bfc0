// SPDX-License-Identifier: Apache-2.0
// What was found to run best where: data only, one file per architecture.
#pragma once

#include <span>

#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::tuning {

/// How one workgroup transforms one length.
struct shape {
  unsigned log2_length;          ///< Of the complex transform.
  unsigned elements_per_thread;  ///< At most the length.
  unsigned transforms;           ///< In one workgroup.
  bool half_trade = false;       ///< Exchange real parts, then imaginary parts.
  bool stage_in = false;         ///< Load through local memory, contiguously.
  bool stage_out = false;        ///< Store through local memory, contiguously.
};

/// How the passes of a long transform run: `columns` neighbouring butterflies a workgroup.
struct column_shape {
  unsigned log2_length;
  unsigned elements_per_thread;
  unsigned columns;
};

/// One precision's shapes, shortest length first, without gaps.
struct shapes {
  std::span<const shape> whole;           ///< Lengths that one workgroup transforms: one pass.
  std::span<const column_shape> columns;  ///< Lengths of one pass of several.
};

struct architecture {
  const char* name;
  unsigned bank_bytes;  ///< Width of all banks of local memory together; 0 on a CPU.
  shapes fp32;
  shapes fp64;
};

/// Returns the data for a device: its own architecture's, or the nearest in kind.
[[nodiscard]] const architecture& for_device(const device_info& where);

[[nodiscard]] const architecture& hopper();
[[nodiscard]] const architecture& ampere();
[[nodiscard]] const architecture& opencl_gpu();
[[nodiscard]] const architecture& opencl_cpu();

}  // namespace wingbeat::tuning
