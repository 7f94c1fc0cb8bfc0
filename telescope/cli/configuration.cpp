// SPDX-License-Identifier: Apache-2.0
#include "cli/configuration.hpp"

namespace wingbeat::cli {

/// Thrown if the parser of toml++ 3.3 is in an unexpected state, as for some texts that are not
/// TOML.
struct unexpected_state {};

constexpr void expect(bool holds) {
  if (!holds) throw unexpected_state{};
}

}  // namespace wingbeat::cli

#define TOML_ASSERT(condition) ::wingbeat::cli::expect(static_cast<bool>(condition))
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <CLI/CLI.hpp>  // App

#include <map>
#include <utility>  // move

#include "formats/files/refusal.hpp"     // refuse, printable
#include "formats/files/whole_file.hpp"  // read_whole_file
#include "text/formatted.hpp"            // formatted, joined
#include "text/reject.hpp"               // reject

namespace wingbeat::cli {
namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 20;
constexpr std::size_t max_description = 300;  // characters of a parser's message

/// Refuses characters beyond ASCII outside of strings and comments, and in the later lines of a
/// multi-line string, which is refused later anyway.
void require_ascii(std::string_view text, const std::string& file) {
  std::size_t line = 1;
  bool is_comment = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      is_comment = false;
      quote = '\0';
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
      if (c == '\\' && quote == '"' && i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (!is_comment) {
      is_comment = c == '#';
      if (c == '"' || c == '\'') quote = c;
      if (static_cast<unsigned char>(c) >= 0x80) {
        formats::refuse(file,
                        "line {}: a letter that is not ASCII stands outside of texts and "
                        "comments; put it in quotes",
                        line);
      }
    }
  }
}

/// Returns the table of a text. For some characters beyond ASCII outside of strings and comments,
/// toml++ 3.3 runs code that it marks as unreachable. So it first reads a copy with '?' in their
/// places, which it refuses there.
toml::table table_of(std::string_view text) {
  std::string copy(text);
  for (char& c : copy) c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
  toml::table table = toml::parse(copy);
  return copy == text ? std::move(table) : toml::parse(text);
}

[[noreturn]] void refuse_at(const std::string& file, const toml::node& node,
                            const std::string& why) {
  formats::refuse(file, "line {}: {}", node.source().begin.line, why);
}

/// Returns a number, a string or a list of them as text, as an option takes it.
std::string value_of(const toml::node& node, const std::string& file, std::string_view key) {
  if (const auto* const text = node.as_string()) {
    if (text->get().find_first_of(std::string_view{"\n\r\0", 3}) != std::string::npos) {
      refuse_at(file, node, formatted("'{}' has a text of several lines; give one line", key));
    }
    return text->get();
  }
  if (const auto* const whole = node.as_integer()) return formatted("{}", whole->get());
  if (const auto* const real = node.as_floating_point()) return formatted("{}", real->get());
  refuse_at(file, node,
            formatted("'{}' is neither a number nor a text; give one", formats::printable(key)));
}

/// Returns the keys and values of a table, as an output takes them.
std::string words_of(const toml::table& table, const std::string& file) {
  std::vector<std::string> words;
  for (const auto& [key, node] : table) {
    const std::string value = value_of(node, file, key.str());
    if (value.find(',') != std::string::npos) {
      refuse_at(file, node,
                formatted("'{}' has a comma, which would end it; give '{}' without one",
                          formats::printable(value), key.str()));
    }
    words.push_back(formatted("{}={}", key.str(), value));
  }
  return joined(words, ",");
}

std::vector<std::string> values_of(const toml::array& array, const std::string& file,
                                   std::string_view key) {
  std::vector<std::string> tables, values;
  for (const toml::node& node : array) {
    if (const auto* const table = node.as_table()) {
      tables.push_back(words_of(*table, file));
    } else {
      values.push_back(value_of(node, file, key));
    }
  }
  if (!tables.empty() && !values.empty()) {
    refuse_at(file, array, formatted("'{}' mixes tables and values; give one of the two", key));
  }
  return tables.empty() ? values : tables;
}

configuration::option option_of(std::string_view key, const toml::node& node,
                                const std::string& file) {
  configuration::option result{.name = std::string{key}, .line = node.source().begin.line};
  if (key.empty() || key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") != key.npos) {
    refuse_at(file, node, formatted("'{}' is no option's name", formats::printable(key)));
  }
  if (key == "config") refuse_at(file, node, "a configuration cannot name another one");
  if (const auto* const flag = node.as_boolean()) {
    result.is_on = flag->get();
  } else if (const auto* const array = node.as_array()) {
    result.values = values_of(*array, file, key);
    result.is_list = !array->empty() && array->front().as_table() == nullptr;
  } else if (const auto* const table = node.as_table()) {
    result.values = {words_of(*table, file)};
  } else {
    result.values = {value_of(node, file, key)};
  }
  return result;
}

/// Returns the name of a word that begins with "--", without its value.
std::string name_of(std::string_view word) {
  return std::string{word.substr(2, word.find('=') - 2)};
}

/// Options, with the names that a file uses for them.
using option_names = std::map<const CLI::Option*, std::string>;

/// Returns the command's options that a file states. Throws `plan_error` for a key that is no
/// option.
option_names names_of(const configuration& stated, const CLI::App& command, const std::string& file,
                      std::string_view positional) {
  option_names names;
  for (const configuration::option& each : stated.options) {
    const auto require = [&](bool holds, const std::string& why) {
      if (!holds) reject("{}: line {}: {}", file, each.line, why);
    };
    const bool is_positional = each.name == positional;
    const CLI::Option* const option =
        is_positional ? nullptr : command.get_option_no_throw("--" + each.name);
    require(is_positional || option != nullptr,
            formatted("there is no option '{}'; see wingbeat {} --help", each.name,
                      command.get_name()));
    const bool is_switch = option != nullptr && option->get_items_expected_max() == 0;
    require(!is_switch || each.is_on,
            formatted("'{}' is on or off; give true or false, without quotes", each.name));
    require(is_switch || !each.is_on, formatted("'{}' is {}; give it a value, or leave it out",
                                                each.name, each.is_on.value_or(false)));
    if (option == nullptr) continue;
    const auto [earlier, is_first] = names.emplace(option, each.name);
    require(is_first, formatted("'{}' and '{}' are the same option; give one of them",
                                earlier->second, each.name));
  }
  return names;
}

}  // namespace

