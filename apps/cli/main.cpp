// SPDX-License-Identifier: Apache-2.0
// The program `wingbeat`.
#include <unistd.h>  // execv

#include <CLI/CLI.hpp>

#include <algorithm>  // none_of
#include <cerrno>     // program_invocation_name
#include <cstring>    // strerror
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"   // add_bench ..
#include "cli/program.hpp"             // run_program
#include "cli/program_path.hpp"        // program_path
#include "cli/telescope_commands.hpp"  // telescope_commands
#include "text/formatted.hpp"          // formatted
#include "wingbeat/error.hpp"          // device_error

namespace {

using namespace wingbeat;
using namespace wingbeat::cli;

constexpr const char* footer = R"(Examples:
  wingbeat devices
  wingbeat transform recording.wav --top 5 --plot spectrum.png
  wingbeat speedtest --max-log2 16 --plot speed
  wingbeat match image.mrc template.mrc --top 5 --picture found.png
  wingbeat convolve photo.png blur.npy --mode same --border mirror --output soft.png
  wingbeat filter recording.wav lowpass.txt --mode same --output quiet.wav
  wingbeat channelise pol0.raw pol1.raw --adc-rate 1712e6 --output spectra.npy
  wingbeat fengine --config fengine.toml
  wingbeat verify
  wingbeat COMMAND --help       options and worked examples of one command

Exit codes: 0 ok, 1 a check failed, 2 usage, 3 no such device, 4 file or network I/O,
5 too little memory.
Data goes to stdout, messages go to stderr.)";

void add_commands(CLI::App& program, int& code) {
  for (const auto add : {add_bench, add_channelise, add_convolve, add_devices, add_filter,
                         add_match, add_match_merge, add_match_volume, add_order, add_plan,
                         add_simulate, add_transform, add_speedtest, add_verify}) {
    add(program, code);
  }
  for (const auto& [name, about] : telescope_commands) program.add_subcommand(name, about);
}

/// Replaces this process by the telescope's program, with the same words, for its commands.
std::vector<std::string> run_telescope(const CLI::App&, std::vector<std::string> words) {
  const auto is_named = [&](const telescope_command& each) {
    return !words.empty() && words.front() == each.name;
  };
  if (std::ranges::none_of(telescope_commands, is_named)) return words;
  const std::string path =
      program_path("wingbeat-telescope",
                   formatted("{} is a command of wingbeat-telescope, which", words.front()),
                   "install that package, or build it here with WINGBEAT_CONTROL=ON on Linux");
  std::vector<char*> arguments{::program_invocation_name};  // as it was started
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(path.c_str(), arguments.data());
  throw device_error(formatted("{} cannot be run: {}", path, std::strerror(errno)));
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({"wingbeat: fast Fourier transforms on every engine of this machine", footer,
                      add_commands, run_telescope},
                     argc, argv);
}
