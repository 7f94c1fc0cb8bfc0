// SPDX-License-Identifier: Apache-2.0
// The verdicts of `wingbeat verify` as a table, as sentences and as JSON.
#pragma once

#include <nlohmann/json.hpp>  // ordered_json
#include <string>
#include <vector>

#include "verify/verify.hpp"  // verdict

namespace wingbeat::cli {

/// Returns a table with one row for each device, precision and law: the trial nearest to its bound,
/// or furthest beyond it.
[[nodiscard]] std::string verify_text(const std::vector<verify::verdict>& verdicts);

/// Returns one sentence about a verdict that is not right.
[[nodiscard]] std::string sentence_of(const verify::verdict& wrong);

/// Returns every verdict.
[[nodiscard]] nlohmann::ordered_json verify_json(const std::vector<verify::verdict>& verdicts);

}  // namespace wingbeat::cli
