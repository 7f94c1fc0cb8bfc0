// SPDX-License-Identifier: Apache-2.0
// A command's options in a file: TOML, with the options' names as keys.
//
//     adc-sample-rate = 1712e6
//     recv-interface = ["eth0", "eth1"]     # --recv-interface=eth0,eth1
//     mask-timestamp = true                 # --mask-timestamp; false is as if it were not there
//     src = ["239.10.0.0+15:7148"]          # what has no name on the command line
//     [[wideband]]                          # --wideband=name=wide,channels=1024
//     name = "wide"
//     channels = 1024
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace wingbeat::cli {

/// The options that a file states.
struct configuration {
  struct option {
    std::string name = {};  ///< Without "--".
    std::vector<std::string> values = {};
    bool is_list = false;            ///< Given once with all values, not once for each.
    std::optional<bool> is_on = {};  ///< For true and false; such options have no values.
    std::size_t line = 0;            ///< Line of the file.
  };
  std::vector<option> options = {};  ///< Sorted by name.

  /// Returns the options as words of a command line, except those of `left_out`. The values of
  /// `positional` have no name there; throws `plan_error` if one looks like an option.
  [[nodiscard]] std::vector<std::string> words(const std::set<std::string>& left_out,
                                               std::string_view positional) const;
};

/// Returns the options in the text. Throws `file_error` that names `file` and the line at fault.
[[nodiscard]] configuration parse_configuration(std::string_view text, const std::string& file);

/// Returns the words of a command line, preceded by those of the file that --config names. Options
/// that the command line has, by any of their names, are left out of the file's; words without a
/// name add to the file's. Throws `plan_error` that names the file and the line of an option that
/// `command` does not have or that occurs by two names, of a switch with a value, and of another
/// option with true or false.
[[nodiscard]] std::vector<std::string> with_configuration(const CLI::App& command,
                                                          const std::vector<std::string>& words,
                                                          std::string_view positional);

}  // namespace wingbeat::cli
