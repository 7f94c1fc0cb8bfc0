// SPDX-License-Identifier: Apache-2.0
// The interface of an F-engine to requests.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wingbeat::control {

/// One output of the engine.
struct stream_info {
  std::string name;
  std::size_t n_channels = 0;
};

/// Delay and phase of one polarisation from a start time on, with their rates.
struct delay_setting {
  double delay_s = 0.0;
  double delay_rate = 0.0;  ///< In seconds per second; below 1 in magnitude.
  double phase_rad = 0.0;
  double phase_rate_rad_per_s = 0.0;

  friend bool operator==(const delay_setting&, const delay_setting&) = default;
};

/// An engine under control. All functions are called in the server's thread, with checked
/// arguments: they copy them for the pipeline, and neither wait nor throw. The setters return the
/// steady-state timestamp: all output with this timestamp or a later one has the change.
class engine_control {
 public:
  virtual ~engine_control() = default;

  /// Return values that do not change while the engine runs.
  [[nodiscard]] virtual std::span<const stream_info> streams() const = 0;
  [[nodiscard]] virtual std::size_t n_pols() const = 0;
  [[nodiscard]] virtual double sync_time_s() const = 0;  ///< UNIX time of sample 0
  [[nodiscard]] virtual std::complex<float> default_gain(std::size_t stream) const = 0;

  /// Returns a gain per channel.
  [[nodiscard]] virtual std::vector<std::complex<float>> gains(std::size_t stream,
                                                               std::size_t pol) const = 0;

  /// Sets a gain per channel; without `pol`, in all polarisations at once.
  virtual std::int64_t set_gains(std::size_t stream, std::optional<std::size_t> pol,
                                 std::span<const std::complex<float>> gains) = 0;

  /// Sets one delay per polarisation, from a UNIX time on that is not before `sync_time_s`.
  virtual std::int64_t set_delays(std::size_t stream, double start_s,
                                  std::span<const delay_setting> delays) = 0;
};

}  // namespace wingbeat::control
