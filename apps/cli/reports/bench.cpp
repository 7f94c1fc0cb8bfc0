// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/bench.hpp"

#include <algorithm>  // find_if, max, min, stable_sort
#include <cmath>      // exp, log, log2
#include <ctime>      // gmtime_r, strftime, time
#include <limits>     // numeric_limits

#include "cli/kinds.hpp"          // kinds_text
#include "cli/reports/table.hpp"  // table, seconds_text
#include "cli/sweep.hpp"          // axes_text
#include "commit.hpp"             // WINGBEAT_COMMIT, generated
#include "request/resolved.hpp"   // points_of
#include "text/formatted.hpp"     // formatted
#include "wingbeat/version.hpp"   // WINGBEAT_VERSION_MAJOR

namespace wingbeat::cli {
namespace {

using json = nlohmann::ordered_json;

/// Returns the figures of a peer; null if it could not be opened.
const bench_figures* figures_of(const bench_result& result, const std::string& peer) {
  const auto found =
      std::find_if(result.peers.begin(), result.peers.end(),
                   [&](const bench_figures& figures) { return figures.name == peer; });
  return found == result.peers.end() ? nullptr : &*found;
}

json json_of(const measure::quartiles& values, const char* unit) {
  return {{formatted("median_{}", unit), values.median},
          {formatted("quartile1_{}", unit), values.low},
          {formatted("quartile3_{}", unit), values.high}};
}

/// Adds a value, unless it is negative, which means unknown.
void add_known(json& target, const char* name, double value) {
  if (value >= 0) target[name] = value;
}

json json_of(const bench_result& result, const bench_figures& figures) {
  if (!figures.refused.empty()) return {{"refused", figures.refused}};
  json j = json_of(figures.seconds, "s");
  j["min_s"] = figures.min_s;
  j["max_s"] = figures.max_s;
  j["fraction"] = result.fraction(figures);
  add_known(j, "plan_cold_s", figures.prepared.cold_s);
  add_known(j, "plan_warm_s", figures.prepared.warm_s);
  add_known(j, "first_call_s", figures.prepared.first_call_s);
  add_known(j, "second_call_s", figures.prepared.second_call_s);
  add_known(j, "enqueue_s", figures.enqueue_s);
  if (const auto bytes = figures.prepared.workspace_bytes; bytes >= 0) j["workspace_bytes"] = bytes;
  const verify::agreement& a = figures.accuracy;
  j["accuracy"] = {{"relative_l2", a.relative_l2},
                   {"relative_l2_bound", a.relative_l2_bound},
                   {"largest_error", a.largest_error / a.largest_value},
                   {"is_within", a.is_within}};
  return j;
}

json json_of(const bench_result& result) {
  json j{{"lengths", result.spec.lengths}, {"batch", std::size_t{result.spec.batch}}};
  if (!result.refused.empty()) {
    j["refused"] = result.refused;
    return j;
  }
  j["copied_bytes"] = result.copied_bytes;
  j["rounds"] = result.n_rounds;
  j["ended_by"] = name_of(result.stopped_by);
  j["checked_rows"] = result.n_checked_transforms;
  j["checked_elements"] = result.n_checked_elements;
  j["copy"] = json_of(result.copy_s, "s");
  j["copy"]["bytes_per_s"] = 2 * static_cast<double>(result.copied_bytes) / result.copy_s.median;
  j["wingbeat"] = json_of(result, result.ours);
  for (const bench_figures& peer : result.peers) {
    json& target = j["peers"][peer.name] = json_of(result, peer);
    if (peer.refused.empty()) target["ratio"] = result.ratio(peer);
  }
  add_plan(j, result.planned);
  if (result.clocks) {
    j["clocks"] = {{"sm", json_of(result.clocks->sm_mhz, "mhz")},
                   {"memory", json_of(result.clocks->memory_mhz, "mhz")}};
  }
  return j;
}

/// Returns the error over its bound. Above the bound a library is less accurate; at ten times the
/// bound, or if the error is NaN, it is wrong.
std::string error_text(const bench_figures& figures) {
  const double share = figures.accuracy.relative_l2 / figures.accuracy.relative_l2_bound;
  if (figures.accuracy.is_within) return formatted("{:.2f}", share);
  return formatted("{:.2f} {}", share, share < 10 ? "above" : "WRONG");
}

/// Returns the columns of the table: wingbeat's, then each peer's.
std::vector<column> columns_of(const bench_document& document) {
  std::vector<column> columns{{"lengths"}, {"batch"},    {"copy"},   {"wingbeat"},
                              {"spread"},  {"fraction"}, {"passes"}, {"error / bound"},
                              {"plan"},    {"rounds"}};
  if (document.has_calls) columns.push_back({"enqueue"});
  for (const auto& [name, version] : document.peers) {
    columns.insert(columns.end(), {{name}, {"fraction"}, {"error / bound"}, {"ratio"}});
    if (document.has_calls) columns.push_back({"enqueue"});
  }
  return columns;
}

/// Returns the cells of a peer; null: it did not run.
std::vector<std::string> peer_cells(const bench_result& result, const bench_figures* peer) {
  if (peer == nullptr || !peer->refused.empty()) return {"-", "-", "-", "-"};
  return {seconds_text(peer->seconds.median), formatted("{:.3f}", result.fraction(*peer)),
          error_text(*peer), formatted("{:.2f}", result.ratio(*peer))};
}

std::string enqueue_cell(const bench_figures* figures) {
  const bool is_known = figures != nullptr && figures->enqueue_s >= 0;
  return is_known ? seconds_text(figures->enqueue_s) : "-";
}

/// Returns the results in ascending order of points, the order of a line.
std::vector<const bench_result*> by_points(const bench_document& document) {
  std::vector<const bench_result*> results;
  for (const bench_result& result : document.results) results.push_back(&result);
  std::stable_sort(results.begin(), results.end(), [](const auto* a, const auto* b) {
    return request::points_of(a->spec) < request::points_of(b->spec);
  });
  return results;
}

/// Returns the line of a peer, or of wingbeat if `peer` is empty. N counts all points of a
/// transform.
formats::chart_series series_of(const bench_document& document, const std::string& peer) {
  formats::chart_series line{.label = peer.empty() ? "wingbeat" : peer, .has_markers = true};
  std::size_t n_passes = 0;
  for (const bench_result* const result : by_points(document)) {
    if (!result->refused.empty()) continue;
    const bench_figures* const figures = peer.empty() ? &result->ours : figures_of(*result, peer);
    if (figures == nullptr || !figures->refused.empty()) continue;
    line.x.push_back(std::log2(static_cast<double>(request::points_of(result->spec))));
    line.y.push_back(result->fraction(*figures));
    line.low.push_back(result->copy_s.median / figures->seconds.high);
    line.high.push_back(result->copy_s.median / figures->seconds.low);
    const std::size_t n = result->planned.n_passes;
    if (peer.empty() && n != 0 && n != n_passes) {
      line.notches.push_back({line.x.size() - 1, formatted("{} pass{}", n, n > 1 ? "es" : "")});
    }
    n_passes = n;
  }
  return line;
}

/// Returns a line for each peer that ran several problems, with a summary of its ratios.
std::string ratios_text(const bench_document& document) {
  std::string lines;
  for (const auto& [name, version] : document.peers) {
    double sum = 0, least = std::numeric_limits<double>::infinity();
    std::size_t count = 0;
    const bench_result* slowest = nullptr;
    for (const bench_result& result : document.results) {
      const bench_figures* const peer = figures_of(result, name);
      if (peer == nullptr || !peer->refused.empty()) continue;
      const double ratio = result.ratio(*peer);
      sum += std::log(ratio);
      ++count;
      if (ratio < least) least = ratio, slowest = &result;
    }
    if (count < 2) continue;
    lines += formatted("ratio to {}: geometric mean {:.2f} of {}, least {:.2f} at {}\n", name,
                       std::exp(sum / static_cast<double>(count)), count, least,
                       axes_text(slowest->spec));
  }
  return lines;
}

/// Returns the present time in UTC: "2026-01-31T12:00:00Z".
std::string date_text() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char text[sizeof "0000-00-00T00:00:00Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

json device_json(const device_info& device) {
  return {{"engine", name_of(device.runs_on)},
          {"name", device.name},
          {"architecture", device.architecture},
          {"version", device.version}};
}

void add_plan(json& target, const plan_description& planned) {
  if (planned.n_passes > 0) target["passes"] = planned.n_passes;
  target["traffic_bytes"] = planned.traffic_bytes;
  target["plan"] = planned.text;
  json& list = target["kernels"] = json::array();
  for (const kernel_resources& k : planned.kernels) {
    list.push_back({{"name", k.name},
                    {"threads", k.threads},
                    {"registers", k.registers},
                    {"spill_bytes", k.spill_bytes},
                    {"stack_bytes", k.stack_bytes},
                    {"scratch_bytes", k.scratch_bytes}});
  }
}

json json_of(const bench_document& document) {
  json j{{"schema", "wingbeat.bench/2"}};
  j["version"] =
      formatted("{}.{}.{}", WINGBEAT_VERSION_MAJOR, WINGBEAT_VERSION_MINOR, WINGBEAT_VERSION_PATCH);
  j["commit"] = WINGBEAT_COMMIT;
  j["date"] = date_text();
  j["command"] = document.command;
  j["device"] = device_json(document.device);
  j["device"]["compute_units"] = document.device.compute_units;
  if (!document.driver.empty()) j["device"]["driver"] = document.driver;
  j["peers"] = json::array();
  for (const auto& [name, version] : document.peers) {
    j["peers"].push_back({{"name", name}, {"version", version}});
  }
  const plan_spec& first = document.results.front().spec;
  j["kind"] = kinds_text(first);
  j["precision"] = name_of(first.real);
  j["layout"] = document.layout;
  j["bins"] = name_of(first.bins);
  j["results"] = json::array();
  for (const bench_result& result : document.results) j["results"].push_back(json_of(result));
  return j;
}

std::string table_of(const bench_document& document) {
  table listed{columns_of(document)};
  for (const bench_result& r : document.results) {
    if (!r.refused.empty()) continue;
    const measure::quartiles& ours = r.ours.seconds;
    std::vector<std::string> cells{
        axes_text(r.spec),
        formatted("{}", std::size_t{r.spec.batch}),
        seconds_text(r.copy_s.median),
        seconds_text(ours.median),
        formatted("{:.1f} %", 100 * (ours.high - ours.low) / ours.median),
        formatted("{:.3f}", r.fraction(r.ours)),
        r.planned.n_passes > 0 ? formatted("{}", r.planned.n_passes) : "-",
        error_text(r.ours),
        seconds_text(r.ours.prepared.cold_s),
        formatted("{}", r.n_rounds)};
    if (document.has_calls) cells.push_back(enqueue_cell(&r.ours));
    for (const auto& [name, version] : document.peers) {
      const bench_figures* const peer = figures_of(r, name);
      const auto added = peer_cells(r, peer);
      cells.insert(cells.end(), added.begin(), added.end());
      if (document.has_calls) cells.push_back(enqueue_cell(peer));
    }
    listed.add(cells);
  }
  return listed.text() + ratios_text(document);
}

formats::line_chart chart_of(const bench_document& document) {
  const plan_spec& first = document.results.front().spec;
  formats::line_chart chart;
  chart.title = formatted("{} {}, {}, {}", kinds_text(first), name_of(first.real), document.layout,
                          document.device.name);
  chart.x.label = "log2 N";
  chart.y.label = "fraction of a copy's speed";
  chart.series.push_back(series_of(document, ""));
  for (const auto& [name, version] : document.peers) {
    if (auto line = series_of(document, name); !line.x.empty()) chart.series.push_back(line);
  }
  double highest = 0, least = 64, most = 0;
  for (const auto& line : chart.series) {
    for (const double y : line.high) highest = std::max(highest, y);
    for (const double x : line.x) least = std::min(least, x), most = std::max(most, x);
  }
  // Shows the copy's speed, unless no library comes near it.
  chart.y.range = {0, 1.1 * (highest > 0.5 ? std::max(highest, 1.0) : highest)};
  chart.x.range = {least - 0.5, most + 0.5};
  return chart;
}

}  // namespace wingbeat::cli
