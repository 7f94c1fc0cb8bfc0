// SPDX-License-Identifier: Apache-2.0
#include "control/engine_requests.hpp"

#include <algorithm>

#include "control/complex_text.hpp"
#include "control/engine_arguments.hpp"
#include "text/formatted.hpp"

namespace wingbeat::control {
namespace {

using gains = std::vector<std::complex<float>>;
using words = std::vector<std::string>;

bool is_uniform(const gains& values) {
  return std::all_of(values.begin(), values.end(), [&](auto value) { return value == values[0]; });
}

std::size_t find_stream(const engine_control& engine, const std::string& name) {
  const std::span<const stream_info> streams = engine.streams();
  words names;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (streams[i].name == name) return i;
    names.push_back(streams[i].name);
  }
  throw request_failure(formatted("no stream '{}'; there are {}", name, joined(names, ", ")));
}

std::size_t parse_pol(const engine_control& engine, const std::string& text) {
  for (std::size_t pol = 0; pol < engine.n_pols(); ++pol) {
    if (text == std::to_string(pol)) return pol;
  }
  throw request_failure(
      formatted("'{}' is no polarisation; give 0 to {}", text, engine.n_pols() - 1));
}

void expect_at_least(const request& request, std::size_t n, std::string_view form) {
  if (request.arguments().size() < n) {
    throw request_failure(formatted("arguments are missing; give {}", form));
  }
}

class engine_requests {
 public:
  engine_requests(engine_control& engine, engine_sensors& sensors)
      : engine_(engine), sensors_(sensors) {}

  words gain(const request& asked) const {
    expect_at_least(asked, 2, "stream pol [gain ...]");
    const words& arguments = asked.arguments();
    const std::size_t stream = find_stream(engine_, arguments[0]);
    const std::size_t pol = parse_pol(engine_, arguments[1]);
    if (arguments.size() > 2) set(stream, pol, std::span(arguments).subspan(2));
    return texts_of(engine_.gains(stream, pol));
  }

  words gain_all(const request& asked) const {
    expect_at_least(asked, 2, "stream gain ..., or stream default");
    const words& arguments = asked.arguments();
    const std::size_t stream = find_stream(engine_, arguments[0]);
    if (arguments.size() == 2 && arguments[1] == "default") {
      const gains values(engine_.streams()[stream].n_channels, engine_.default_gain(stream));
      apply(stream, std::nullopt, values);
    } else {
      set(stream, std::nullopt, std::span(arguments).subspan(1));
    }
    return {};
  }

  words delays(const request& asked) const {
    const words& arguments = asked.arguments();
    const std::size_t n_expected = 2 + engine_.n_pols();
    if (arguments.size() != n_expected) {
      throw request_failure(
          formatted("?delays takes a stream, a start and {} delays; {} arguments "
                    "were given",
                    engine_.n_pols(), arguments.size()));
    }
    const std::size_t stream = find_stream(engine_, arguments[0]);
    const double start_s = parse_finite(arguments[1], "UNIX time");
    if (start_s < engine_.sync_time_s()) {
      throw request_failure(
          formatted("the start {} is before the synchronisation at {}; give a "
                    "later one",
                    arguments[1], real_text(engine_.sync_time_s())));
    }
    std::vector<delay_setting> settings;
    for (std::size_t i = 2; i < arguments.size(); ++i)
      settings.push_back(parse_delay(arguments[i]));
    sensors_.set_steady_state(engine_.set_delays(stream, start_s, settings));
    return {};
  }

 private:
  void set(std::size_t stream, std::optional<std::size_t> pol,
           std::span<const std::string> values) const {
    apply(stream, pol, parse_gains(values, engine_.streams()[stream].n_channels));
  }

  void apply(std::size_t stream, std::optional<std::size_t> pol, const gains& values) const {
    sensors_.set_steady_state(engine_.set_gains(stream, pol, values));
    for (std::size_t i = 0; i < engine_.n_pols(); ++i) {
      if (!pol || *pol == i) sensors_.set_gains(stream, i, values);
    }
  }

  static words texts_of(const gains& values) {
    words texts;
    const std::size_t n =
        is_uniform(values) ? std::min<std::size_t>(values.size(), 1) : values.size();
    for (std::size_t i = 0; i < n; ++i) texts.push_back(complex_text(values[i]));
    return texts;
  }

  engine_control& engine_;
  engine_sensors& sensors_;
};

}  // namespace

void add_engine_requests(katcp_server& server, engine_control& engine, engine_sensors& sensors) {
  const engine_requests requests(engine, sensors);
  server.add_request("gain",
                     "Sets or reports gains. Arguments: stream pol [gain ...], with one complex "
                     "gain for all channels or one for each. Replies the gains: one if all are "
                     "equal, else one for each channel.",
                     [requests](request& asked) { return requests.gain(asked); });
  server.add_request("gain-all",
                     "Sets gains in all polarisations. Arguments: stream gain ..., with one "
                     "complex gain for all channels or one for each; or stream default.",
                     [requests](request& asked) { return requests.gain_all(asked); });
  server.add_request("delays",
                     "Sets delays and phases. Arguments: stream start "
                     "delay,delay_rate:phase,phase_rate ..., with one for each polarisation; the "
                     "start in UNIX time, the others in s, s/s, rad and rad/s.",
                     [requests](request& asked) { return requests.delays(asked); });
}

}  // namespace wingbeat::control
