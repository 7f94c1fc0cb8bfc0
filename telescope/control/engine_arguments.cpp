// SPDX-License-Identifier: Apache-2.0
#include "control/engine_arguments.hpp"

#include <array>
#include <cmath>  // abs, isfinite
#include <optional>

#include "control/complex_text.hpp"
#include "control/katcp_server.hpp"  // request_failure
#include "text/formatted.hpp"

namespace wingbeat::control {
namespace {

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

}  // namespace

double parse_finite(std::string_view text, std::string_view noun) {
  const std::optional<double> value = parse_real(text);
  if (!value || !std::isfinite(*value)) {
    throw request_failure(formatted("'{}' is no {}; give a finite number", text, noun));
  }
  return *value;
}

std::vector<std::complex<float>> parse_gains(std::span<const std::string> values,
                                             std::size_t n_channels) {
  if (values.size() != 1 && values.size() != n_channels) {
    throw request_failure(formatted("{} gains were given; give 1 for all channels, or {}",
                                    values.size(), n_channels));
  }
  std::vector<std::complex<float>> parsed;
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
      parse_finite(delay_s, "delay in s"), parse_finite(delay_rate, "delay rate in s/s"),
      parse_finite(phase_rad, "phase in rad"), parse_finite(phase_rate, "phase rate in rad/s")};
  if (std::abs(setting.delay_rate) >= 1.0) {
    throw request_failure(
        formatted("the delay rate {} is not below 1 s/s in size", std::string(delay_rate)));
  }
  return setting;
}

}  // namespace wingbeat::control
