// SPDX-License-Identifier: Apache-2.0
// Which passes make a transform on a device that kernels are compiled for: pure arithmetic, no
// driver.
#pragma once

#include <optional>

#include "backend/backend.hpp"   // step_request
#include "programs/program.hpp"  // program
#include "request/resolved.hpp"  // resolved_spec
#include "spectra.hpp"           // spectrum_array
#include "tuning/tuning.hpp"     // architecture
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::programs {

/// Chooses the passes for a validated request, within the device's local memory and workgroups.
/// Throws `plan_error` where the device is too small for any of the known shapes.
[[nodiscard]] program make_program(const request::resolved_spec& request,
                                   const device_info& device);

/// The same by other tuning data than the device's own: to find out what runs best.
[[nodiscard]] program make_program(const request::resolved_spec& request, const device_info& device,
                                   const tuning::architecture& data);

/// Returns whether rows of a request, a forward transform of one axis, can be convolved in one
/// launch.
[[nodiscard]] bool can_convolve(const plan_spec& spec, const device_info& device);

/// Returns whether a cluster convolves them in one launch, where no workgroup does.
[[nodiscard]] bool can_convolve_in_cluster(const plan_spec& spec, const device_info& device);

/// Returns whether they, which no workgroup takes, are convolved as columns and shorter rows, in
/// three launches; and the length from `least` on that rows of the request's points beside padding
/// are expected to take least time so.
[[nodiscard]] bool can_convolve_cut(const plan_spec& spec, const device_info& device);
[[nodiscard]] std::size_t length_of_cut(std::size_t least, const plan_spec& spec,
                                        const device_info& device);

/// Returns the program that convolves rows in one launch: forward, times a spectrum, inverse.
/// `rows` are forward transforms of one axis; their ranges are those of the signals before and
/// after, their length is what those are padded to, their scale is applied once. Throws
/// `plan_error` where the length does not fit a workgroup of the device.
[[nodiscard]] program make_convolution_program(const request::resolved_spec& rows,
                                               const spectrum_array& filter,
                                               const device_info& device);
[[nodiscard]] program make_convolution_program(const request::resolved_spec& rows,
                                               const spectrum_array& filter,
                                               const device_info& device,
                                               const tuning::architecture& data);

/// Returns the program that makes spectra for it: of `rows`, a forward transform of one axis, whose
/// output is packed, with bins where the threads of a convolution have them.
[[nodiscard]] program make_spectrum_program(const request::resolved_spec& rows,
                                            const device_info& device);

/// Implements `engine::realise` for engines that compile kernels.
[[nodiscard]] std::optional<program> launches_of(const backend::step_request& step,
                                                 const device_info& device);

}  // namespace wingbeat::programs
