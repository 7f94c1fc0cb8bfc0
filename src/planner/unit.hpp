// SPDX-License-Identifier: Apache-2.0
// A launch as a translation unit: functors, a policy struct for each pass, and the entry point.
#pragma once

#include <string>

#include "planner/recipe.hpp"  // launch

namespace wingbeat::planner {

/// Returns the text that a device's compiler reads for a launch; see src/backend/kernels.
[[nodiscard]] std::string unit_text(const launch& what);

/// Returns the name of its entry point.
[[nodiscard]] std::string entry_of(const launch& what);

}  // namespace wingbeat::planner
