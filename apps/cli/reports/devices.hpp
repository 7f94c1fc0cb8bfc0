// SPDX-License-Identifier: Apache-2.0
// A device as `wingbeat devices --json` describes it.
#pragma once

#include <nlohmann/json.hpp>  // ordered_json

#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::cli {

/// Returns every field of the device under its name; `runs_on` as "engine", and `has_fp64` as the
/// list "precisions".
[[nodiscard]] nlohmann::ordered_json json_of(const device_info& device);

}  // namespace wingbeat::cli
