// SPDX-License-Identifier: Apache-2.0
// The gains and delays of an F-engine in a file, so that they are restored after its end.
//
//     {"schema": "wingbeat.fengine.state/1", "checksum": "..",
//      "state": {"engine": 0, "outputs": [
//        {"name": "wide", "channels": 1024,
//         "gains": [[[1.0, 0.0]], [[re, im], ..]],            per polarisation one, or one each
//         "delays": [{"start_s": 1700000000.0, "polarisations": [[s, s/s, rad, rad/s], ..]}]}]}}
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/engine_control.hpp"  // delay_setting

namespace wingbeat::fengine {

/// Delays of all polarisations from a UNIX time on.
struct timed_delays {
  double start_s = 0;
  std::vector<control::delay_setting> settings = {};  ///< [polarisation]

  friend bool operator==(const timed_delays&, const timed_delays&) = default;
};

/// Returns the same delays and phases as functions of time, restated for `start_s`.
[[nodiscard]] timed_delays stated_from(double start_s, const timed_delays& delays);

struct output_state {
  std::string name = {};
  std::size_t channels = 0;
  std::vector<std::vector<std::complex<float>>> gains = {};  ///< [polarisation][channel]
  std::vector<timed_delays> delays = {};                     ///< Sorted by start.

  friend bool operator==(const output_state&, const output_state&) = default;
};

struct saved_state {
  std::uint64_t engine = 0;  ///< Its number in the array.
  std::vector<output_state> outputs = {};

  friend bool operator==(const saved_state&, const saved_state&) = default;
};

/// Returns the state as the text of a file.
[[nodiscard]] std::string text_of(const saved_state& state);

/// Returns the state in the text of `file`. Throws `file_error` in one sentence if it is damaged or
/// of another version.
[[nodiscard]] saved_state parse_state(std::string_view text, const std::string& file);

/// Returns the state of a file; none if there is no such file. Throws `file_error` as above, or if
/// the file cannot be read. `write_state` replaces the file as a whole: a process that is killed
/// meanwhile leaves the former file, and a temporary one, which `read_state` removes.
[[nodiscard]] std::optional<saved_state> read_state(const std::string& file);
void write_state(const std::string& file, const saved_state& state);

/// Throws `file_error` in one sentence if `state`, read from `file`, has another engine number, or
/// other outputs, channels or polarisations than `own`.
void require_same_shape(const saved_state& state, const saved_state& own, const std::string& file);

}  // namespace wingbeat::fengine
