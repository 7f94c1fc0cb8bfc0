// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "control/monitor_server.hpp"

namespace wingbeat::control {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(monitored_figure, label, value, units)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(monitored_spectrum, stream, pol, sequence, first_hz, step_hz,
                                   power_db, units, age_s, stale_after_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(monitored_level, label, level_db, units, clipped)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(monitored_gain, stream, pol, least, greatest)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(monitored_delay, stream, pol, delay_s, delay_rate, phase_rad,
                                   phase_rate_rad_per_s)

std::string monitor_json(const monitor_snapshot& snapshot, const sensor_registry& sensors) {
  json document{{"time", unix_time_s()},
                {"title", snapshot.title},
                {"data_age_s", snapshot.data_age_s ? json(*snapshot.data_age_s) : json()},
                {"silent_after_s", snapshot.silent_after_s},
                {"spectra", snapshot.spectra},
                {"rates", snapshot.rates},
                {"losses", snapshot.losses},
                {"states", snapshot.states},
                {"levels", snapshot.levels},
                {"gains", snapshot.gains},
                {"delays", snapshot.delays},
                {"sensors", json::array()}};
  for (const sensor* sensor : sensors.all()) {
    const reading latest = sensor->latest();
    if (latest.status <= sensor_status::nominal) continue;
    document["sensors"].push_back({{"name", sensor->spec().name},
                                   {"status", name_of(latest.status)},
                                   {"value", text_of(latest.value)},
                                   {"units", sensor->spec().units},
                                   {"kind", name_of(sensor->spec().kind)}});
  }
  // Replaces bytes in names that are not UTF-8.
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace wingbeat::control
