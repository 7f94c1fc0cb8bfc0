// SPDX-License-Identifier: Apache-2.0
// The results of a bench as a table, a JSON document and a chart.
#pragma once

#include <string>
#include <utility>  // pair
#include <vector>

#include <nlohmann/json.hpp>  // ordered_json

#include "cli/peers/bench_problem.hpp"  // bench_result
#include "formats/charts/chart.hpp"     // line_chart
#include "wingbeat/devices.hpp"         // device_info

namespace wingbeat::cli {

/// A whole run of the bench.
struct bench_document {
  std::string command;
  std::string layout;
  device_info device;
  std::string driver;                                      ///< By NVML; empty without it.
  std::vector<std::pair<std::string, std::string>> peers;  ///< Name and version.
  std::vector<bench_result> results;
  bool has_calls = false;  ///< The table has columns of the calling thread's time.
};

/// Returns the document "wingbeat.bench/2".
[[nodiscard]] nlohmann::ordered_json json_of(const bench_document& document);

/// Returns the description of a device in documents of bench and plan.
[[nodiscard]] nlohmann::ordered_json device_json(const device_info& device);

/// Adds a plan to an object, its kernels as one object each.
void add_plan(nlohmann::ordered_json& target, const plan_description& planned);

/// Returns a line for each problem that ran, then one for each peer that ran several: the geometric
/// mean of its ratios, and the least.
[[nodiscard]] std::string table_of(const bench_document& document);

/// Returns fractions of the copy against log2 N, a line for each library; wingbeat's has notches
/// where the number of passes changes.
[[nodiscard]] formats::line_chart chart_of(const bench_document& document);

}  // namespace wingbeat::cli
