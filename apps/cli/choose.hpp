// SPDX-License-Identifier: Apache-2.0
// Devices by their command-line names ("all", "host", "opencl:1"), and options shared by commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/convolution.hpp"  // extent
#include "wingbeat/devices.hpp"      // device_info
#include "wingbeat/plan.hpp"         // precision

namespace CLI {
class App;
}

namespace wingbeat::cli {

inline constexpr engine all_engines[] = {engine::reference, engine::host, engine::opencl,
                                         engine::cuda};

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

/// Returns the devices of a list, in its order and possibly repeated: by names as above, or by
/// numbers such as "0,1", which count the devices of the best device's engine. Throws as
/// `choose_device`.
[[nodiscard]] std::vector<device_info> listed_devices(const std::vector<std::string>& names,
                                                      precision real);

/// Adds the option --devices, which takes such a list and excludes --engine.
void add_devices(CLI::App& command, std::vector<std::string>& target, const std::string& about);

/// The option that messages suggest if numbers exceed fp32.
inline constexpr std::string_view fp64_option = "--precision fp64";

/// Add the options --device (one device by its name), --precision and --mode.
void add_device(CLI::App& command, std::string& target);
void add_precision(CLI::App& command, precision& target);
void add_mode(CLI::App& command, extent& target, const std::string& about = "");

/// Adds the options --format and --column of a signal's file, as `formats::read_options` has them.
void add_signal_format(CLI::App& command, std::string& format, std::string& column);

}  // namespace wingbeat::cli
