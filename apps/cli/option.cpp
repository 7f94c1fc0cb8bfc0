// SPDX-License-Identifier: Apache-2.0
#include "cli/option.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // find_if, min, sort, unique
#include <bit>        // bit_width, has_single_bit
#include <iterator>   // begin, end
#include <utility>    // move

#include "text/formatted.hpp"  // formatted, joined
#include "text/number.hpp"     // number_from
#include "text/reject.hpp"     // reject
#include "wingbeat/plan.hpp"   // max_length

namespace wingbeat::cli {
namespace {

/// Returns `text`, in quotes if it could be confused with the sentence around it.
std::string quoted(std::string_view text) {
  const bool is_plain = !text.empty() && text.find_first_of(" \t\n\r") == std::string_view::npos;
  return is_plain ? std::string{text} : formatted("'{}'", text);
}

[[noreturn]] void refuse(const std::string& option, std::string_view text,
                         const std::string& allowed) {
  reject("{} {} is not {}; give one", option, quoted(text), allowed);
}

std::string text_of(count_range range) {
  return formatted("from {} to {}", count_text(range.least), count_text(range.most));
}

std::string text_of(real_range range) {
  return formatted("{} {} {} {}", range.excludes_least ? "above" : "from", range.least,
                   range.excludes_least ? "and up to" : "to", range.most);
}

void require_text(const std::string& option, const std::string& text) {
  reject_if(text.empty(), "{} is empty; give it a value or leave it out", option);
  reject_if(text.starts_with("--"),
            "{} has '{}' for its value, which begins as an option does; give it a value (a file of "
            "that name is ./{})",
            option, text, text);
}

constexpr file_type file_types[] = {{file_use::input, "INPUT", true, false},
                                    {file_use::output, "OUTPUT", false, true},
                                    {file_use::outputs, "OUTPUTS", false, true, true},
                                    {file_use::state, "STATE", true, true},
                                    {file_use::programs, "PROGRAMS", true, false, true}};

const char* type_name_of(file_use use) {
  for (const file_type& type : file_types) {
    if (type.use == use) return type.name;
  }
  return "";
}

}  // namespace

std::string count_text(std::size_t count) {
  if (!std::has_single_bit(count) || count < 1024) return formatted("{}", count);
  return formatted("2^{}", std::bit_width(count) - 1);
}

unsigned max_length_log2() noexcept {
  return static_cast<unsigned>(std::bit_width(max_length) - 1);
}

std::size_t count_of(const std::string& option, std::string_view text, count_range range) {
  const auto value = number_from<std::size_t>(text);
  if (value && *value >= range.least && *value <= range.most) return *value;
  refuse(option, text, "a whole number " + text_of(range));
}

std::vector<std::size_t> listed_lengths(const std::vector<std::string>& words) {
  std::vector<std::size_t> lengths;
  for (const std::string& word : words) {
    lengths.push_back(count_of("--lengths", word, {1, max_length}));
  }
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

double real_of(const std::string& option, std::string_view text, real_range range) {
  const auto value = number_from<double>(text);  // "nan" and "inf" are numbers of no range
  const bool is_above =
      value && (range.excludes_least ? *value > range.least : *value >= range.least);
  if (is_above && *value <= range.most) return *value;
  refuse(option, text, "a number " + text_of(range));
}

void refuse_choice(const std::string& option, std::string_view word, const std::string& listed) {
  reject("{} is '{}'; choose {}", option, word, listed);
}

CLI::App& add_command(CLI::App& program, const command_text& text, std::function<void()> run) {
  CLI::App* const command = program.add_subcommand(text.name, text.about);
  command->footer(text.footer);
  command->callback(std::move(run));
  return *command;
}

std::vector<std::string> parts_of(const std::string& option, std::string_view list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.emplace_back(list.substr(begin, end - begin));
    reject_if(parts.back().empty(),
              "{} '{}' has an empty part; give names with one comma between them", option, list);
    begin = end + 1;
  }
  return parts;
}

std::string help_text(const std::string& about, count_range range) {
  return formatted("{} ({})", about, text_of(range));
}

std::string help_text(const std::string& about, real_range range) {
  return formatted("{} ({})", about, text_of(range));
}

CLI::Option* add_option(CLI::App& command, const std::string& names, const char* type,
                        const std::string& about, const std::string& default_text,
                        std::function<void(const std::string&)> take) {
  return command.add_option_function<std::string>(names, std::move(take), about)
      ->type_name(type)
      ->default_str(default_text);
}

void add_listed_lengths(CLI::App& command, std::vector<std::string>& target) {
  add_list(command, "--lengths", target, "These lengths instead, as 1000,3601")
      ->excludes("--min-log2")
      ->excludes("--max-log2");
}

CLI::Option* add_text(CLI::App& command, const std::string& names, std::string& target,
                      const std::string& about) {
  return add_text(command, names, about, target,
                  [&target](const std::string& text) { target = text; });
}

CLI::Option* add_text(CLI::App& command, const std::string& names, const std::string& about,
                      const std::string& default_text,
                      std::function<void(const std::string&)> take) {
  return add_option(command, names, "TEXT", about, default_text,
                    [names, take = std::move(take)](const std::string& text) {
                      require_text(names, text);
                      take(text);
                    });
}

CLI::Option* add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                       const std::string& about) {
  const auto take = [&target, name](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) require_text(name, text);
    target = texts;
  };
  return command.add_option_function<std::vector<std::string>>(name, take, about)
      ->type_name("TEXT");
}

