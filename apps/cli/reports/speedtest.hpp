// SPDX-License-Identifier: Apache-2.0
// The results of `wingbeat speedtest` as a table, JSON, CSV and two charts.
#pragma once

#include <cstddef>                // size_t
#include <nlohmann/json_fwd.hpp>  // ordered_json
#include <string>
#include <vector>

#include "cli/reports/break_even.hpp"  // break_even
#include "formats/charts/chart.hpp"    // line_chart
#include "measure/statistics.hpp"      // spread
#include "verify/agreement.hpp"        // agreement
#include "wingbeat/devices.hpp"        // device_info

namespace wingbeat::cli {

/// The times of one engine at one length.
struct timing {
  std::size_t length = 0;
  int n_runs = 0;
  double plan_s = 0;
  measure::spread execution_s, transfer_s, total_s;  ///< total: execution plus transfer of each
                                                     ///< run.
  verify::agreement against_reference;
};

/// The times of one engine at every length.
struct engine_timings {
  device_info device;
  std::vector<timing> lengths;
};

[[nodiscard]] std::string speed_text(const std::vector<engine_timings>& measured);
[[nodiscard]] std::string speed_csv(const std::vector<engine_timings>& measured);
[[nodiscard]] nlohmann::ordered_json speed_json(const std::vector<engine_timings>& measured);

/// Returns the break-even of each pair, from the mean totals.
[[nodiscard]] std::vector<break_even> break_evens_of(const std::vector<engine_timings>& measured);

enum class speed_axis { time, time_per_element };

/// Returns mean total time, with a band from the least to the most, against length; log-log.
[[nodiscard]] formats::line_chart speed_chart(const std::vector<engine_timings>& measured,
                                              speed_axis axis, const std::string& title);

}  // namespace wingbeat::cli
