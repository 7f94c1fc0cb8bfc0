// SPDX-License-Identifier: Apache-2.0
// Options of all commands: decimal numbers within a range, texts that are not empty.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <initializer_list>
#include <memory>  // make_shared
#include <optional>
#include <string>
#include <string_view>
#include <utility>  // pair
#include <vector>

#include "text/formatted.hpp"  // formatted
#include "text/listed.hpp"     // listed

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace wingbeat::cli {

/// The whole numbers that an option takes.
struct count_range {
  std::size_t least = 1, most = 1;
};

/// The numbers that an option takes.
struct real_range {
  double least = 0, most = 1;
  bool excludes_least = false;
};

/// Returns "2^28" for a power of two from 2^10 on, otherwise the digits.
[[nodiscard]] std::string count_text(std::size_t count);

/// Returns the largest exponent of a length: the n of max_length = 2^n.
[[nodiscard]] unsigned max_length_log2() noexcept;

/// Return the number of an option. Throw `plan_error` with the option, its value and its range for
/// any other text.
[[nodiscard]] std::size_t count_of(const std::string& option, std::string_view text,
                                   count_range range);
[[nodiscard]] double real_of(const std::string& option, std::string_view text, real_range range);

/// Words and the values that they name.
template <class Value>
using choices = std::vector<std::pair<std::string_view, Value>>;

/// Returns the choices whose words are the `name_of` values.
template <class Value>
choices<Value> named_choices(std::initializer_list<Value> values) {
  choices<Value> known;
  for (const Value& value : values) known.emplace_back(name_of(value), value);
  return known;
}

/// Returns "full, same or valid".
template <class Value>
std::string text_of(const choices<Value>& known) {
  std::vector<std::string_view> words;
  for (const auto& [word, value] : known) words.push_back(word);
  return listed(words);
}

/// Throws `plan_error` for an unknown word.
[[noreturn]] void refuse_choice(const std::string& option, std::string_view word,
                                const std::string& listed);

/// Returns the word for a value; empty if there is none.
template <class Value, class Wanted>
std::string_view word_of(const choices<Value>& known, const Wanted& wanted) {
  for (const auto& [word, value] : known) {
    if (wanted == value) return word;
  }
  return {};
}

/// Returns the value of a word. Throws `plan_error` with the list of words for an unknown one.
template <class Value>
Value choice_of(const std::string& option, std::string_view word, const choices<Value>& known) {
  for (const auto& [name, value] : known) {
    if (word == name) return value;
  }
  refuse_choice(option, word, text_of(known));
}

/// Returns the parts of a comma list. Throws `plan_error` for an empty part.
[[nodiscard]] std::vector<std::string> parts_of(const std::string& option, std::string_view list);

/// Adds an option of type `type` whose text is passed to `take`; later functions call it.
CLI::Option* add_option(CLI::App& command, const std::string& names, const char* type,
                        const std::string& about, const std::string& default_text,
                        std::function<void(const std::string&)> take);

/// The help text of a command.
struct command_text {
  const char *name, *about;
  std::string footer;
};

/// Adds a command that runs `run`; the next function calls it.
CLI::App& add_command(CLI::App& program, const command_text& text, std::function<void()> run);

/// Adds a command: `add` adds its options, which end in an `Options`, and `run` returns the exit
/// code.
template <class Options, class Run, class... Add>
void add_command(CLI::App& program, int& exit_code, const command_text& text, Run run, Add... add) {
  const auto chosen = std::make_shared<Options>();
  CLI::App& command =
      add_command(program, text, [chosen, run, &exit_code] { exit_code = run(*chosen); });
  (add(command, *chosen), ...);
}

/// Returns `about`, then the range in brackets.
[[nodiscard]] std::string help_text(const std::string& about, count_range range);
[[nodiscard]] std::string help_text(const std::string& about, real_range range);

/// Returns a default as help shows it; empty for an unset std::optional.
template <class Target>
std::string default_text(const Target& target) {
  if constexpr (requires { target.has_value(); }) {
    return target ? default_text(*target) : "";
  } else {
    return formatted("{}", target);
  }
}

/// Adds an option with a whole number, stored in a number or a std::optional.
template <class Target>
CLI::Option* add_count(CLI::App& command, const std::string& names, Target& target,
                       count_range range, const std::string& about) {
  return add_option(command, names, "COUNT", help_text(about, range), default_text(target),
                    [&target, names, range](const std::string& text) {
                      target = static_cast<Target>(count_of(names, text, range));
                    });
}

/// Adds an option with a number such as 0.5 or 1e3, stored in a double or a std::optional.
template <class Target>
CLI::Option* add_real(CLI::App& command, const std::string& names, Target& target, real_range range,
                      const std::string& about) {
  return add_option(
      command, names, "NUMBER", help_text(about, range), default_text(target),
      [&target, names, range](const std::string& text) { target = real_of(names, text, range); });
}

/// Returns the lengths of a list --lengths, ascending and each once. Throws `plan_error` for other
/// words.
[[nodiscard]] std::vector<std::size_t> listed_lengths(const std::vector<std::string>& words);

/// Adds --lengths to a command with --min-log2 and --max-log2, which it excludes.
void add_listed_lengths(CLI::App& command, std::vector<std::string>& target);

/// Adds an option with a text, which is neither empty nor like an option's name.
CLI::Option* add_text(CLI::App& command, const std::string& names, std::string& target,
                      const std::string& about);

/// Adds an option whose text is passed to `take`.
CLI::Option* add_text(CLI::App& command, const std::string& names, const std::string& about,
                      const std::string& default_text,
                      std::function<void(const std::string&)> take);

/// Adds an option with one of these words, which help lists after `about`. An unset
/// std::optional<Value> has no default.
template <class Value, class To>
CLI::Option* add_choice(CLI::App& command, const std::string& names, To& target,
                        const choices<Value>& known, const std::string& about = "") {
  return add_text(
      command, names, about + text_of(known), std::string{word_of(known, target)},
      [&target, names, known](const std::string& text) { target = choice_of(names, text, known); });
}

/// Adds a positional with one or several texts, each as in `add_text`.
CLI::Option* add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                       const std::string& about);

