// SPDX-License-Identifier: Apache-2.0
// Clients' regular expressions over sensors' names, bounded in time and memory.
#pragma once

#include <memory>
#include <string_view>

namespace wingbeat::control {

/// A regular expression in Perl's syntax.
class name_pattern {
 public:
  /// Throws std::invalid_argument, saying what is wrong and where.
  explicit name_pattern(std::string_view expression);

  /// Returns whether the name contains a match. Throws std::invalid_argument if matching takes too
  /// many steps.
  [[nodiscard]] bool is_in(std::string_view name) const;

 private:
  struct compiled;
  std::shared_ptr<const compiled> compiled_;
};

}  // namespace wingbeat::control
