// SPDX-License-Identifier: Apache-2.0
// The options of all commands, as the help texts list them.
#pragma once

#include <fmt/format.h>

#include <regex>
#include <sstream>  // istringstream
#include <string>
#include <vector>

#include "cli/program.hpp"  // workplace

namespace wingbeat::test {

/// An option or a positional as a help text states it:
///
///     --batch COUNT=1 REQUIRED    transforms ... (from 1 to 2^55)
struct listed_option {
  std::string command, name;
  std::string type;   ///< Empty: a switch.
  std::string least;  ///< Of a number: where its range begins and ends.
  std::string most;
  bool excludes_least = false;
  bool is_positional = false, is_required = false;
  std::string about = {};
};

/// Returns "268435456" for "2^28", and other words as they are.
inline std::string digits_of(const std::string& word) {
  if (!word.starts_with("2^")) return word;
  return fmt::format("{}", std::size_t{1} << std::stoul(word.substr(2)));
}

/// Returns the names of the commands that `wingbeat --help` lists.
inline std::vector<std::string> commands_of(const std::string& help) {
  std::vector<std::string> names;
  const std::string listed = help.substr(help.find("Subcommands:\n"));
  const std::regex line{"\n  ([a-z-]+) "};
  for (std::sregex_iterator found{listed.begin(), listed.end(), line}, end; found != end; ++found) {
    names.push_back((*found)[1]);
  }
  return names;
}

/// Returns the positionals and the options that `wingbeat COMMAND --help` lists, but for --help.
inline std::vector<listed_option> listed_options(const std::string& command,
                                                 const std::string& help) {
  const std::regex form{
      "^  (?:-[a-z],)?(--[a-z0-9-]+|[A-Z]+)[^ ]*(?: ([A-Z][A-Z:]+)[^ ]*)?( \\.\\.\\.)?"
      "( REQUIRED)?( .*)"};
  const std::regex range{"\\((from|above) ([-0-9^.e+]+) (?:and up )?to ([0-9^.e+]+)\\)$"};
  const std::regex wrapped{"\n {20,}"};  // what an option is, below a long name
  std::istringstream lines{std::regex_replace(help, wrapped, " ")};
  std::vector<listed_option> result;
  for (std::string line; std::getline(lines, line) && line != "Examples:";) {
    std::smatch found, limits;
    if (!std::regex_match(line, found, form) || found[1] == "--help") continue;
    listed_option option{command, found[1], found[2], {}, {}};
    option.is_positional = !option.name.starts_with("-");
    option.is_required = found[4].matched;
    option.about = found[5];
    if (std::regex_search(line, limits, range)) {
      option.excludes_least = limits[1] == "above";
      option.least = digits_of(limits[2]);
      option.most = digits_of(limits[3]);
    }
    result.push_back(option);
  }
  return result;
}

/// Returns those of all commands.
inline std::vector<listed_option> listed_options(const workplace& place) {
  std::vector<listed_option> result;
  for (const std::string& command : commands_of(place.run({"--help"}).out)) {
    for (auto& each : listed_options(command, place.run({command, "--help"}).out)) {
      result.push_back(std::move(each));
    }
  }
  return result;
}

}  // namespace wingbeat::test
