// SPDX-License-Identifier: Apache-2.0
// Draws a document of `wingbeat bench --json` as the bench itself would have: fractions of a copy's
// speed against log2 N, one line for each library, a notch where our passes change. For documents
// from machines that draw nothing.
//     draw_fractions c2c-fp32.json c2c-fp32.png
#include <fmt/core.h>

#include <algorithm>  // max
#include <cmath>      // log2
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "formats/charts/chart.hpp"  // line_chart, write_chart

namespace {

using nlohmann::json;
using wingbeat::formats::chart_series;
using wingbeat::formats::line_chart;

double log2_points(const json& one) {
  double bits = 0;
  for (const std::size_t n : one.at("lengths")) bits += std::log2(static_cast<double>(n));
  return bits;
}

chart_series ours(const json& results) {
  chart_series line{.label = "wingbeat", .has_markers = true};
  int passes = 0;
  for (const json& one : results) {
    const json& mine = one.at("wingbeat");
    const int now = one.value("passes", 0);
    if (now != passes && now > 0) {
      line.notches.push_back({line.x.size(), fmt::format("{} pass{}", now, now > 1 ? "es" : "")});
    }
    passes = now;
    line.x.push_back(log2_points(one));
    line.y.push_back(mine.at("fraction"));
  }
  return line;
}

chart_series of_peer(const json& results, const std::string& name) {
  chart_series line{.label = name, .has_markers = true};
  for (const json& one : results) {
    if (!one.at("peers").contains(name) || !one["peers"][name].contains("fraction")) continue;
    line.x.push_back(log2_points(one));
    line.y.push_back(one["peers"][name]["fraction"]);
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(
        stderr,
        "draw_fractions: give a document of wingbeat bench, and a .png, .svg or .pdf to write\n");
    return 2;
  }
  const json document = json::parse(std::ifstream{argv[1]});
  const json& results = document.at("results");
  line_chart chart;
  chart.title =
      fmt::format("{} {}, {}, {}", document.value("kind", ""), document.value("precision", ""),
                  document.value("layout", ""), document.at("device").value("name", ""));
  chart.x = {
      .label = "log2 N",
      .range = std::pair{log2_points(results.front()) - 0.5, log2_points(results.back()) + 0.5}};
  chart.series.push_back(ours(results));
  for (const auto& [name, peer] : results.front().at("peers").items()) {
    chart.series.push_back(of_peer(results, name));
  }
  double most = 1.1;  // a call of few transforms passes a copy
  for (const chart_series& each : chart.series) {
    for (const double fraction : each.y) most = std::max(most, 1.05 * fraction);
  }
  chart.y = {.label = "fraction of a copy's speed", .range = std::pair{0.0, most}};
  wingbeat::formats::write_chart(argv[2], chart);
  return 0;
} catch (const std::exception& failed) {
  std::fprintf(stderr, "draw_fractions: %s\n", failed.what());
  return 4;
}
