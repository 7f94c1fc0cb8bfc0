// SPDX-License-Identifier: Apache-2.0
// The metrics of an F-engine, with the names that dashboards of correlators know.
#pragma once

#include "control/metrics.hpp"
#include "fengine/engine.hpp"

namespace wingbeat::fengine {

/// Adds the counts of what enters, leaves and is lost, which are read when the text is made. Names
/// begin with `fgpu_`. The engine outlives the last text.
void add_engine_metrics(control::metric_registry& registry, const engine& engine);

}  // namespace wingbeat::fengine
