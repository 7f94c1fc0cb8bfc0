// SPDX-License-Identifier: Apache-2.0
// The interface of an engine to the monitoring page, and the values that the page shows.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <optional>
#include <string>
#include <vector>

namespace wingbeat::control {

/// The latest spectrum of one polarisation of one output.
struct monitored_spectrum {
  std::string stream;
  std::size_t pol = 0;
  std::uint64_t sequence = 0;  ///< Grows with each spectrum; the page draws a row for each.
  double first_hz = 0.0;       ///< Frequency of the first channel.
  double step_hz = 0.0;        ///< Distance between channels, or between groups of them.
  /// At most a few thousand values: average channels if there are more. In hundredths, because
  /// further digits are noise that each browser would fetch twice a second.
  std::vector<double> power_db{};
  std::string units = "dB";    ///< "dBFS" if the numbers have a full scale.
  double age_s = 0.0;          ///< Time since it was measured.
  double stale_after_s = 1.0;  ///< At this age, another spectrum should have followed.
};

/// A number with its label, such as {"received, pol 0", 34.2, "Gb/s"}.
struct monitored_figure {
  std::string label;
  double value = 0.0;
  std::string units{};
};

/// A level and the number of clipped samples, of an input or of an output.
struct monitored_level {
  std::string label;
  double level_db = 0.0;  ///< Not finite if it is unknown.
  std::string units{};    ///< "dBFS" or "dB"
  double clipped = 0.0;   ///< Samples since the start.
};

/// The smallest and largest gain magnitude of a polarisation of an output.
struct monitored_gain {
  std::string stream;
  std::size_t pol = 0;
  double least = 0.0;
  double greatest = 0.0;
};

/// A row of the table of delays.
struct monitored_delay {
  std::string stream;
  std::size_t pol = 0;
  double delay_s = 0.0;
  double delay_rate = 0.0;
  double phase_rad = 0.0;
  double phase_rate_rad_per_s = 0.0;
};

struct monitor_snapshot {
  std::string title{};
  /// Time since samples were last received, for the polarisation that waits longest. Empty for
  /// files.
  std::optional<double> data_age_s{};
  double silent_after_s = 1.0;  ///< A greater age is an alarm.
  std::vector<monitored_spectrum> spectra{};
  std::vector<monitored_figure> rates{};
  std::vector<monitored_figure> losses{};  ///< Shown in red if they are not 0.
  std::vector<monitored_figure> states{};  ///< Temperatures, queues, memory.
  std::vector<monitored_level> levels{};
  std::vector<monitored_gain> gains{};
  std::vector<monitored_delay> delays{};
};

/// An engine that the page monitors.
class engine_monitor {
 public:
  virtual ~engine_monitor() = default;

  /// Returns a copy of the latest values. Called from several threads at once.
  [[nodiscard]] virtual monitor_snapshot snapshot() const = 0;
};

}  // namespace wingbeat::control
