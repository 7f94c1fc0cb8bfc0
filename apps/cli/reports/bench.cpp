// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/bench.hpp"

#include <algorithm>  // find_if, max, min
#include <cmath>      // log2
#include <ctime>      // gmtime_r, strftime, time

#include "cli/reports/table.hpp"  // table, seconds_text
#include "cli/sweep.hpp"          // axes_text
#include "commit.hpp"             // WINGBEAT_COMMIT, generated
#include "formatted.hpp"          // formatted
#include "side.hpp"               // points_of
#include "wingbeat/version.hpp"   // WINGBEAT_VERSION_MAJOR

namespace wingbeat::cli {
namespace {

using json = nlohmann::ordered_json;

const bench_figures* figures_of(const bench_result& of, const std::string& peer) {
  const auto found = std::find_if(of.peers.begin(), of.peers.end(),
                                  [&](const bench_figures& one) { return one.name == peer; });
  return found == of.peers.end() ? nullptr : &*found;
}

json json_of(const quartiles& of, const char* unit) {
  return {{formatted("median_{}", unit), of.median},
          {formatted("quartile1_{}", unit), of.low},
          {formatted("quartile3_{}", unit), of.high}};
}

/// Leaves out what is not known.
void add_known(json& to, const char* name, double value) {
  if (value >= 0) to[name] = value;
}

json json_of(const bench_result& of, const bench_figures& one) {
  if (!one.refused.empty()) return {{"refused", one.refused}};
  json j = json_of(one.seconds, "s");
  j["min_s"] = one.min_s;
  j["max_s"] = one.max_s;
  j["fraction"] = of.fraction(one);
  add_known(j, "plan_cold_s", one.prepared.cold_s);
  add_known(j, "plan_warm_s", one.prepared.warm_s);
  add_known(j, "first_call_s", one.prepared.first_call_s);
  if (one.prepared.workspace_bytes >= 0) j["workspace_bytes"] = one.prepared.workspace_bytes;
  const agreement& a = one.accuracy;
  j["accuracy"] = {{"relative_l2", a.relative_l2},
                   {"relative_l2_bound", a.relative_l2_bound},
                   {"largest_error", a.largest_error / a.largest_value},
                   {"is_within", a.is_within}};
  return j;
}

json json_of(const bench_result& of) {
  json j{{"lengths", of.what.lengths}, {"batch", std::size_t{of.what.batch}}};
  if (!of.refused.empty()) {
    j["refused"] = of.refused;
    return j;
  }
  j["copied_bytes"] = of.copied_bytes;
  j["rounds"] = of.n_rounds;
  j["ended_by"] = name_of(of.ended);
  j["checked_rows"] = of.n_checked_transforms;
  j["checked_elements"] = of.n_checked_elements;
  j["copy"] = json_of(of.copy_s, "s");
  j["copy"]["bytes_per_s"] = 2 * static_cast<double>(of.copied_bytes) / of.copy_s.median;
  j["wingbeat"] = json_of(of, of.ours);
  for (const bench_figures& peer : of.peers) {
    json& to = j["peers"][peer.name] = json_of(of, peer);
    if (peer.refused.empty()) to["ratio"] = of.ratio(peer);
  }
  if (of.n_passes > 0) j["passes"] = of.n_passes;
  j["traffic_bytes"] = of.traffic_bytes;
  j["plan"] = of.plan_text;
  j["kernels"] = cli::json_of(of.kernels);
  if (of.clocks) {
    j["clocks"] = {{"sm", json_of(of.clocks->sm_mhz, "mhz")},
                   {"memory", json_of(of.clocks->memory_mhz, "mhz")}};
  }
  return j;
}

/// Less accurate than the bound is not wrong; ten times less, or a number that is none, is.
std::string error_text(const bench_figures& of) {
  const double share = of.accuracy.relative_l2 / of.accuracy.relative_l2_bound;
  if (of.accuracy.is_within) return formatted("{:.2f}", share);
  return formatted("{:.2f} {}", share, share < 10 ? "above" : "WRONG");
}

/// Returns a line of the chart. N counts all points of a transform.
formats::chart_series series_of(const bench_document& of, const std::string& peer) {
  formats::chart_series line{.label = peer.empty() ? "wingbeat" : peer, .has_markers = true};
  std::size_t n_passes = 0;
  for (const bench_result& one : of.results) {
    if (!one.refused.empty()) continue;
    const bench_figures* const figures = peer.empty() ? &one.ours : figures_of(one, peer);
    if (figures == nullptr || !figures->refused.empty()) continue;
    line.x.push_back(std::log2(static_cast<double>(points_of(one.what))));
    line.y.push_back(one.fraction(*figures));
    line.low.push_back(one.copy_s.median / figures->seconds.high);
    line.high.push_back(one.copy_s.median / figures->seconds.low);
    const std::size_t now = one.n_passes;
    if (peer.empty() && now != 0 && now != n_passes) {
      line.notches.push_back({line.x.size() - 1, formatted("{} pass{}", now, now > 1 ? "es" : "")});
    }
    n_passes = now;
  }
  return line;
}

}  // namespace

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[sizeof "0000-00-00T00:00:00Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

json json_of(const std::vector<kernel_resources>& kernels) {
  json all = json::array();
  for (const kernel_resources& k : kernels) {
    all.push_back({{"name", k.name},
                   {"threads", k.threads},
                   {"registers", k.registers},
                   {"spill_bytes", k.spill_bytes},
                   {"stack_bytes", k.stack_bytes},
                   {"scratch_bytes", k.scratch_bytes}});
  }
  return all;
}

json json_of(const bench_document& of) {
  json j{{"schema", "wingbeat.bench/2"}};
  j["version"] =
      formatted("{}.{}.{}", WINGBEAT_VERSION_MAJOR, WINGBEAT_VERSION_MINOR, WINGBEAT_VERSION_PATCH);
  j["commit"] = WINGBEAT_COMMIT;
  j["date"] = date_text();
  j["command"] = of.command;
  j["device"] = {{"engine", name_of(of.where.runs_on)},
                 {"name", of.where.name},
                 {"architecture", of.where.architecture},
                 {"version", of.where.version},
                 {"compute_units", of.where.compute_units}};
  if (!of.driver.empty()) j["device"]["driver"] = of.driver;
  j["peers"] = json::array();
  for (const auto& [name, version] : of.peers) {
    j["peers"].push_back({{"name", name}, {"version", version}});
  }
  const plan_spec& first = of.results.front().what;
  j["kind"] = name_of(first.kind);
  j["precision"] = name_of(first.real);
  j["layout"] = of.layout;
  j["bins"] = name_of(first.bins);
  j["results"] = json::array();
  for (const bench_result& one : of.results) j["results"].push_back(json_of(one));
  return j;
}

std::string table_of(const bench_document& of) {
  std::vector<column> columns{{"lengths"}, {"batch"},    {"copy"},   {"wingbeat"},
                              {"spread"},  {"fraction"}, {"passes"}, {"error / bound"},
                              {"plan"},    {"rounds"}};
  for (const auto& [name, version] : of.peers) {
    columns.insert(columns.end(), {{name}, {"fraction"}, {"error / bound"}, {"ratio"}});
  }
  table listed{columns};
  for (const bench_result& r : of.results) {
    if (!r.refused.empty()) continue;
    const quartiles& ours = r.ours.seconds;
    std::vector<std::string> cells{
        axes_text(r.what),
        formatted("{}", std::size_t{r.what.batch}),
        seconds_text(r.copy_s.median),
        seconds_text(ours.median),
        formatted("{:.1f} %", 100 * (ours.high - ours.low) / ours.median),
        formatted("{:.3f}", r.fraction(r.ours)),
        r.n_passes > 0 ? formatted("{}", r.n_passes) : "-",
        error_text(r.ours),
        seconds_text(r.ours.prepared.cold_s),
        formatted("{}", r.n_rounds)};
    for (const auto& [name, version] : of.peers) {
      const bench_figures* const peer = figures_of(r, name);
      if (peer == nullptr || !peer->refused.empty()) {
        cells.insert(cells.end(), 4, "-");
        continue;
      }
      cells.insert(cells.end(),
                   {seconds_text(peer->seconds.median), formatted("{:.3f}", r.fraction(*peer)),
                    error_text(*peer), formatted("{:.2f}", r.ratio(*peer))});
    }
    listed.add(cells);
  }
  return listed.text();
}

formats::line_chart chart_of(const bench_document& of) {
  const plan_spec& first = of.results.front().what;
  formats::line_chart chart;
  chart.title = formatted("{} {}, {}, {}", name_of(first.kind), name_of(first.real), of.layout,
                          of.where.name);
  chart.x.label = "log2 N";
  chart.y.label = "fraction of a copy's speed";
  chart.series.push_back(series_of(of, ""));
  for (const auto& [name, version] : of.peers) {
    if (auto line = series_of(of, name); !line.x.empty()) chart.series.push_back(line);
  }
  double highest = 0, least = 64, most = 0;
  for (const auto& line : chart.series) {
    for (const double y : line.high) highest = std::max(highest, y);
    for (const double x : line.x) least = std::min(least, x), most = std::max(most, x);
  }
  // The copy's own speed is in the picture, unless nothing comes near it.
  chart.y.range = {0, 1.1 * (highest > 0.5 ? std::max(highest, 1.0) : highest)};
  chart.x.range = {least - 0.5, most + 0.5};
  return chart;
}

}  // namespace wingbeat::cli
