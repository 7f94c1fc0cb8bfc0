// SPDX-License-Identifier: Apache-2.0
// The sensors of an F-engine, with the names that correlators' control systems know.
#pragma once

#include <array>
#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <mutex>
#include <span>
#include <vector>

#include "control/engine_control.hpp"
#include "control/input_loss.hpp"
#include "control/sensor.hpp"

namespace wingbeat::control {

/// Adds the sensors to a registry and updates them. All functions may be called in any thread.
class engine_sensors {
 public:
  /// `silence_s`: after this long without input, `rx` sensors become errors.
  engine_sensors(sensor_registry& registry, std::span<const stream_info> streams,
                 std::size_t n_pols, double silence_s);

  // Outputs.
  void set_dither_seed(std::size_t stream, std::uint64_t seed);
  void set_gains(std::size_t stream, std::size_t pol, std::span<const std::complex<float>> gains);
  /// Called when a delay comes into use, from ADC sample `load` on.
  void set_delay(std::size_t stream, std::size_t pol, std::int64_t load,
                 const delay_setting& delay);
  void set_output_clips(std::size_t stream, std::size_t pol, std::int64_t n_total);
  /// Counts heaps that were withheld, and heaps of which the system refused a packet.
  void set_unsent(std::size_t stream, std::uint64_t n_skipped, std::uint64_t n_failed);

  // Inputs.
  void set_input_clips(std::size_t pol, std::int64_t n_total);
  /// Sets the input's level; `is_whole` unless samples of its window are missing.
  void set_input_level(std::size_t pol, double dbfs, bool is_whole);
  /// Returns the level that was set last; NaN before the first.
  [[nodiscard]] double input_level_dbfs(std::size_t pol) const;
  /// Called at each chunk, with the ADC time and the UNIX time of its first sample. The UNIX time
  /// is a warning unless it comes from a valid synchronisation.
  void set_received(std::size_t pol, std::int64_t adc_timestamp, double unixtime_s,
                    bool is_synchronised = true);
  /// Sets the time since samples were last received; `is_silent`: it is too long.
  void set_input_age(std::size_t pol, double age_s, bool is_silent);
  /// Sets the heaps lost so far, in the order of `input_losses`.
  void set_input_losses(std::size_t pol, std::span<const std::uint64_t, n_input_losses> n_total);
  /// Sets the time at which a chunk with missing packets ends.
  void set_missing(std::size_t pol, double unixtime_s);

  // Engine.
  void set_socket_drops(std::uint64_t n_total);
  /// Sets the bytes of the receiving sockets' buffers, as asked for and as granted by the system.
  void set_buffers(std::size_t asked_bytes, std::size_t granted_bytes);
  /// Called at each change of gains or delays; an earlier time than before changes nothing.
  void set_steady_state(std::int64_t timestamp);

  /// Looks for silence and missing data, and updates `rx.device-status` and `device-status`. Call
  /// it once a second.
  void refresh(double now_s = unix_time_s());

  /// Reads the state of the system's clock into `time.*`. Call it every 10 s.
  void refresh_clock();

 private:
  struct stream_sensors {
    sensor *dither_seed, *skipped, *failed;
    std::vector<sensor*> eq = {}, delay = {}, clips = {};  // [pol]
  };
  struct input_sensors {
    sensor *clips, *level, *timestamp, *unixtime, *age, *missing;
    std::array<sensor*, n_input_losses> losses = {};
  };

  [[nodiscard]] sensor* add(const std::string& name, const char* description, const char* units,
                            sensor_kind kind = sensor_kind::integer, status_rule rule = {});
  [[nodiscard]] sensor* add_rare(const std::string& name, const char* description,
                                 const char* units, sensor_kind kind = sensor_kind::integer,
                                 status_rule rule = {}, std::vector<std::string> choices = {});
  [[nodiscard]] sensor* add_loss(const std::string& name, const char* description,
                                 const char* units = "heaps");
  void add_stream(const stream_info& stream, std::size_t n_pols);
  void add_input(std::size_t pol);
  void add_engine();

  sensor_registry& registry_;
  double silence_s_;
  std::vector<sensor*> losses_;  ///< Counts; each is a warning for a while after it grows.
  std::vector<stream_sensors> streams_;
  std::vector<input_sensors> inputs_;  // [pol]
  sensor *buffer_asked_ = nullptr, *buffer_ = nullptr, *socket_drops_ = nullptr;
  sensor *rx_status_ = nullptr, *status_ = nullptr, *steady_state_ = nullptr;
  std::mutex steady_state_mutex_;
  sensor *clock_state_ = nullptr, *clock_synchronised_ = nullptr;
  sensor *clock_estimated_error_ = nullptr, *clock_max_error_ = nullptr;
};

}  // namespace wingbeat::control
