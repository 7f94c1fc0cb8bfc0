// SPDX-License-Identifier: Apache-2.0
// The keys of a header in text, and their values.
#pragma once

#include <cstddef>     // size_t
#include <functional>  // less
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "formats/files/refusal.hpp"      // printable, refuse
#include "formats/voltages/voltages.hpp"  // day_time
#include "text/number.hpp"                // number_from

namespace wingbeat::formats {

/// Functions throw `file_error` for values that are not what they should be.
class header_fields {
 public:
  /// `format` is what the file should be, for messages. Both texts must outlive the fields.
  header_fields(const std::string& name, std::string_view format) : name_(name), format_(format) {}

  /// Adds a key, which may stand in several places.
  void add(std::string_view key, std::string_view value) { fields_.emplace(key, value); }

  /// Returns the value of a key, none where it is not there.
  [[nodiscard]] std::optional<std::string_view> text_of(std::string_view key) const {
    const auto [first, end] = fields_.equal_range(key);
    if (first == end) return std::nullopt;
    for (auto other = first; other != end; ++other) {
      if (other->second == first->second) continue;
      refuse(name_, "has {} twice in a header, as '{}' and '{}'; remove one", key,
             printable(first->second), printable(other->second));
    }
    return first->second;
  }

  /// Returns a number; none where it is not there. `kind` is what it should be.
  template <class Number>
  [[nodiscard]] std::optional<Number> number_of(std::string_view key, Number least, Number most,
                                                std::string_view kind) const {
    const auto found = text_of(key);
    if (!found) return std::nullopt;
    const auto number = number_from<Number>(without_plus(*found));
    if (number && *number >= least && *number <= most) return number;
    refuse(name_, "has {} '{}' in a header, which is no {} from {} to {}; record it again", key,
           printable(*found), kind, least, most);
  }

  [[nodiscard]] std::optional<std::size_t> count_of(std::string_view key, std::size_t least,
                                                    std::size_t most) const {
    return number_of(key, least, most, "whole number");
  }

  [[nodiscard]] std::optional<double> real_of(std::string_view key,
                                              double least = -max_real) const {
    return number_of(key, least, max_real, "number");
  }

  [[nodiscard]] std::size_t required_count(std::string_view key, std::size_t most) const {
    const auto count = count_of(key, 1, most);
    if (!count) refuse(name_, "has no {} in a header; it is no {}", key, format_);
    return *count;
  }

 private:
  static constexpr double max_real = 1e15;

  /// `number_from` takes no plus sign.
  [[nodiscard]] static std::string_view without_plus(std::string_view number) {
    if (number.size() > 1 && number[0] == '+' && number[1] != '-') number.remove_prefix(1);
    return number;
  }

  const std::string& name_;
  std::string_view format_;
  /// A key may stand in several places.
  std::multimap<std::string, std::string, std::less<>> fields_;
};

}  // namespace wingbeat::formats
