// SPDX-License-Identifier: Apache-2.0
// The kinds of transforms by their names, one for all axes or, from reals to reals, one for each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/plan.hpp"  // transform, plan_spec

namespace wingbeat::cli {

/// The values of `--kind`, in words.
inline constexpr std::string_view real_kinds = "dct1 to dct4, dst1 to dst4 or dht";
inline constexpr std::string_view all_kinds =
    "c2c, c2c-inverse, r2c or c2r, or by wingbeat's names forward, inverse, forward_from_real or "
    "inverse_to_real; or dct1 to dct4, dst1 to dst4 or dht";

/// Returns the kinds in a text, separated by commas: "r2c", "dct2,dst1". Throws `plan_error` for an
/// unknown word; the message lists `choices`.
[[nodiscard]] std::vector<transform> kinds_named(const std::string& text, std::string_view choices);

/// Returns the kind of one axis in a text. Throws for several, too.
[[nodiscard]] transform axis_kind_named(const std::string& text);

/// Sets the kind of all axes, or of each.
void set_kinds(plan_spec& spec, const std::vector<transform>& kinds);

/// Returns "forward", or "dct2 x dst1".
[[nodiscard]] std::string kinds_text(const plan_spec& spec);

}  // namespace wingbeat::cli
