// SPDX-License-Identifier: Apache-2.0
#include "control/engine_sensors.hpp"

#include <sys/timex.h>  // adjtimex

#include <algorithm>
#include <limits>
#include <utility>

#include "control/complex_text.hpp"  // complex_text, real_text
#include "text/formatted.hpp"

namespace wingbeat::control {
namespace {

constexpr double update_period_s = 1.0;  // of sensors that change with each chunk

const std::vector<std::string> device_states{"ok", "degraded", "fail"};

sensor_status status_of_state(const sensor_value& state) {
  const auto& text = std::get<std::string>(state);
  if (text == device_states[0]) return sensor_status::nominal;
  return text == device_states[1] ? sensor_status::warn : sensor_status::error;
}

std::string state_of(sensor_status worst) {
  if (worst <= sensor_status::nominal) return device_states[0];
  return device_states[worst == sensor_status::warn ? 1 : 2];
}

sensor_status true_is_nominal(const sensor_value& value) {
  return std::get<bool>(value) ? sensor_status::nominal : sensor_status::error;
}

const std::vector<std::string> clock_states{"ok", "insert", "delete", "oop", "wait", "error"};

/// Updates a sensor, but without a report if nothing has changed.
void set_changed(sensor& sensor, const sensor_value& value) {
  const reading last = sensor.latest();
  if (last.status == sensor_status::unknown || last.value != value) sensor.set(value);
}

/// Updates a count that has grown: with a warning, until `refresh` finds that it grows no more.
void count_losses(sensor& sensor, std::uint64_t n_total) {
  const auto count = static_cast<std::int64_t>(n_total);
  if (sensor.latest().value != sensor_value{count}) sensor.set(count, sensor_status::warn);
}

bool is_older(const sensor& sensor, double time_s) {
  return sensor.latest().timestamp_s < time_s;
}

void change_status(sensor& sensor, sensor_status status) {
  if (sensor.latest().status != status) sensor.set_status(status);
}

}  // namespace

engine_sensors::engine_sensors(sensor_registry& registry, std::span<const stream_info> streams,
                               std::size_t n_pols, double silence_s)
    : registry_(registry), silence_s_(silence_s) {
  for (const stream_info& stream : streams) add_stream(stream, n_pols);
  for (std::size_t pol = 0; pol < n_pols; ++pol) add_input(pol);
  add_engine();
}

/// Adds a sensor that changes with each chunk.
sensor* engine_sensors::add(const std::string& name, const char* description, const char* units,
                            sensor_kind kind, status_rule rule) {
  return &registry_.add({.name = name,
                         .description = description,
                         .units = units,
                         .kind = kind,
                         .status_of = std::move(rule),
                         .auto_period_s = update_period_s});
}

/// Adds a sensor whose every change is reported.
sensor* engine_sensors::add_rare(const std::string& name, const char* description,
                                 const char* units, sensor_kind kind, status_rule rule,
                                 std::vector<std::string> choices) {
  return &registry_.add({.name = name,
                         .description = description,
                         .units = units,
                         .kind = kind,
                         .choices = std::move(choices),
                         .status_of = std::move(rule)});
}

sensor* engine_sensors::add_loss(const std::string& name, const char* description,
                                 const char* units) {
  losses_.push_back(add(name, description, units));
  losses_.back()->set(0);
  return losses_.back();
}

void engine_sensors::add_stream(const stream_info& stream, std::size_t n_pols) {
  stream_sensors sensors{
      .dither_seed = add_rare(stream.name + ".dither-seed", "Seed of the dither's random numbers",
                              "", sensor_kind::string),
      .skipped =
          add_loss(stream.name + ".tx.skipped-cnt", "Heaps withheld as their input was missing"),
      .failed =
          add_loss(stream.name + ".tx.failed-cnt", "Heaps of which the system refused a packet")};
  for (std::size_t pol = 0; pol < n_pols; ++pol) {
    const std::string prefix = formatted("{}.input{}.", stream.name, pol);
    sensors.eq.push_back(add_rare(prefix + "eq", "Gains: one for all channels, or one each", "",
                                  sensor_kind::string));
    sensors.delay.push_back(add_rare(prefix + "delay",
                                     "Delay in use: first ADC sample, delay (s), delay rate (s/s), "
                                     "phase (rad), phase rate (rad/s)",
                                     "", sensor_kind::string));
    sensors.clips.push_back(
        add(prefix + "feng-clip-cnt", "Output samples that were clipped", "samples"));
  }
  streams_.push_back(std::move(sensors));
}

void engine_sensors::add_input(std::size_t pol) {
  const std::string prefix = formatted("input{}.", pol);
  input_sensors sensors{
      .clips = add(prefix + "dig-clip-cnt", "Digitiser samples that were clipped", "samples"),
      .level = add(prefix + "dig-rms-dbfs", "Level of the digitiser samples", "dBFS",
                   sensor_kind::real, rule_of({-30.0, -10.0, -33.0, -7.0})),
      .timestamp = add(prefix + "rx.timestamp", "ADC time of the last chunk received", "samples"),
      .unixtime = add(prefix + "rx.unixtime", "UNIX time of the last chunk received", "s",
                      sensor_kind::timestamp),
      .age = add(prefix + "rx.age", "Time since samples were received last, or since the start",
                 "s", sensor_kind::real),
      .missing =
          add(prefix + "rx.missing-unixtime", "UNIX time of the last chunk with missing data", "s",
              sensor_kind::timestamp, [](const sensor_value&) { return sensor_status::error; })};
  for (std::size_t i = 0; i < n_input_losses; ++i) {
    const input_loss& loss = input_losses[i];
    sensors.losses[i] = add_loss(prefix + "rx." + loss.sensor, loss.description);
  }
  inputs_.push_back(sensors);
}

void engine_sensors::add_engine() {
  buffer_asked_ = add_rare("rx.buffer-asked", "Socket buffers that were asked for", "bytes");
  buffer_ = add_rare("rx.buffer", "Socket buffers that the system granted", "bytes");
  socket_drops_ = add_loss("rx.socket-drop-cnt",
                           "Messages that the system dropped, as a socket was full", "messages");
  rx_status_ = add_rare("rx.device-status", "Whether data arrive, and none are missing", "",
                        sensor_kind::discrete, status_of_state, device_states);
  status_ = add_rare("device-status", "The worst of all sensors", "", sensor_kind::discrete,
                     status_of_state, device_states);
  steady_state_ = add_rare("steady-state-timestamp",
                           "All output from this ADC time on has the gains and delays that were "
                           "set last",
                           "samples");
  const auto state_rule = [](const sensor_value& state) {
    return std::get<std::string>(state) == "error" ? sensor_status::error : sensor_status::nominal;
  };
  clock_state_ = add_rare("time.state", "State of the system's clock", "", sensor_kind::discrete,
                          state_rule, clock_states);
  clock_synchronised_ = add_rare("time.synchronised", "Whether the system's clock is synchronised",
                                 "", sensor_kind::boolean, true_is_nominal);
  constexpr double none = -std::numeric_limits<double>::infinity();
  clock_estimated_error_ = add_rare("time.esterror", "Estimated error of the system's clock", "s",
                                    sensor_kind::real, rule_of({none, 1e-3, none, 5e-3}));
  clock_max_error_ = add_rare("time.maxerror", "Largest error of the system's clock", "s",
                              sensor_kind::real, rule_of({none, 1e-2, none, 1e-1}));
}

void engine_sensors::set_dither_seed(std::size_t stream, std::uint64_t seed) {
  // A string, because a seed may exceed the integers of other programs.
  streams_[stream].dither_seed->set(std::to_string(seed));
}

void engine_sensors::set_gains(std::size_t stream, std::size_t pol,
                               std::span<const std::complex<float>> gains) {
  const bool is_uniform =
      std::all_of(gains.begin(), gains.end(), [&](auto gain) { return gain == gains[0]; });
  std::vector<std::string> texts;
  for (const std::complex<float> gain :
       gains.first(is_uniform && !gains.empty() ? 1 : gains.size())) {
    texts.push_back(complex_text(gain));
  }
  streams_[stream].eq[pol]->set("[" + joined(texts, ", ") + "]");
}

void engine_sensors::set_delay(std::size_t stream, std::size_t pol, std::int64_t load,
                               const delay_setting& delay) {
  streams_[stream].delay[pol]->set(
      formatted("({}, {}, {}, {}, {})", load, real_text(delay.delay_s), real_text(delay.delay_rate),
                real_text(delay.phase_rad), real_text(delay.phase_rate_rad_per_s)));
}

void engine_sensors::set_output_clips(std::size_t stream, std::size_t pol, std::int64_t n_total) {
  streams_[stream].clips[pol]->set(n_total);
}

void engine_sensors::set_unsent(std::size_t stream, std::uint64_t n_skipped,
                                std::uint64_t n_failed) {
  count_losses(*streams_[stream].skipped, n_skipped);
  count_losses(*streams_[stream].failed, n_failed);
}

void engine_sensors::set_input_losses(std::size_t pol,
                                      std::span<const std::uint64_t, n_input_losses> n_total) {
  for (std::size_t i = 0; i < n_input_losses; ++i)
    count_losses(*inputs_[pol].losses[i], n_total[i]);
}

void engine_sensors::set_socket_drops(std::uint64_t n_total) {
  count_losses(*socket_drops_, n_total);
}

void engine_sensors::set_input_clips(std::size_t pol, std::int64_t n_total) {
  inputs_[pol].clips->set(n_total);
}

void engine_sensors::set_input_level(std::size_t pol, double dbfs, bool is_whole) {
  inputs_[pol].level->set(dbfs, is_whole ? std::nullopt : std::optional(sensor_status::failure));
}

double engine_sensors::input_level_dbfs(std::size_t pol) const {
  const reading latest = inputs_[pol].level->latest();
  return latest.status == sensor_status::unknown ? std::numeric_limits<double>::quiet_NaN()
                                                 : std::get<double>(latest.value);
}

void engine_sensors::set_received(std::size_t pol, std::int64_t adc_timestamp, double unixtime_s,
                                  bool is_synchronised) {
  inputs_[pol].timestamp->set(adc_timestamp);
  inputs_[pol].unixtime->set(unixtime_s,
                             is_synchronised ? std::nullopt : std::optional(sensor_status::warn));
}

void engine_sensors::set_input_age(std::size_t pol, double age_s, bool is_silent) {
  inputs_[pol].age->set(age_s, is_silent ? sensor_status::error : sensor_status::nominal);
}

void engine_sensors::set_missing(std::size_t pol, double unixtime_s) {
  inputs_[pol].missing->set(unixtime_s);
}

void engine_sensors::set_buffers(std::size_t asked_bytes, std::size_t granted_bytes) {
  buffer_asked_->set(static_cast<std::int64_t>(asked_bytes));
  buffer_->set(static_cast<std::int64_t>(granted_bytes),
               granted_bytes < asked_bytes ? sensor_status::warn : sensor_status::nominal);
}

void engine_sensors::set_steady_state(std::int64_t timestamp) {
  const std::lock_guard lock{steady_state_mutex_};
  const auto before = std::get<std::int64_t>(steady_state_->latest().value);
  steady_state_->set(std::max(before, timestamp));
}

void engine_sensors::refresh(double now_s) {
  sensor_status worst_rx = sensor_status::unknown;
  for (const input_sensors& input : inputs_) {
    if (is_older(*input.timestamp, now_s - silence_s_)) {
      change_status(*input.timestamp, sensor_status::error);
      change_status(*input.unixtime, sensor_status::error);
    }
    const bool has_missed = input.missing->latest().status != sensor_status::unknown;
    if (has_missed && is_older(*input.missing, now_s - silence_s_)) {
      change_status(*input.missing, sensor_status::nominal);
    }
    worst_rx = std::max({worst_rx, input.timestamp->latest().status, input.age->latest().status});
    // Missing data degrades the input; silence stops it.
    if (input.missing->latest().status == sensor_status::error) {
      worst_rx = std::max(worst_rx, sensor_status::warn);
    }
  }
  set_changed(*rx_status_, state_of(worst_rx));
  for (sensor* const loss : losses_) {
    if (is_older(*loss, now_s - silence_s_)) change_status(*loss, sensor_status::nominal);
  }

  sensor_status worst = sensor_status::unknown;
  for (const sensor* sensor : registry_.all()) {
    if (sensor != status_) worst = std::max(worst, sensor->latest().status);
  }
  set_changed(*status_, state_of(worst));
}

void engine_sensors::refresh_clock() {
  timex clock{};
  const int state = ::adjtimex(&clock);
  if (state < 0) {
    for (sensor* sensor :
         {clock_state_, clock_synchronised_, clock_estimated_error_, clock_max_error_}) {
      change_status(*sensor, sensor_status::failure);
    }
    return;
  }
  const auto place =
      std::min<std::size_t>(static_cast<std::size_t>(state), clock_states.size() - 1);
  clock_state_->set(clock_states[place]);
  clock_synchronised_->set((clock.status & STA_UNSYNC) == 0);
  clock_estimated_error_->set(static_cast<double>(clock.esterror) * 1e-6);
  clock_max_error_->set(static_cast<double>(clock.maxerror) * 1e-6);
}

}  // namespace wingbeat::control
