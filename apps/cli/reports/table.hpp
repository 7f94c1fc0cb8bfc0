// SPDX-License-Identifier: Apache-2.0
// Text for people: aligned columns, and quantities with a suitable unit.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <vector>

namespace wingbeat::cli {

enum class align { left, right };

struct column {
  std::string title;
  align side = align::right;
  std::size_t least_width = 0;
};

/// Collects rows of cells and prints them under their titles, two blanks between columns.
class table {
 public:
  explicit table(std::vector<column> columns);

  /// Adds a row of one cell for each column. Throws `plan_error` for another number of cells.
  void add(std::vector<std::string> cells);

  /// Returns the table as lines that end in a newline.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Returns "850 ns", "12.3 us", "4.56 ms" or "7.89 s".
[[nodiscard]] std::string seconds_text(double seconds);

/// Returns "48 KiB" or "139 GiB"; "-" for none.
[[nodiscard]] std::string bytes_text(std::size_t bytes);

/// Returns "fp32 fp64" or "fp32".
[[nodiscard]] std::string precisions_text(bool has_fp64);

}  // namespace wingbeat::cli
