// SPDX-License-Identifier: Apache-2.0
// CUDA C++ text to machine code. Needs NVRTC, no GPU and no driver.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cuda/driver.hpp"  // nvrtc_api
#include "backend/cuda/ptxas_log.hpp"
#include "backend/kernel.hpp"        // kernel_source
#include "backend/kernel_cache.hpp"  // kernel_key

namespace wingbeat::backend::cuda {

/// A compiled kernel and what it takes from a multiprocessor.
struct compile_report {
  std::string target;        ///< "sm_90": machine code; "compute_90": PTX, the driver finishes it.
  ptxas_figures figures;     ///< Unknown (-1) for PTX.
  std::vector<char> binary;  ///< What the driver loads.
};

/// Compiles for a device of `architecture` ("sm_90"). A device too recent for NVRTC gets the
/// PTX of the latest architecture NVRTC supports. Throws `device_error` that holds the
/// compiler's log, `plan_error` for a word that is no architecture.
[[nodiscard]] compile_report compile_for(const nvrtc_api& nvrtc, const kernel_source& source,
                                         std::string_view architecture);

/// The same, with this process's NVRTC. Throws `absent_error` when there is none.
[[nodiscard]] compile_report compile_for(const kernel_source& source,
                                         std::string_view architecture);

/// Returns "13.0".
[[nodiscard]] std::string version_of(const nvrtc_api& nvrtc);

/// Returns all the result of `compile_for` depends on. `driver` names the driver, if any.
[[nodiscard]] kernel_key key_of(const nvrtc_api& nvrtc, const kernel_source& source,
                                std::string_view architecture, std::string_view driver);

/// Packs a report as bytes for the cache, and back; nothing when the bytes are no report.
[[nodiscard]] std::vector<char> packed(const compile_report& report);
[[nodiscard]] std::optional<compile_report> unpacked(const std::vector<char>& bytes);

}  // namespace wingbeat::backend::cuda
