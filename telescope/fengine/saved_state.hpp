// SPDX-License-Identifier: Apache-2.0
// The gains and delays of an F-engine as a file keeps them, so that they come back after its end.
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

/// Returns the same delays and phases as functions of time, stated for `start_s`.
[[nodiscard]] timed_delays stated_from(double start_s, const timed_delays& delays);

struct output_state {
  std::string name = {};
  std::size_t channels = 0;
  std::vector<std::vector<std::complex<float>>> gains = {};  ///< [polarisation][channel]
  std::vector<timed_delays> delays = {};                     ///< By their starts.

  friend bool operator==(const output_state&, const output_state&) = default;
};

struct saved_state {
  std::uint64_t engine = 0;  ///< Its number in the array.
  std::vector<output_state> outputs = {};

  friend bool operator==(const saved_state&, const saved_state&) = default;
};

/// Returns it as the text of a file.
[[nodiscard]] std::string text_of(const saved_state& state);

/// Returns what the text of `file` states. Throws `file_error` in one sentence where it is damaged
/// or of another version.
[[nodiscard]] saved_state parse_state(std::string_view text, const std::string& file);

/// Returns the state of a file, none where there is no such file; throws `file_error` as above, or
/// where it cannot be read. `write_state` replaces the file as a whole: a process that is killed
/// meanwhile leaves the former one, and a temporary file, which `read_state` removes.
[[nodiscard]] std::optional<saved_state> read_state(const std::string& file);
void write_state(const std::string& file, const saved_state& state);

/// Throws `file_error` in one sentence where `state`, of `file`, is of another engine number, or of
/// other outputs, channels or polarisations than `own`.
void require_same_shape(const saved_state& state, const saved_state& own, const std::string& file);

}  // namespace wingbeat::fengine
