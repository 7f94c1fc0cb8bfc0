// SPDX-License-Identifier: Apache-2.0
// A request as bytes: two requests are the same if and only if their bytes are.
#pragma once

#include <optional>
#include <string>

#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // plan_spec

namespace wingbeat::request {

/// Returns every field of a request and its device; nothing if the request holds a callable, which
/// cannot be compared.
[[nodiscard]] std::optional<std::string> key_of(const device_info& device, const plan_spec& spec);

}  // namespace wingbeat::request
