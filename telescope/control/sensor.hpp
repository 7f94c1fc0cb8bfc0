// SPDX-License-Identifier: Apache-2.0
// Sensors: named, typed values with a status and a time; any thread may update them.
#pragma once

#include <cstdint>  // int64_t, uint64_t
#include <functional>
#include <memory>  // unique_ptr
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace wingbeat::control {

enum class sensor_kind { integer, real, boolean, string, timestamp, discrete };
enum class sensor_status { unknown, nominal, warn, error, failure, unreachable, inactive };

/// An integer, a real number (also a UNIX time), a boolean, or a text (also of a discrete sensor).
using sensor_value = std::variant<std::int64_t, double, bool, std::string>;

/// Returns the kind's name in katcp: "integer", "float", "boolean", ...
[[nodiscard]] std::string_view name_of(sensor_kind kind);
[[nodiscard]] std::string_view name_of(sensor_status status);

/// Returns the value as katcp writes it, before escaping: "3", "0.5", "1", "text".
[[nodiscard]] std::string text_of(const sensor_value& value);

/// Returns the seconds since 1970, from the system's clock.
[[nodiscard]] double unix_time_s();

struct reading {
  double timestamp_s = 0.0;  ///< UNIX time at which the value was determined.
  sensor_status status = sensor_status::unknown;
  sensor_value value;
  std::uint64_t sequence = 0;  ///< Counts the updates of one sensor.
};

/// Returns the status of an update that states none.
using status_rule = std::function<sensor_status(const sensor_value&)>;

/// Parameters of a rule: nominal from `nominal_min` to `nominal_max`; error at or below
/// `error_min`, at or above `error_max`, and for NaN; warn otherwise.
struct thresholds {
  double nominal_min = 0.0;
  double nominal_max = 0.0;
  double error_min = 0.0;
  double error_max = 0.0;
};
[[nodiscard]] status_rule rule_of(const thresholds& thresholds);

/// The description of a sensor. `name` consists of letters, digits, '.', '-' and '_'.
struct sensor_spec {
  std::string name{};
  std::string description{};
  std::string units{};
  sensor_kind kind = sensor_kind::integer;
  std::vector<std::string> choices{};  ///< For a discrete sensor; the first is its initial value.
  status_rule status_of{};             ///< Without a rule, updates are nominal.
  /// Seconds between reports of the sampling strategy `auto`, for sensors that change fast; 0: each
  /// update is reported.
  double auto_period_s = 0.0;
};

/// One sensor. Made by `sensor_registry::add`; lives as long as the registry.
class sensor {
 public:
  using observer_function = std::function<void(const sensor&, const reading&)>;

  explicit sensor(sensor_spec spec);
  sensor(const sensor&) = delete;
  sensor& operator=(const sensor&) = delete;

  [[nodiscard]] const sensor_spec& spec() const noexcept { return spec_; }
  [[nodiscard]] reading latest() const;

  /// Updates the value, at any rate and in any thread. Without a status, the spec's rule sets it;
  /// without a time, the time is now. Throws std::invalid_argument if the value has another type
  /// than the sensor, or is not a choice of a discrete one. Real sensors also take integers.
  void set(sensor_value value, std::optional<sensor_status> status = {},
           std::optional<double> timestamp_s = {});

  /// Updates the status and keeps value and time.
  void set_status(sensor_status status);

  /// Calls `observer` at each update from now on, in the updating thread: it must neither block nor
  /// use this sensor. An empty one ends this; after return, the former is not running.
  void observe(observer_function observer);

 private:
  void check(sensor_value& value) const;

  const sensor_spec spec_;
  mutable std::mutex mutex_;
  reading reading_;
  observer_function observer_;
};

/// All sensors of a process. One thread adds sensors before servers start; then all threads may
/// read the registry.
class sensor_registry {
 public:
  /// Throws std::invalid_argument if the name is taken or malformed, or a discrete sensor has no
  /// choices.
  sensor& add(sensor_spec spec);

  /// Returns the sensor, or null.
  [[nodiscard]] sensor* find(std::string_view name) const;

  /// Returns the sensors, sorted by name.
  [[nodiscard]] std::vector<sensor*> all() const;

 private:
  std::vector<std::unique_ptr<sensor>> sensors_;  // sorted by name
};

}  // namespace wingbeat::control
