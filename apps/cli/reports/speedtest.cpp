// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/speedtest.hpp"

#include <bit>    // countr_zero, has_single_bit
#include <cmath>  // log2
#include <nlohmann/json.hpp>
#include <utility>  // move

#include "cli/choose.hpp"         // short_name
#include "cli/reports/table.hpp"  // table, seconds_text
#include "text/formatted.hpp"     // formatted

namespace wingbeat::cli {
namespace {

std::string range_text(const measure::spread& s) {
  return formatted("{} .. {}", seconds_text(s.min), seconds_text(s.max));
}

nlohmann::ordered_json json_of(const measure::spread& s) {
  nlohmann::ordered_json j;
  j["mean"] = s.mean;
  j["min"] = s.min;
  j["max"] = s.max;
  return j;
}

nlohmann::ordered_json json_of(const timing& t) {
  nlohmann::ordered_json j;
  j["length"] = t.length;
  j["runs"] = t.n_runs;
  j["plan_s"] = t.plan_s;
  j["execution_s"] = json_of(t.execution_s);
  j["transfer_s"] = json_of(t.transfer_s);
  j["total_s"] = json_of(t.total_s);
  j["relative_l2"] = t.against_reference.relative_l2;
  j["largest_error"] = t.against_reference.largest_error;
  j["agrees"] = t.against_reference.is_within;
  return j;
}

std::string csv_of(const measure::spread& s) {
  return formatted(",{:.9g},{:.9g},{:.9g}", s.mean, s.min, s.max);
}

/// Returns log2 of a length: an integer for a power of two, otherwise two decimals.
std::string log2_text(std::size_t length) {
  if (std::has_single_bit(length)) return formatted("{}", std::countr_zero(length));
  return formatted("{:.2f}", std::log2(static_cast<double>(length)));
}

}  // namespace

std::string speed_text(const std::vector<engine_timings>& measured) {
  table speeds{{{"length"},
                {"log2"},
                {"engine", align::left},
                {"runs"},
                {"plan"},
                {"execution"},
                {"min .. max"},
                {"transfer"},
                {"min .. max"},
                {"total"},
                {"per element"},
                {"verdict", align::left}}};
  const std::size_t n_lengths = measured.empty() ? 0 : measured.front().lengths.size();
  for (std::size_t i = 0; i < n_lengths; ++i) {
    for (const engine_timings& engine : measured) {
      const timing& t = engine.lengths[i];
      speeds.add({formatted("{}", t.length), log2_text(t.length), short_name(engine.device),
                  formatted("{}", t.n_runs), seconds_text(t.plan_s),
                  seconds_text(t.execution_s.mean), range_text(t.execution_s),
                  seconds_text(t.transfer_s.mean), range_text(t.transfer_s),
                  seconds_text(t.total_s.mean),
                  formatted("{:.3g} ns", 1e9 * t.total_s.mean / static_cast<double>(t.length)),
                  t.against_reference.is_within ? "agrees" : "DISAGREES"});
    }
  }
  return speeds.text();
}

std::string speed_csv(const std::vector<engine_timings>& measured) {
  std::string lines =
      "engine,index,length,runs,plan_s,execution_mean_s,execution_min_s,execution_max_s,"
      "transfer_mean_s,transfer_min_s,transfer_max_s,total_mean_s,total_min_s,total_max_s,"
      "relative_l2,agrees\n";
  for (const engine_timings& engine : measured) {
    for (const timing& t : engine.lengths) {
      lines += formatted("{},{},{},{},{:.9g}", name_of(engine.device.runs_on), engine.device.index,
                         t.length, t.n_runs, t.plan_s);
      lines += csv_of(t.execution_s) + csv_of(t.transfer_s) + csv_of(t.total_s);
      lines += formatted(",{:.6g},{}\n", t.against_reference.relative_l2,
                         t.against_reference.is_within ? "yes" : "no");
    }
  }
  return lines;
}

nlohmann::ordered_json speed_json(const std::vector<engine_timings>& measured) {
  nlohmann::ordered_json document{{"schema", "wingbeat.speedtest/1"}};
  document["engines"] = nlohmann::ordered_json::array();
  for (const engine_timings& engine : measured) {
    nlohmann::ordered_json j;
    j["engine"] = name_of(engine.device.runs_on);
    j["index"] = engine.device.index;
    j["device"] = engine.device.name;
    j["lengths"] = nlohmann::ordered_json::array();
    for (const timing& t : engine.lengths) j["lengths"].push_back(json_of(t));
    document["engines"].push_back(std::move(j));
  }
  document["break_even"] = nlohmann::ordered_json::array();
  for (const break_even& pair : break_evens_of(measured)) {
    nlohmann::ordered_json j;
    j["faster"] = pair.faster;
    j["slower"] = pair.slower;
    j["largest_length"] = pair.largest;
    j["length"] = nullptr;
    if (pair.length) j["length"] = *pair.length;
    document["break_even"].push_back(std::move(j));
  }
  return document;
}

std::vector<break_even> break_evens_of(const std::vector<engine_timings>& measured) {
  std::vector<timed_engine> engines;
  for (const engine_timings& engine : measured) {
    timed_engine times{short_name(engine.device), {}};
    for (const timing& t : engine.lengths) times.times.push_back({t.length, t.total_s.mean});
    engines.push_back(std::move(times));
  }
  return break_evens(engines);
}

formats::line_chart speed_chart(const std::vector<engine_timings>& measured, speed_axis axis,
                                const std::string& title) {
  formats::line_chart chart;
  chart.title = title;
  chart.x = {.label = "length (samples)", .scale = formats::axis_scale::log2};
  chart.y = {.label = axis == speed_axis::time ? "execution and transfer"
                                               : "execution and transfer per element",
             .scale = formats::axis_scale::log10,
             .unit = "s"};
  for (const engine_timings& engine : measured) {
    formats::chart_series curve;
    curve.label = formatted("{} ({})", short_name(engine.device), engine.device.name);
    curve.has_markers = true;
    for (const timing& t : engine.lengths) {
      const auto length = static_cast<double>(t.length);
      const double unit = axis == speed_axis::time ? 1 : length;
      curve.x.push_back(length);
      curve.y.push_back(t.total_s.mean / unit);
      curve.low.push_back(t.total_s.min / unit);
      curve.high.push_back(t.total_s.max / unit);
    }
    chart.series.push_back(std::move(curve));
  }
  for (const break_even& pair : break_evens_of(measured)) {
    // Break-evens with the reference are not marked: every engine overtakes it.
    if (!pair.length || pair.slower == "reference" || pair.faster == "reference") continue;
    chart.marks.push_back({static_cast<double>(*pair.length),
                           formatted("{} overtakes {}", pair.faster, pair.slower)});
  }
  return chart;
}

}  // namespace wingbeat::cli
