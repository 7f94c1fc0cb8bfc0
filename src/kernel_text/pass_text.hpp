// SPDX-License-Identifier: Apache-2.0
// A pass as a translation unit: functors, the policy, and the entry point.
#pragma once

#include <string>
#include <string_view>

#include "planner/pass.hpp"  // pass

namespace wingbeat::kernel_text {

/// The name of the entry point.
inline constexpr std::string_view entry_name = "wingbeat_pass";

/// Returns the text that a device's compiler reads for a pass; see src/backend/kernels.
[[nodiscard]] std::string pass_text(const planner::pass& stored_by);

}  // namespace wingbeat::kernel_text