/// How a command uses the files of an option.
enum class file_use {
  input,
  output,
  outputs,   ///< Outputs in a comma list.
  state,     ///< Read at the start, and replaced later.
  programs,  ///< A comma list of names, some of programs to run.
};

/// A use of files, as the option's type in help. `require_files` (files.hpp) reads from it which
/// files must differ.
struct file_type {
  file_use use;
  const char* name;
  bool is_read, is_written;
  bool is_list = false;  ///< Names separated by commas.
};

/// Returns the use of files for an option's type in help; null for other types.
[[nodiscard]] const file_type* file_type_of(std::string_view type_name);

/// Adds an option or a positional with the name of a file; "-" is only allowed for an input, stdin.
CLI::Option* add_file(CLI::App& command, file_use use, const std::string& names,
                      std::string& target, const std::string& about);

/// Adds an option with the name of an output; "-" is stdout.
CLI::Option* add_file_or_stdout(CLI::App& command, const std::string& names, std::string& target,
                                const std::string& about);

/// Adds a positional with one or several inputs.
CLI::Option* add_inputs(CLI::App& command, const std::string& name,
                        std::vector<std::string>& target, const std::string& about);

/// Adds an option with a comma list of outputs.
CLI::Option* add_outputs(CLI::App& command, const std::string& names,
                         std::vector<std::string>& target, const std::string& about);

/// Adds an option with a comma list; it may be repeated.
CLI::Option* add_list(CLI::App& command, const std::string& names, std::vector<std::string>& target,
                      const std::string& about);

/// Adds an option with a comma list of "key=value"; it may be repeated.
CLI::Option* add_each(CLI::App& command, const std::string& names, std::vector<std::string>& target,
                      const std::string& about);

/// Adds an option without a value.
CLI::Option* add_switch(CLI::App& command, const std::string& names, bool& target,
                        const std::string& about);

/// Throws `plan_error` for a word "--name=" without a value, because CLI11 would take the next
/// word, and for a switch with a value.
void require_values(const CLI::App& command, const std::vector<std::string_view>& words);

}  // namespace wingbeat::cli
