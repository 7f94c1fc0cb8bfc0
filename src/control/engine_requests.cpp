// SPDX-License-Identifier: Apache-2.0
#include "control/engine_requests.hpp"

#include <algorithm>
#include <array>
#include <cmath>  // abs, isfinite
#include <utility>

#include "control/complex_text.hpp"
#include "formatted.hpp"

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

double parse_number(std::string_view text, std::string_view noun) {
  const std::optional<double> value = parse_real(text);
  if (!value || !std::isfinite(*value)) {
    throw request_failure(formatted("'{}' is no {}; give a finite number", text, noun));
  }
  return *value;
}

/// Splits "a,b" or "a:b" at its only separator.
std::array<std::string_view, 2> halves(std::string_view text, char separator,
                                       std::string_view whole) {
  const std::size_t place = text.find(separator);
  if (place == std::string_view::npos ||
      text.find(separator, place + 1) != std::string_view::npos) {
    throw request_failure(
        formatted("'{}' is no delay; give delay,delay_rate:phase,phase_rate", whole));
  }
  return {text.substr(0, place), text.substr(place + 1)};
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
    const double start_s = parse_number(arguments[1], "UNIX time");
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

gains parse_gains(std::span<const std::string> values, std::size_t n_channels) {
  if (values.size() != 1 && values.size() != n_channels) {
    throw request_failure(formatted("{} gains were given; give 1 for all channels, or {}",
                                    values.size(), n_channels));
  }
  gains parsed;
  parsed.reserve(n_channels);
  for (const std::string& text : values) {
    const std::optional<std::complex<double>> value = parse_complex(text);
    if (!value) {
      throw request_failure(
          formatted("'{}' is no complex number; give one such as 1.5-0.5j", text));
    }
    const std::complex<float> gain(static_cast<float>(value->real()),
                                   static_cast<float>(value->imag()));
    if (!std::isfinite(gain.real()) || !std::isfinite(gain.imag())) {
      throw request_failure(formatted("the gain '{}' is not finite in single precision", text));
    }
    parsed.push_back(gain);
  }
  parsed.resize(n_channels, parsed.front());
  return parsed;
}

delay_setting parse_delay(std::string_view text) {
  const auto [delay, phase] = halves(text, ':', text);
  const auto [delay_s, delay_rate] = halves(delay, ',', text);
  const auto [phase_rad, phase_rate] = halves(phase, ',', text);
  const delay_setting setting{
      parse_number(delay_s, "delay in s"), parse_number(delay_rate, "delay rate in s/s"),
      parse_number(phase_rad, "phase in rad"), parse_number(phase_rate, "phase rate in rad/s")};
  if (std::abs(setting.delay_rate) >= 1.0) {
    throw request_failure(
        formatted("the delay rate {} is not below 1 s/s in size", std::string(delay_rate)));
  }
  return setting;
}

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
