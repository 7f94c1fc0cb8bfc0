// SPDX-License-Identifier: Apache-2.0
// What `wingbeat transform` prints: a table or JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>  // ordered_json
#include <string>
#include <vector>

#include "cli/agreement.hpp"         // agreement
#include "cli/problem.hpp"           // problem
#include "cli/reports/spectrum.hpp"  // spectrum, peak
#include "measure/plan_run.hpp"      // measurement
#include "wingbeat/devices.hpp"      // device_info

namespace wingbeat::cli {

/// What one engine made of the problem.
struct engine_result {
  device_info where;
  measurement times;  ///< Its output is moved away once compared.
  agreement against_reference;
};

/// Returns the heading and one line per engine.
[[nodiscard]] std::string engines_text(const std::string& file, const problem& solved,
                                       const std::vector<engine_result>& results);

/// Returns the strongest bins as a table.
[[nodiscard]] std::string peaks_text(const spectrum& of, const std::vector<peak>& peaks);

/// Returns all of it as a document of schema wingbeat.transform/1.
[[nodiscard]] nlohmann::ordered_json transform_json(const std::string& file, const problem& solved,
                                                    double sample_rate_hz,
                                                    const std::vector<engine_result>& results);

/// Returns the strongest bins for that document.
[[nodiscard]] nlohmann::ordered_json peaks_json(const spectrum& of, const std::vector<peak>& peaks);

}  // namespace wingbeat::cli
