// SPDX-License-Identifier: Apache-2.0
#include "control/metrics.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "text/formatted.hpp"

namespace wingbeat::control {
namespace {

void check_name(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool is_valid =
      !name.empty() && !is_digit(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
      });
  if (!is_valid) {
    throw std::invalid_argument(formatted(
        "metrics and labels are named by letters, digits and '_'; '{}' is something else", name));
  }
}

std::string escaped(std::string_view text, bool with_quotes) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || (c == '"' && with_quotes)) result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result;
}

std::string text_of(const metric_labels& labels) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : labels) {
    check_name(name);
    texts.push_back(formatted("{}=\"{}\"", name, escaped(value, true)));
  }
  return texts.empty() ? "" : "{" + joined(texts, ",") + "}";
}

}  // namespace

void metric_registry::add(const std::string& name, const std::string& help,
                          const metric_labels& labels, std::function<double()> read) {
  check_name(name);
  std::string label_text = text_of(labels);
  const std::lock_guard lock(mutex_);
  auto known = std::find_if(families_.begin(), families_.end(),
                            [&](const family& each) { return each.name == name; });
  if (known == families_.end()) known = families_.insert(known, {name, help, {}});
  known->values.emplace_back(std::move(label_text), std::move(read));
}

counter& metric_registry::add(const std::string& name, const std::string& help,
                              const metric_labels& labels) {
  if (!name.ends_with("_total")) {
    throw std::invalid_argument(formatted("a counter's name ends in _total; '{}' does not", name));
  }
  counter* added = nullptr;
  {
    const std::lock_guard lock(mutex_);
    added = &counters_.emplace_back();
  }
  add(name, help, labels, [added] { return static_cast<double>(added->value()); });
  return *added;
}

std::string metric_registry::text() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const family& each : families_) {
    text += formatted("# HELP {} {}\n# TYPE {} {}\n", each.name, escaped(each.help, false),
                      each.name, each.name.ends_with("_total") ? "counter" : "gauge");
    for (const auto& [labels, read] : each.values) {
      text += formatted("{}{} {}\n", each.name, labels, read());
    }
  }
  return text;
}

}  // namespace wingbeat::control
