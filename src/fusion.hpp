// SPDX-License-Identifier: Apache-2.0
// The requirements of a plan on its functors.
#pragma once

#include "wingbeat/devices.hpp"  // engine
#include "wingbeat/plan.hpp"     // plan_spec

namespace wingbeat {

/// Throws `plan_error` where a functor of `spec` is not one that `runs_on` can run.
void require_functors(const plan_spec& spec, engine runs_on);

}  // namespace wingbeat