const file_type* file_type_of(std::string_view type_name) {
  const auto* const found =
      std::find_if(std::begin(file_types), std::end(file_types),
                   [&](const file_type& type) { return type.name == type_name; });
  return found == std::end(file_types) ? nullptr : found;
}

CLI::Option* add_file(CLI::App& command, file_use use, const std::string& names,
                      std::string& target, const std::string& about) {
  return add_option(command, names, type_name_of(use), about, target,
                    [&target, use, names](const std::string& text) {
                      require_text(names, text);
                      reject_if(text == "-" && use != file_use::input,
                                "{} - is no file's name; give one", names);
                      target = text;
                    });
}

CLI::Option* add_file_or_stdout(CLI::App& command, const std::string& names, std::string& target,
                                const std::string& about) {
  return add_text(command, names, target, about)->type_name(type_name_of(file_use::output));
}

CLI::Option* add_inputs(CLI::App& command, const std::string& name,
                        std::vector<std::string>& target, const std::string& about) {
  return add_texts(command, name, target, about)->type_name(type_name_of(file_use::input));
}

CLI::Option* add_outputs(CLI::App& command, const std::string& names,
                         std::vector<std::string>& target, const std::string& about) {
  return add_list(command, names, target, about)->type_name(type_name_of(file_use::outputs));
}

CLI::Option* add_list(CLI::App& command, const std::string& names, std::vector<std::string>& target,
                      const std::string& about) {
  const auto take = [&target, names](const std::vector<std::string>& texts) {
    target.clear();
    for (const std::string& text : texts) {
      require_text(names, text);
      for (std::string& part : parts_of(names, text)) target.push_back(std::move(part));
    }
  };
  return command.add_option_function<std::vector<std::string>>(names, take, about)
      ->allow_extra_args(false)  // the next word may be FILE
      ->type_name("LIST")
      ->default_str(joined(target, ","));
}

CLI::Option* add_each(CLI::App& command, const std::string& names, std::vector<std::string>& target,
                      const std::string& about) {
  return add_texts(command, names, target, about)->allow_extra_args(false)->type_name("WORDS");
}

CLI::Option* add_switch(CLI::App& command, const std::string& names, bool& target,
                        const std::string& about) {
  return command.add_flag(names, target, about)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

void require_values(const CLI::App& command, const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) {
    if (word == "--") return;  // no options follow
    const std::size_t equals = word.find('=');
    if (!word.starts_with("--") || equals == std::string_view::npos) continue;
    const std::string name{word.substr(0, equals)};
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (option == nullptr) continue;  // CLI11 reports it
    reject_if(option->get_items_expected_max() == 0, "{} takes no value; write {} alone", word,
              name);
    reject_if(equals + 1 == word.size(), "{} has no value; write {} VALUE", word, name);
  }
}

}  // namespace wingbeat::cli