std::vector<std::string> configuration::words(const std::set<std::string>& left_out,
                                              std::string_view positional) const {
  std::vector<std::string> words;
  for (const option& each : options) {
    if (left_out.contains(each.name)) continue;
    const std::string name = "--" + each.name;
    if (each.name == positional) {
      for (const std::string& value : each.values) {
        reject_if(value.starts_with("-"), "{} has '{}', which begins as an option does; write ./{}",
                  positional, value, value);
        words.push_back(value);
      }
    } else if (each.is_on) {
      if (*each.is_on) words.push_back(name);
    } else if (each.is_list) {
      words.push_back(name + "=" + joined(each.values, ","));
    } else {
      for (const std::string& value : each.values) words.push_back(name + "=" + value);
    }
  }
  return words;
}

configuration parse_configuration(std::string_view text, const std::string& file) {
  require_ascii(text, file);
  configuration result;
  try {
    const toml::table table = table_of(text);
    for (const auto& [key, node] : table) {
      result.options.push_back(option_of(key.str(), node, file));
    }
  } catch (const unexpected_state&) {
    formats::refuse(file, "line 1: the text is no TOML; see toml.io");
  } catch (const toml::parse_error& error) {
    formats::refuse(file, "line {}: {}; see toml.io", error.source().begin.line,
                    formats::printable(error.description(), max_description));
  }
  return result;
}

std::vector<std::string> with_configuration(const CLI::App& command,
                                            const std::vector<std::string>& words,
                                            std::string_view positional) {
  std::vector<std::string> files;
  std::set<const CLI::Option*> given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) continue;
    given.insert(command.get_option_no_throw("--" + name_of(words[i])));
    if (name_of(words[i]) != "config") continue;
    const std::size_t sign = words[i].find('=');
    if (sign != std::string::npos) {
      files.push_back(words[i].substr(sign + 1));
    } else {
      files.push_back(i + 1 < words.size() ? words[i + 1] : "");
    }
  }
  // Faults of the option itself are reported where options are read.
  if (files.size() != 1 || files[0].empty() || files[0].starts_with("--")) return words;
  const std::string& file = files[0];
  const std::vector<std::byte> content = formats::read_whole_file(file, max_bytes, "options");
  const configuration stated =
      parse_configuration({reinterpret_cast<const char*>(content.data()), content.size()}, file);
  std::set<std::string> left_out;
  for (const auto& [option, name] : names_of(stated, command, file, positional)) {
    if (given.contains(option)) left_out.insert(name);
  }
  std::vector<std::string> result = stated.words(left_out, positional);
  result.insert(result.end(), words.begin(), words.end());
  return result;
}

}  // namespace wingbeat::cli
