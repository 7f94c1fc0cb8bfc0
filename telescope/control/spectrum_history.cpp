// SPDX-License-Identifier: Apache-2.0
#include "control/spectrum_history.hpp"

#include <algorithm>  // clamp, max, min
#include <cmath>      // ceil, isfinite, lround
#include <limits>
#include <nlohmann/json.hpp>

namespace wingbeat::control {
namespace {

constexpr double step_db = 0.5;
constexpr double max_level = 255;
constexpr double no_power = -std::numeric_limits<double>::infinity();

/// Returns the maximum of each group of channels, in at most `max_points` groups.
std::vector<double> strongest(const std::vector<double>& power_db) {
  const std::size_t n = power_db.size(), n_points = std::min(n, spectrum_history::max_points);
  std::vector<double> points(n_points, no_power);
  for (std::size_t k = 0; k < n; ++k) {
    double& point = points[k * n_points / n];
    if (std::isfinite(power_db[k])) point = std::max(point, power_db[k]);
  }
  return points;
}

std::uint8_t level_of(double power_db, double top_db) {
  if (!std::isfinite(power_db)) return 0;
  const double level = max_level - (top_db - power_db) / step_db;
  return static_cast<std::uint8_t>(std::lround(std::clamp(level, 0.0, max_level)));
}

std::string hexadecimal(const std::vector<std::uint8_t>& levels) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * levels.size());
  for (const std::uint8_t level : levels) {
    text += digits[level >> 4];
    text += digits[level & 15];
  }
  return text;
}

}  // namespace

void spectrum_history::add(const std::vector<monitored_spectrum>& spectra, double now_s) {
  for (const monitored_spectrum& spectrum : spectra) {
    waterfall& kept = waterfalls_[{spectrum.stream, spectrum.pol}];
    if (spectrum.power_db.empty() || kept.sequence == spectrum.sequence) continue;
    kept.sequence = spectrum.sequence;
    const std::vector<double> points = strongest(spectrum.power_db);
    const double peak_db = *std::max_element(points.begin(), points.end());
    row next{.number = ++last_,
             .time_s = now_s - spectrum.age_s,
             .top_db = std::isfinite(peak_db) ? std::ceil(peak_db) : 0};
    for (const double point : points) next.levels.push_back(level_of(point, next.top_db));
    kept.rows.push_back(std::move(next));
    if (kept.rows.size() > max_rows) kept.rows.pop_front();
  }
}

std::string spectrum_history::json(std::uint64_t after, double now_s) const {
  nlohmann::json document{
      {"last", last_}, {"now_s", now_s}, {"waterfalls", nlohmann::json::array()}};
  for (const auto& [place, kept] : waterfalls_) {
    nlohmann::json rows = nlohmann::json::array();
    for (const row& each : kept.rows) {
      if (each.number <= after) continue;
      rows.push_back(
          {{"time_s", each.time_s}, {"top_db", each.top_db}, {"levels", hexadecimal(each.levels)}});
    }
    document["waterfalls"].push_back(
        {{"stream", place.first}, {"pol", place.second}, {"rows", std::move(rows)}});
  }
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace wingbeat::control
