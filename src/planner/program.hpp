// SPDX-License-Identifier: Apache-2.0
// Which passes make a transform on a device: pure arithmetic, no driver.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <variant>
#include <vector>

#include "planner/pass.hpp"      // pass
#include "request/resolved.hpp"  // resolved_spec
#include "spectra.hpp"           // spectrum_array
#include "tuning/tuning.hpp"     // architecture
#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // plan_spec

namespace wingbeat::planner {

/// Sets the first bytes of an array to 0.
struct clear {
  place location = place::output;
  std::size_t size_bytes = 0;  ///< A multiple of 4.
};

/// One operation that a run queues.
using step = std::variant<pass, clear>;

/// The steps of one run, in order, and the workspace they share.
struct program {
  std::vector<step> steps;
  std::size_t workspace_a_bytes = 0;
  std::size_t workspace_b_bytes = 0;

  /// Returns the steps that are launches, in order.
  [[nodiscard]] std::vector<pass> passes() const;

  [[nodiscard]] std::size_t workspace_bytes() const {
    return workspace_a_bytes + workspace_b_bytes;
  }
  [[nodiscard]] std::size_t traffic_bytes() const;
  [[nodiscard]] std::string describe() const;

  /// Returns the expected fraction of the speed of a copy that moves `copied_bytes`: each pass as
  /// its shape was measured. 0 if one was not.
  [[nodiscard]] double predicted_fraction(std::size_t copied_bytes) const;

  /// Returns which bin of its axis element `place` is: see `plan::bin_at`.
  [[nodiscard]] std::size_t bin_at(std::size_t place) const;
};

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

}  // namespace wingbeat::planner
