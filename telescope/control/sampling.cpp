// SPDX-License-Identifier: Apache-2.0
#include "control/sampling.hpp"

#include <algorithm>
#include <cmath>  // abs, isfinite
#include <utility>

#include "control/complex_text.hpp"  // parse_real
#include "text/formatted.hpp"

namespace wingbeat::control {
namespace {

struct strategy_form {
  std::string_view name;
  strategy kind;
  std::size_t n_parameters;
};
constexpr strategy_form forms[] = {
    {"none", strategy::none, 0},
    {"auto", strategy::automatic, 0},
    {"period", strategy::period, 1},
    {"event", strategy::event, 0},
    {"differential", strategy::differential, 1},
    {"event-rate", strategy::event_rate, 2},
    {"differential-rate", strategy::differential_rate, 3},
};

const strategy_form& form_of(std::string_view name) {
  for (const strategy_form& form : forms) {
    if (form.name == name) return form;
  }
  throw std::invalid_argument(
      formatted("'{}' is no sampling strategy; there are none, auto, period, event, differential, "
                "event-rate and differential-rate",
                name));
}

/// Returns a nonnegative number; infinite seconds mean never.
double number_of(const std::string& text, std::string_view noun, bool may_be_infinite) {
  const std::optional<double> value = parse_real(text);
  if (!value || !(*value >= 0.0) || (!may_be_infinite && !std::isfinite(*value))) {
    throw std::invalid_argument(
        formatted("'{}' is no {}; give a number that is not negative", text, noun));
  }
  return *value;
}

/// Exact for integers, such as times in samples beyond 2^53.
long double as_real(const sensor_value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  return std::get<double>(value);
}

bool differ(const sensor_value& a, const sensor_value& b) {
  // NaN counts as equal to NaN, so that it is not sent repeatedly.
  const auto* real_a = std::get_if<double>(&a);
  const auto* real_b = std::get_if<double>(&b);
  if (real_a && real_b && std::isnan(*real_a) && std::isnan(*real_b)) return false;
  return a != b;
}

}  // namespace

sampling::sampling(const sensor_spec& sensor, std::string_view name,
                   std::span<const std::string> parameters) {
  const strategy_form& form = form_of(name);
  if (parameters.size() != form.n_parameters) {
    throw std::invalid_argument(formatted("the strategy {} takes {} parameters; {} were given",
                                          name, form.n_parameters, parameters.size()));
  }
  kind_ = form.kind;
  words_ = {std::string(name)};
  words_.insert(words_.end(), parameters.begin(), parameters.end());

  if (kind_ == strategy::differential || kind_ == strategy::differential_rate) {
    if (sensor.kind != sensor_kind::integer && sensor.kind != sensor_kind::real) {
      throw std::invalid_argument(
          formatted("the strategy {} is for integer and float sensors; '{}' is of type {}", name,
                    sensor.name, name_of(sensor.kind)));
    }
    difference_ = number_of(parameters[0], "difference", false);
    parameters = parameters.subspan(1);
  }
  if (parameters.size() == 1) {
    shortest_s_ = number_of(parameters[0], "period in seconds", false);
    longest_s_ = shortest_s_;
  } else if (parameters.size() == 2) {
    shortest_s_ = number_of(parameters[0], "time in seconds", false);
    longest_s_ = number_of(parameters[1], "time in seconds", true);
  }
  if (kind_ == strategy::automatic) shortest_s_ = sensor.auto_period_s;
  constexpr double min_s = 1e-3;  // a client cannot make the server send without pause
  if (longest_s_ && (*longest_s_ < min_s || *longest_s_ < shortest_s_)) {
    throw std::invalid_argument(
        formatted("the longest time between updates is at least 0.001 s, and the shortest one; {} "
                  "was given",
                  *longest_s_));
  }
  if (longest_s_ && !std::isfinite(*longest_s_)) longest_s_.reset();
}

bool sampling::is_change(const reading& last, const reading& current) const {
  switch (kind_) {
    case strategy::none:
    case strategy::period: return false;
    case strategy::automatic: return true;
    case strategy::event:
    case strategy::event_rate:
      return current.status != last.status || differ(current.value, last.value);
    case strategy::differential:
    case strategy::differential_rate: break;
  }
  if (current.status != last.status) return true;
  const long double difference = std::abs(as_real(current.value) - as_real(last.value));
  // A change from or to NaN counts as a difference.
  return std::isnan(difference) ? differ(current.value, last.value) : difference > difference_;
}

sampler::sampler(sampling sampling, const reading& first, double now_s)
    : sampling_(std::move(sampling)), last_(first), last_s_(now_s) {}

void sampler::sent(const reading& reading, double scheduled_s) {
  last_ = reading;
  last_s_ = scheduled_s;
  is_pending_ = false;
}

bool sampler::update(const reading& current, double now_s) {
  const bool is_later = current.sequence > last_.sequence;
  if (is_pending_ || !is_later || !sampling_.is_change(last_, current)) return false;
  if (now_s < last_s_ + sampling_.shortest_s()) {
    is_pending_ = true;
    return false;
  }
  sent(current, now_s);
  return true;
}

std::optional<double> sampler::deadline_s() const {
  if (is_pending_) return last_s_ + sampling_.shortest_s();
  if (sampling_.longest_s()) return last_s_ + *sampling_.longest_s();
  return std::nullopt;
}

bool sampler::expire(const reading& latest, double now_s) {
  const std::optional<double> due_s = deadline_s();
  if (!due_s || now_s < *due_s) return false;
  // Periods keep their phase, unless the server was late by more than one period.
  const double interval_s = *due_s - last_s_;
  sent(latest, now_s - *due_s < interval_s ? *due_s : now_s);
  return true;
}

}  // namespace wingbeat::control
