// SPDX-License-Identifier: Apache-2.0
#include <cmath>  // round
#include <nlohmann/json.hpp>

#include "control/monitor_server.hpp"

namespace wingbeat::control {
namespace {

using nlohmann::json;

json json_of(const std::vector<monitored_figure>& figures) {
  json list = json::array();
  for (const monitored_figure& figure : figures) {
    list.push_back({{"label", figure.label}, {"value", figure.value}, {"units", figure.units}});
  }
  return list;
}

/// Hundredths, because more digits are noise that each browser would fetch twice a second.
json rounded(const std::vector<float>& power_db) {
  json list = json::array();
  for (const float power : power_db) {
    list.push_back(std::round(static_cast<double>(power) * 100) / 100);
  }
  return list;
}

json json_of(const monitored_spectrum& spectrum) {
  return {{"stream", spectrum.stream},
          {"pol", spectrum.pol},
          {"sequence", spectrum.sequence},
          {"first_hz", spectrum.first_hz},
          {"step_hz", spectrum.step_hz},
          {"power_db", rounded(spectrum.power_db)},
          {"units", spectrum.units},
          {"age_s", spectrum.age_s},
          {"stale_after_s", spectrum.stale_after_s}};
}

json json_of(const monitored_level& level) {
  return {{"label", level.label},
          {"level_db", level.level_db},
          {"units", level.units},
          {"clipped", level.clipped}};
}

json json_of(const monitored_gain& gain) {
  return {{"stream", gain.stream},
          {"pol", gain.pol},
          {"least", gain.least},
          {"greatest", gain.greatest}};
}

json json_of(const monitored_delay& delay) {
  return {{"stream", delay.stream},       {"pol", delay.pol},
          {"delay_s", delay.delay_s},     {"delay_rate", delay.delay_rate},
          {"phase_rad", delay.phase_rad}, {"phase_rate_rad_per_s", delay.phase_rate_rad_per_s}};
}

}  // namespace

std::string monitor_json(const monitor_snapshot& snapshot, const sensor_registry& sensors) {
  json document{{"time", unix_time_s()},
                {"title", snapshot.title},
                {"data_age_s", snapshot.data_age_s ? json(*snapshot.data_age_s) : json()},
                {"silent_after_s", snapshot.silent_after_s},
                {"spectra", json::array()},
                {"rates", json_of(snapshot.rates)},
                {"losses", json_of(snapshot.losses)},
                {"states", json_of(snapshot.states)},
                {"levels", json::array()},
                {"gains", json::array()},
                {"delays", json::array()},
                {"sensors", json::array()}};
  for (const auto& spectrum : snapshot.spectra) document["spectra"].push_back(json_of(spectrum));
  for (const auto& level : snapshot.levels) document["levels"].push_back(json_of(level));
  for (const auto& gain : snapshot.gains) document["gains"].push_back(json_of(gain));
  for (const auto& delay : snapshot.delays) document["delays"].push_back(json_of(delay));
  for (const sensor* sensor : sensors.all()) {
    const reading latest = sensor->latest();
    if (latest.status <= sensor_status::nominal) continue;
    document["sensors"].push_back({{"name", sensor->spec().name},
                                   {"status", name_of(latest.status)},
                                   {"value", text_of(latest.value)},
                                   {"units", sensor->spec().units},
                                   {"kind", name_of(sensor->spec().kind)}});
  }
  // Bytes that are no UTF-8, in a name, are replaced.
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace wingbeat::control
