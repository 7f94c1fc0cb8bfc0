// SPDX-License-Identifier: Apache-2.0
// The functors of a plan: what it calls them, and its requirements on them.
#pragma once

#include <string>
#include <string_view>

#include "request/resolved.hpp"  // resolved_spec
#include "wingbeat/devices.hpp"  // engine

namespace wingbeat::request {

/// The beginning of the text of a functor of device/functors; its name follows.
inline constexpr std::string_view functor_include = "#include \"wingbeat/device/functors/";

/// Returns the name of a functor in `explain`: of device/functors its own, otherwise `other`.
[[nodiscard]] std::string title_of_functor(std::string_view text, std::string_view other);

/// Throws `plan_error` if a functor of a request cannot run on `runs_on`.
void require_functors(const resolved_spec& request, engine runs_on);

}  // namespace wingbeat::request
