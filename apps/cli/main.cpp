// SPDX-License-Identifier: Apache-2.0
// The program `wingbeat`: runs the command named, and reports every error as one sentence and an
// exit code.
#include <CLI/CLI.hpp>

#include <algorithm>  // reverse
#include <cstdio>     // fflush, ferror, stdout
#include <new>        // bad_alloc
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.hpp"  // add_bench ..
#include "cli/compile_progress.hpp"   // compile_progress
#include "cli/configuration.hpp"      // with_configuration
#include "cli/fgpu_options.hpp"       // with_number_lists
#include "cli/files.hpp"              // require_files
#include "cli/messages.hpp"           // print_message
#include "cli/nearest_word.hpp"       // nearest_word
#include "cli/option.hpp"             // require_values
#include "cli/signals.hpp"            // remove_temporary_files_on_signals
#include "cli/streams.hpp"            // occupy_closed_streams
#include "wingbeat/error.hpp"         // plan_error, file_error
#include "wingbeat/version.hpp"       // WINGBEAT_VERSION_MAJOR

namespace {

using namespace wingbeat;
using namespace wingbeat::cli;

constexpr const char* exit_codes = R"(Examples:
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

Exit codes: 0 ok, 1 a check failed, 2 usage, 3 no such device, 4 file or network I/O.
Data goes to stdout, messages go to stderr.)";

/// Refuses a missing or unknown command with the list of commands, which CLI11 does not show, and
/// words of a command that CLI11 would misread.
void require_command(const CLI::App& program, int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first.starts_with("-")) return;
  std::vector<std::string> known;
  for (const CLI::App* const command : program.get_subcommands({})) {
    if (command->get_name() == first) return require_values(*command, {argv + 2, argv + argc});
    known.push_back(command->get_name());
  }
  if (first.empty()) {
    throw plan_error(formatted("say what to do: {}; see wingbeat --help", joined(known, ", ")));
  }
  const std::string nearest = nearest_word(first, known);
  throw plan_error(formatted("there is no command '{}'; {}choose {}", first,
                             nearest.empty() ? "" : formatted("did you mean {}? else ", nearest),
                             joined(known, ", ")));
}

/// Returns a question whether an option that the command does not have is one that it has.
std::string question_of(const CLI::App& command, int argc, char** argv) {
  std::vector<std::string> known;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string_view word : std::vector<std::string_view>{argv + 2, argv + argc}) {
    const std::string name{word.substr(0, word.find('='))};
    if (!name.starts_with("--") || command.get_option_no_throw(name) != nullptr) continue;
    const std::string nearest = nearest_word(name, known);
    return nearest.empty() ? "" : formatted("; did you mean {}?", nearest);
  }
  return "";
}

/// Returns the words as CLI11 takes them, the last one first; with those of a file for commands
/// that run for long.
std::vector<std::string> words_of(const CLI::App& program, int argc, char** argv) {
  std::vector<std::string> words{argv + 1, argv + argc};
  const bool is_simulator = !words.empty() && words.front() == "dsim";
  if (is_simulator || (!words.empty() && words.front() == "fengine")) {
    const auto stated = with_configuration(*program.get_subcommand(words.front()),
                                           with_number_lists({words.begin() + 1, words.end()}),
                                           is_simulator ? "signals" : "src");
    words.erase(words.begin() + 1, words.end());
    words.insert(words.end(), stated.begin(), stated.end());
  }
  std::reverse(words.begin(), words.end());
  return words;
}

int parse(CLI::App& program, int argc, char** argv) {
  int code = exit_ok;
  add_bench(program, code);
  add_channelise(program, code);
  add_convolve(program, code);
  add_devices(program, code);
  add_dsim(program, code);
  add_fengine(program, code);
  add_filter(program, code);
  add_match(program, code);
  add_match_merge(program, code);
  add_order(program, code);
  add_plan(program, code);
  add_receive(program, code);
  add_simulate(program, code);
  add_transform(program, code);
  add_speedtest(program, code);
  add_verify(program, code);
  require_command(program, argc, argv);
  // Once all words are read, and before the command's own work.
  program.parse_complete_callback([&] { require_files(*program.get_subcommands().front()); });
  try {
    program.parse(words_of(program, argc, argv));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return program.exit(e);  // --help and --version
    const std::string_view command = argc > 1 ? argv[1] : "";
    const bool is_known = !command.empty() && !command.starts_with("-");  // see require_command
    const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr;
    const std::string question =
        is_known && is_extra ? question_of(*program.get_subcommand(argv[1]), argc, argv) : "";
    print_message("{}{} see wingbeat {}{}--help", e.what(), question.empty() ? ";" : question,
                  is_known ? command : "", is_known ? " " : "");
    return exit_usage;
  }
  return code;
}

int parse_and_explain(CLI::App& program, int argc, char** argv) {
  try {
    return parse(program, argc, argv);
  } catch (const plan_error& e) {
    print_message("{}", e.what());
    return exit_usage;
  } catch (const file_error& e) {
    print_message("{}", e.what());
    return exit_file;
  } catch (const error& e) {  // absent_error, device_error
    print_message("{}", e.what());
    return exit_no_device;
  } catch (const std::bad_alloc&) {
    print_message(
        "this machine has too little memory for that; use fewer rows or a shorter length");
    return exit_no_device;
  } catch (const std::exception& e) {
    print_message("this should not have happened, please report it: {}", e.what());
    return exit_check_failed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  remove_temporary_files_on_signals();
  CLI::App program{"wingbeat: fast Fourier transforms on every engine of this machine", "wingbeat"};
  program.set_version_flag("--version", formatted("wingbeat {}.{}.{}", WINGBEAT_VERSION_MAJOR,
                                                  WINGBEAT_VERSION_MINOR, WINGBEAT_VERSION_PATCH));
  program.footer(exit_codes);
  program.require_subcommand(1);
  const compile_progress shown;
  const int code = parse_and_explain(program, argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  print_message("standard output cannot be written: its disk is full or its reader gone");
  return exit_file;
}
