// SPDX-License-Identifier: Apache-2.0
// The results of `wingbeat transform` as tables or JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>  // ordered_json
#include <string>
#include <utility>  // move
#include <vector>

#include "cli/engine_runs.hpp"       // engine_result, engine_outcome
#include "cli/problem.hpp"           // problem
#include "cli/reports/spectrum.hpp"  // spectrum, peak
#include "verify/judge.hpp"          // judge, check_extent

namespace wingbeat::cli {

/// What was checked, as reports state it.
struct check_summary {
  check_summary(verify::check_extent compared, std::string text)
      : extent(compared), description(std::move(text)) {}
  check_summary(const verify::judge& check) : check_summary(check.extent(), check.description()) {}

  verify::check_extent extent;
  std::string description;
};

/// Returns a line that names the problem.
[[nodiscard]] std::string heading(const std::string& file, const problem& solved);

/// Returns one line per engine, and what was checked. `length` is of one transform.
[[nodiscard]] std::string engines_text(std::size_t length,
                                       const std::vector<engine_result>& results,
                                       const check_summary& check);

/// Returns the strongest bins as a table.
[[nodiscard]] std::string peaks_text(const spectrum& shown, const std::vector<peak>& peaks);

/// Returns the problem as the beginning of a document of schema wingbeat.transform/1.
[[nodiscard]] nlohmann::ordered_json transform_json(const std::string& file, const problem& solved,
                                                    double sample_rate_hz);

/// Adds the results and what was checked to that document.
void add_engines(nlohmann::ordered_json& document, const std::vector<engine_result>& results,
                 const check_summary& check);

/// Prints a message for each wrong engine, and if files of values were requested but no engine is
/// right. Returns the exit code.
[[nodiscard]] int report_verdicts(const engine_outcome& outcome, bool wants_files);

/// Returns the strongest bins for that document.
[[nodiscard]] nlohmann::ordered_json peaks_json(const spectrum& shown,
                                                const std::vector<peak>& peaks);

}  // namespace wingbeat::cli
