// SPDX-License-Identifier: Apache-2.0
// Lists the engines and devices of this machine, and why the others are absent.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// The four ways to run a transform. `reference` is the slow long-double oracle.
enum class engine { reference, host, opencl, cuda };

/// Returns the name the command line uses: "reference", "host", "opencl" or "cuda".
[[nodiscard]] std::string_view name_of(engine runs_on) noexcept;

/// Returns the engine of that name. Throws `plan_error` for any other word.
[[nodiscard]] engine engine_named(std::string_view name);

/// One device that can run transforms, as its driver describes it.
struct device_info {
  engine runs_on = engine::host;
  int index = 0;             ///< Counts the devices of one engine from 0.
  std::string name;          ///< "NVIDIA H200"
  std::string architecture;  ///< "sm_90", "pocl-cpu", "avx512"
  std::string version;       ///< Version of the driver, or of the instruction set.
  std::size_t memory_bytes = 0;
  std::size_t local_memory_bytes = 0;  ///< Maximum for a workgroup; 0 if there is no local memory.
  std::size_t max_workgroup = 1;       ///< Maximum number of threads of one workgroup.
  unsigned compute_units = 1;
  bool has_fp64 = true;
  bool is_gpu = false;
  int capability_major = 0;  ///< CUDA's compute capability: 9.0 for "sm_90"; 0 on other engines.
  int capability_minor = 0;
  unsigned max_cluster = 1;  ///< Maximum of workgroups that reach each other's local memory; 1:
                             ///< none do.
  bool has_bulk_prefetch = false;  ///< One instruction prefetches a whole row into L2.
  /// A launch can begin while the one before it ends (CUDA: programmatic dependent launch).
  bool has_early_launch = false;
  bool has_int64_atomics = true;  ///< Threads update 64-bit integers atomically.
};

/// Returns every device of every engine that works here, reference and host first.
[[nodiscard]] std::vector<device_info> devices();

/// Returns the devices of one engine; empty when the engine is absent.
[[nodiscard]] std::vector<device_info> devices(engine runs_on);

/// Returns the reason why the engine has no device here, in one sentence; empty when it has one.
[[nodiscard]] std::string why_absent(engine runs_on);

/// Returns the default device: the first of cuda, an OpenCL GPU, host.
[[nodiscard]] device_info best_device();

/// Returns the first device of an engine. Throws `absent_error` with the reason if there is none.
[[nodiscard]] device_info first_device(engine runs_on);

}  // namespace wingbeat
