// SPDX-License-Identifier: Apache-2.0
// The kinds of transforms by their names, one for all axes or, from reals to reals, one for each.
#pragma once

#include <string>
#include <vector>

#include "wingbeat/plan.hpp"  // transform, plan_spec

namespace wingbeat::cli {

/// Returns the kinds that a text names, separated by commas: "r2c", "dct2,dst1". Throws
/// `plan_error` for a word that is none.
[[nodiscard]] std::vector<transform> kinds_named(const std::string& text);

/// Gives a request the kind of all axes, or of each.
void set_kinds(plan_spec& spec, const std::vector<transform>& kinds);

/// Returns "forward", or "dct2 x dst1".
[[nodiscard]] std::string kinds_text(const plan_spec& spec);

}  // namespace wingbeat::cli
