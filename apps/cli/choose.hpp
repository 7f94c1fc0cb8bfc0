// SPDX-License-Identifier: Apache-2.0
// Devices, precisions and scalings by the names of the command line: "all", "host", "opencl:1".
#pragma once

#include <string>
#include <vector>

#include "wingbeat/convolution.hpp"  // extent
#include "wingbeat/devices.hpp"      // device_info
#include "wingbeat/plan.hpp"         // precision, scaling

namespace wingbeat::cli {

/// Returns the devices of these names, each once, in the order named. "all" is the first device
/// with that precision of every engine that is present; "opencl:1" is the second OpenCL device.
/// Throws `plan_error` for an unknown engine, a bad number or a named device without the precision,
/// `absent_error` for a named engine or device that is absent.
[[nodiscard]] std::vector<device_info> choose_devices(const std::vector<std::string>& names,
                                                      precision real);

/// Returns the one device of that name, or the best device for an empty name. Throws as
/// `choose_devices` does, and `plan_error` for "all" and for a device without the precision.
[[nodiscard]] device_info choose_device(const std::string& name, precision real);

/// Returns "host", or "opencl:1" for a device that is not the first of its engine.
[[nodiscard]] std::string short_name(const device_info& device);

/// Returns the precision of that name. Throws `plan_error` for any other word.
[[nodiscard]] precision precision_named(const std::string& name);

/// Returns the stored type of that name. Throws `plan_error` for any other word.
[[nodiscard]] precision storage_named(const std::string& name);

/// Returns the mode of that name. Throws `plan_error` for any other word.
[[nodiscard]] extent mode_named(const std::string& name);

/// Returns the scaling of that name. Throws `plan_error` for any other word.
[[nodiscard]] scaling scaling_named(const std::string& name);

}  // namespace wingbeat::cli
