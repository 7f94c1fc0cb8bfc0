// SPDX-License-Identifier: Apache-2.0
// A request as bytes: two requests are the same exactly where their bytes are.
#pragma once

#include <optional>
#include <string>

#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // plan_spec

namespace wingbeat::request {

/// Returns every field of a request and the device it is for; nothing where the request holds a
/// callable, which nothing can be compared with.
[[nodiscard]] std::optional<std::string> key_of(const device_info& device, const plan_spec& spec);

}  // namespace wingbeat::request
