// SPDX-License-Identifier: Apache-2.0
// Decides when a client is told of a sensor: the strategies of ?sensor-sampling, without a clock.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/sensor.hpp"

namespace wingbeat::control {

enum class strategy {
  none,               // never
  automatic,          // at each update, at most one per `auto_period_s` of the sensor
  period,             // every period, changed or not
  event,              // when value or status changes
  differential,       // when the value differs by more than a limit, or the status changes
  event_rate,         // on events, with a shortest and a longest interval
  differential_rate,  // on differences, with a shortest and a longest interval
};

/// A request's strategy and parameters, in katcp's words and order: seconds, preceded by the
/// difference for differential strategies.
class sampling {
 public:
  /// Throws std::invalid_argument, saying what is wrong for this sensor.
  sampling(const sensor_spec& sensor, std::string_view name,
           std::span<const std::string> parameters);
  sampling() = default;  ///< `none`

  [[nodiscard]] strategy kind() const noexcept { return kind_; }

  /// Returns the strategy and parameters as they were given.
  [[nodiscard]] const std::vector<std::string>& words() const noexcept { return words_; }

  [[nodiscard]] bool is_change(const reading& last, const reading& current) const;
  [[nodiscard]] double shortest_s() const noexcept { return shortest_s_; }
  [[nodiscard]] std::optional<double> longest_s() const noexcept { return longest_s_; }

 private:
  strategy kind_ = strategy::none;
  std::vector<std::string> words_{"none"};
  double difference_ = 0.0;
  double shortest_s_ = 0.0;
  std::optional<double> longest_s_;
};

/// Decides, for one client and one sensor, which readings are sent and when. Times are seconds of
/// any clock that never steps back.
class sampler {
 public:
  /// The first reading is sent by the caller, at `now_s`.
  sampler(sampling sampling, const reading& first, double now_s);

  /// Takes an update that is later than the last one sent. Returns whether to send `current` now.
  [[nodiscard]] bool update(const reading& current, double now_s);

  /// Returns when to call `expire`, if ever.
  [[nodiscard]] std::optional<double> deadline_s() const;

  /// Takes the time. Returns whether to send the sensor's latest reading now.
  [[nodiscard]] bool expire(const reading& latest, double now_s);

  [[nodiscard]] const sampling& request() const noexcept { return sampling_; }

 private:
  void sent(const reading& reading, double scheduled_s);

  sampling sampling_;
  reading last_;
  double last_s_;
  bool is_pending_ = false;  ///< A change waits until the shortest interval has passed.
};

}  // namespace wingbeat::control
