// SPDX-License-Identifier: Apache-2.0
// The results of `wingbeat transform` as tables or JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>  // ordered_json
#include <string>
#include <vector>

#include "cli/agreement.hpp"         // agreement
#include "cli/problem.hpp"           // problem
#include "cli/reports/spectrum.hpp"  // spectrum, peak
#include "measure/plan_run.hpp"      // plan_measurement
#include "wingbeat/devices.hpp"      // device_info

namespace wingbeat::cli {

/// The result of one engine.
struct engine_result {
  device_info device;
  measure::plan_measurement times;  ///< Without its output, which is moved away once compared.
  agreement against_reference;
};

/// Returns a heading and one line per engine.
[[nodiscard]] std::string engines_text(const std::string& file, const problem& solved,
                                       const std::vector<engine_result>& results);

/// Returns the strongest bins as a table.
[[nodiscard]] std::string peaks_text(const spectrum& shown, const std::vector<peak>& peaks);

/// Returns the results as a document of schema wingbeat.transform/1.
[[nodiscard]] nlohmann::ordered_json transform_json(const std::string& file, const problem& solved,
                                                    double sample_rate_hz,
                                                    const std::vector<engine_result>& results);

/// Returns the strongest bins for that document.
[[nodiscard]] nlohmann::ordered_json peaks_json(const spectrum& shown,
                                                const std::vector<peak>& peaks);

}  // namespace wingbeat::cli
