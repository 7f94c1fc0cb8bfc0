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

/// A compiled kernel and its resources.
struct compile_report {
  std::string target;        ///< "sm_90": machine code; "compute_90": PTX, the driver finishes it.
  ptxas_figures figures;     ///< Unknown (-1) for PTX.
  std::vector<char> binary;  ///< Loaded by the driver.
};

/// Compiles for a device of `architecture` ("sm_90"). A device too recent for NVRTC gets PTX for
/// the latest architecture that NVRTC supports. Throws `device_error` with the compiler's log,
/// `plan_error` for a word that is no architecture.
[[nodiscard]] compile_report compile_for(const nvrtc_api& nvrtc, const kernel_source& source,
                                         std::string_view architecture);

/// Same, with this process's NVRTC. Throws `absent_error` if there is none.
[[nodiscard]] compile_report compile_for(const kernel_source& source,
                                         std::string_view architecture);

/// Returns "13.0".
[[nodiscard]] std::string version_of(const nvrtc_api& nvrtc);

/// Returns everything that the result of `compile_for` depends on. `driver` names the driver, if
/// any.
[[nodiscard]] kernel_key key_of(const nvrtc_api& nvrtc, const kernel_source& source,
                                std::string_view architecture, std::string_view driver);

/// Pack a report as bytes for the cache, and unpack it; nothing if the bytes are no report.
[[nodiscard]] std::vector<char> packed(const compile_report& report);
[[nodiscard]] std::optional<compile_report> unpacked(const std::vector<char>& bytes);

}  // namespace wingbeat::backend::cuda
