// SPDX-License-Identifier: Apache-2.0
#include "control/sensor.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "control/complex_text.hpp"  // real_text
#include "text/formatted.hpp"

namespace wingbeat::control {
namespace {

void check_name(const std::string& name) {
  const bool is_valid = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  });
  if (!is_valid) {
    throw std::invalid_argument(formatted(
        "a sensor is named by letters, digits, '.', '-' and '_'; '{}' is something else", name));
  }
}

sensor_value initial_value(const sensor_spec& spec) {
  switch (spec.kind) {
    case sensor_kind::integer: return std::int64_t{0};
    case sensor_kind::real:
    case sensor_kind::timestamp: return 0.0;
    case sensor_kind::boolean: return false;
    case sensor_kind::string: return std::string{};
    case sensor_kind::discrete: break;
  }
  if (spec.choices.empty()) {
    throw std::invalid_argument(
        formatted("the discrete sensor '{}' has no choices; give at least one", spec.name));
  }
  return spec.choices.front();
}

auto place_of(const std::vector<std::unique_ptr<sensor>>& sensors, std::string_view name) {
  return std::lower_bound(
      sensors.begin(), sensors.end(), name,
      [](const auto& sensor, std::string_view sought) { return sensor->spec().name < sought; });
}

}  // namespace

std::string_view name_of(sensor_kind kind) {
  switch (kind) {
    case sensor_kind::integer: return "integer";
    case sensor_kind::real: return "float";
    case sensor_kind::boolean: return "boolean";
    case sensor_kind::string: return "string";
    case sensor_kind::timestamp: return "timestamp";
    case sensor_kind::discrete: return "discrete";
  }
  return "string";
}

std::string_view name_of(sensor_status status) {
  switch (status) {
    case sensor_status::unknown: return "unknown";
    case sensor_status::nominal: return "nominal";
    case sensor_status::warn: return "warn";
    case sensor_status::error: return "error";
    case sensor_status::failure: return "failure";
    case sensor_status::unreachable: return "unreachable";
    case sensor_status::inactive: return "inactive";
  }
  return "unknown";
}

std::string text_of(const sensor_value& value) {
  struct writer {
    std::string operator()(std::int64_t integer) const { return std::to_string(integer); }
    std::string operator()(double real) const { return real_text(real); }
    std::string operator()(bool flag) const { return flag ? "1" : "0"; }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(writer{}, value);
}

double unix_time_s() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

status_rule rule_of(const thresholds& thresholds) {
  return [thresholds](const sensor_value& value) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    const double real = integer ? static_cast<double>(*integer) : std::get<double>(value);
    if (real >= thresholds.nominal_min && real <= thresholds.nominal_max) {
      return sensor_status::nominal;
    }
    const bool is_between = real > thresholds.error_min && real < thresholds.error_max;
    return is_between ? sensor_status::warn : sensor_status::error;
  };
}

sensor::sensor(sensor_spec spec) : spec_(std::move(spec)) {
  check_name(spec_.name);
  reading_ = {unix_time_s(), sensor_status::unknown, initial_value(spec_), 0};
}

reading sensor::latest() const {
  const std::lock_guard lock(mutex_);
  return reading_;
}

void sensor::check(sensor_value& value) const {
  const bool is_real = spec_.kind == sensor_kind::real || spec_.kind == sensor_kind::timestamp;
  if (const auto* integer = std::get_if<std::int64_t>(&value); integer && is_real) {
    value = static_cast<double>(*integer);
  }
  if (value.index() != initial_value(spec_).index()) {
    throw std::invalid_argument(formatted("the sensor '{}' is of type {}; '{}' is of another",
                                          spec_.name, name_of(spec_.kind), text_of(value)));
  }
  if (spec_.kind != sensor_kind::discrete) return;
  const auto& choice = std::get<std::string>(value);
  if (std::find(spec_.choices.begin(), spec_.choices.end(), choice) == spec_.choices.end()) {
    throw std::invalid_argument(formatted("the sensor '{}' is one of {}; '{}' is something else",
                                          spec_.name, joined(spec_.choices, ", "), choice));
  }
}

void sensor::set(sensor_value value, std::optional<sensor_status> status,
                 std::optional<double> timestamp_s) {
  check(value);
  if (!status) status = spec_.status_of ? spec_.status_of(value) : sensor_status::nominal;
  if (!timestamp_s) timestamp_s = unix_time_s();
  const std::lock_guard lock(mutex_);
  reading_ = {*timestamp_s, *status, std::move(value), reading_.sequence + 1};
  if (observer_) observer_(*this, reading_);
}

void sensor::set_status(sensor_status status) {
  const std::lock_guard lock(mutex_);
  reading_.status = status;
  ++reading_.sequence;
  if (observer_) observer_(*this, reading_);
}

void sensor::observe(observer_function observer) {
  const std::lock_guard lock(mutex_);
  observer_ = std::move(observer);
}

sensor& sensor_registry::add(sensor_spec spec) {
  auto added = std::make_unique<sensor>(std::move(spec));
  const std::string& name = added->spec().name;
  const auto place = place_of(sensors_, name);
  if (place != sensors_.end() && (*place)->spec().name == name) {
    throw std::invalid_argument(formatted("there is a sensor '{}' already", name));
  }
  return **sensors_.insert(place, std::move(added));
}

sensor* sensor_registry::find(std::string_view name) const {
  const auto place = place_of(sensors_, name);
  return place != sensors_.end() && (*place)->spec().name == name ? place->get() : nullptr;
}

std::vector<sensor*> sensor_registry::all() const {
  std::vector<sensor*> sensors;
  for (const auto& sensor : sensors_) sensors.push_back(sensor.get());
  return sensors;
}

}  // namespace wingbeat::control
