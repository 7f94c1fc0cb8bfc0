// SPDX-License-Identifier: Apache-2.0
// Reports of an F-engine's work: a sentence, and all counters as JSON.
#pragma once

#include <string>

#include "fengine/engine.hpp"  // engine

namespace wingbeat::cli {

/// Returns "12 heaps sent, 0 left out, 0 failed; 8192 packets received, 0 missing, 0 rejected".
/// Descriptors and stop heaps do not count as rejected.
[[nodiscard]] std::string engine_summary(const fengine::engine& engine);

/// Returns all counters of the input and of each output.
[[nodiscard]] std::string engine_stats_text(const fengine::engine& engine);

}  // namespace wingbeat::cli
