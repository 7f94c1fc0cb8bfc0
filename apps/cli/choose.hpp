// SPDX-License-Identifier: Apache-2.0
// From the words of the command line to devices: "all", "host", "opencl:1", "host,cuda".
#pragma once

#include <string>
#include <vector>

#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // precision, scaling

namespace wingbeat::cli {

/// Returns the devices that `names` asks for, each once, in the order named. "all" is the first
/// device of every engine that is here and computes in the precision; "opencl:1" is the second
/// OpenCL device. Throws `plan_error` for an unknown engine, a bad number or a named device
/// without that precision, `absent_error` for a named engine or device that is not here.
[[nodiscard]] std::vector<device_info> choose_devices(const std::vector<std::string>& names,
                                                      precision real);

/// Returns "host", or "opencl:1" for a device that is not the first of its engine.
[[nodiscard]] std::string short_name(const device_info& where);

/// Returns the precision of that name. Throws `plan_error` for any other word.
[[nodiscard]] precision precision_named(const std::string& name);

/// Returns the scaling of that name. Throws `plan_error` for any other word.
[[nodiscard]] scaling scaling_named(const std::string& name);

}  // namespace wingbeat::cli
