// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>  // reverse
#include <cstdio>     // fflush, ferror, stdout
#include <new>        // bad_alloc
#include <string_view>

#include "cli/compile_progress.hpp"  // compile_progress
#include "cli/files.hpp"             // require_files
#include "cli/messages.hpp"          // print_message, code_of
#include "cli/nearest_word.hpp"      // nearest_word
#include "cli/option.hpp"            // require_values
#include "cli/signals.hpp"           // remove_temporary_files_on_signals
#include "cli/streams.hpp"           // occupy_closed_streams
#include "text/reject.hpp"           // reject
#include "wingbeat/error.hpp"        // plan_error
#include "wingbeat/version.hpp"      // WINGBEAT_VERSION_MAJOR

namespace wingbeat::cli {
namespace {

/// Refuses a missing or unknown command with the list of commands, which CLI11 does not show; and
/// words of a command that CLI11 would misread.
void require_command(const CLI::App& program, int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first.starts_with("-")) return;
  std::vector<std::string> known;
  for (const CLI::App* const command : program.get_subcommands({})) {
    if (command->get_name() == first) return require_values(*command, {argv + 2, argv + argc});
    known.push_back(command->get_name());
  }
  reject_if(first.empty(), "say what to do: {}; see wingbeat --help", joined(known, ", "));
  const std::string nearest = nearest_word(first, known);
  reject("there is no command '{}'; {}choose {}", first,
         nearest.empty() ? "" : formatted("did you mean {}? else ", nearest), joined(known, ", "));
}

/// Returns a question that suggests an existing option for an unknown one.
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

int parse(CLI::App& program, const program_commands& commands, int argc, char** argv) {
  int code = exit_ok;
  commands.add(program, code);
  require_command(program, argc, argv);
  // After all words are read, before the command's own work.
  program.parse_complete_callback([&] { require_files(*program.get_subcommands().front()); });
  try {
    std::vector<std::string> words{argv + 1, argv + argc};
    if (commands.words) words = commands.words(program, words);
    std::reverse(words.begin(), words.end());  // CLI11 takes them reversed
    program.parse(words);
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

int parse_and_explain(CLI::App& program, const program_commands& commands, int argc, char** argv) {
  try {
    return parse(program, commands, argc, argv);
  } catch (const error& e) {
    print_message("{}", e.what());
    return code_of(e);
  } catch (const std::bad_alloc&) {
    print_message(
        "this machine has too little memory for that; use fewer rows or a shorter length");
    return exit_memory;
  } catch (const std::exception& e) {
    print_message("this should not have happened, please report it: {}", e.what());
    return exit_check_failed;
  }
}

}  // namespace

int run_program(const program_commands& commands, int argc, char** argv) {
  occupy_closed_streams();
  remove_temporary_files_on_signals();
  CLI::App program{commands.about, "wingbeat"};
  program.set_version_flag("--version", formatted("wingbeat {}.{}.{}", WINGBEAT_VERSION_MAJOR,
                                                  WINGBEAT_VERSION_MINOR, WINGBEAT_VERSION_PATCH));
  program.footer(commands.footer);
  program.require_subcommand(1);
  const compile_progress shown;
  const int code = parse_and_explain(program, commands, argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  print_message("standard output cannot be written: its disk is full or its reader gone");
  return exit_file;
}

}  // namespace wingbeat::cli
