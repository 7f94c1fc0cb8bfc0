// SPDX-License-Identifier: Apache-2.0
// Rows convolved with a spectrum, or correlated, in one launch or cut into three.
#pragma once

#include <cstddef>  // size_t
#include <optional>

#include "backend/backend.hpp"   // convolution_of_rows
#include "programs/program.hpp"  // program
#include "tuning/tuning.hpp"     // architecture
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::programs {

/// Returns whether one launch can convolve rows of a request, a forward transform of one axis.
[[nodiscard]] bool can_convolve(const plan_spec& spec, const device_info& device);

/// Returns whether three launches, of columns, shorter rows and columns, can convolve rows too long
/// for a workgroup; and the length, at least `least`, in which they are expected to take the least
/// time. The request has the points of a row without padding.
[[nodiscard]] bool can_convolve_cut(const plan_spec& spec, const device_info& device);
[[nodiscard]] std::size_t length_of_cut(std::size_t least, const plan_spec& spec,
                                        const device_info& device);

/// Return the launches of a step; nothing if its rows fit no workgroup, whole or cut, or if rows to
/// be correlated are too long. `data`: shapes for rows in one launch.
[[nodiscard]] std::optional<program> program_of_rows(const backend::spectra_of_rows& step,
                                                     const device_info& device);
[[nodiscard]] std::optional<program> program_of_rows(const backend::convolution_of_rows& step,
                                                     const device_info& device);
[[nodiscard]] std::optional<program> program_of_rows(const backend::convolution_of_rows& step,
                                                     const device_info& device,
                                                     const tuning::architecture& data);
[[nodiscard]] std::optional<program> program_of_rows(const backend::correlation_of_rows& step,
                                                     const device_info& device);

}  // namespace wingbeat::programs
