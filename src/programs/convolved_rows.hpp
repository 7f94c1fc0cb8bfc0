// SPDX-License-Identifier: Apache-2.0
// Rows that are convolved with a spectrum or correlated, in one launch or cut into three.
#pragma once

#include <cstddef>  // size_t
#include <optional>

#include "backend/backend.hpp"   // convolution_of_rows
#include "programs/program.hpp"  // program
#include "tuning/tuning.hpp"     // architecture
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::programs {

/// Returns whether rows of a request, a forward transform of one axis, can be convolved in one
/// launch.
[[nodiscard]] bool can_convolve(const plan_spec& spec, const device_info& device);

/// Returns whether they, which no workgroup takes, are convolved as columns and shorter rows, in
/// three launches; and the length from `least` on that rows of the request's points beside padding
/// are expected to take least time so.
[[nodiscard]] bool can_convolve_cut(const plan_spec& spec, const device_info& device);
[[nodiscard]] std::size_t length_of_cut(std::size_t least, const plan_spec& spec,
                                        const device_info& device);

/// Return the launches of a step; nothing where no workgroup takes its rows, nor what they are cut
/// into, or where rows to be correlated are too long. `data`: the shapes of rows in one launch.
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
