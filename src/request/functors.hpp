// SPDX-License-Identifier: Apache-2.0
// The requirements of a plan on its functors.
#pragma once

#include "request/resolved.hpp"  // resolved_spec
#include "wingbeat/devices.hpp"  // engine

namespace wingbeat::request {

/// Throws `plan_error` if a functor of a request cannot run on `runs_on`.
void require_functors(const resolved_spec& request, engine runs_on);

}  // namespace wingbeat::request
