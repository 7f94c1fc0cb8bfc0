// SPDX-License-Identifier: Apache-2.0
// Requests that cannot be cut along their axes, so that one device makes them alone.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "wingbeat/distributed_plan.hpp"  // distributed_spec

namespace wingbeat::distributing {

/// Returns why `ranks` ranks cannot cut the axes of a request, and what to choose instead; empty if
/// they can.
[[nodiscard]] std::string uncut_reason(const distributed_spec& spec, std::size_t ranks);

}  // namespace wingbeat::distributing
