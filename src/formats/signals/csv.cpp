// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/csv.hpp"

#include <cmath>  // isfinite

#include "formats/files/refusal.hpp"  // printable, refuse
#include "text/number.hpp"            // number_from

namespace wingbeat::formats {
namespace {

constexpr std::string_view row_heading = "index,re,im", table_heading = "row,index,re,im";

/// Returns the next line without its end, and removes it.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// One line of the file.
struct csv_line {
  std::string_view rest, name;
  std::size_t number;  ///< Counted from 1.

  /// Returns the next field and removes it; the last one takes the rest.
  std::string_view field(bool is_last) {
    const std::size_t comma = is_last ? rest.npos : rest.find(',');
    if (!is_last && comma == rest.npos) {
      refuse(name, "line {} has too few columns; each line has as many as the heading", number);
    }
    const std::string_view word = rest.substr(0, comma);
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    return word;
  }

  template <class Number>
  Number number_of(std::string_view word) const {
    if (const auto value = number_from<Number>(word)) return *value;
    refuse(name,
           "line {} has '{}' where a number should be; its columns are those of the heading, "
           "without blanks",
           number, printable(word));
  }

  double part_of(std::string_view word) const {
    const auto value = number_of<double>(word);
    if (!std::isfinite(value)) {
      refuse(name, "line {} has {}; every sample must be a finite number", number, printable(word));
    }
    return value;
  }
};

/// Throws unless a sample continues its row, or begins the next one.
void require_place(const csv_line& line, const signal& so_far, std::size_t row, std::size_t index,
                   std::size_t index_due) {
  const bool continues =
      row + 1 == so_far.n_rows && index == index_due && (row == 0 || index < so_far.row_length);
  const bool begins =
      row == so_far.n_rows && index == 0 && (row < 2 || index_due == so_far.row_length);
  if (continues || begins) return;
  refuse(line.name,
         "line {} has index {} of row {}, but rows and indices rise by 1 from 0, and "
         "rows are equally long",
         line.number, index, row);
}

}  // namespace

bool has_csv_heading(std::string_view content) {
  const std::string_view first = next_line(content);
  return first == row_heading || first == table_heading;
}

signal read_csv(std::string_view content, std::string_view name) {
  signal result{.n_rows = 0};
  result.is_table = next_line(content) == table_heading;
  std::size_t index_due = 0;
  for (std::size_t number = 2; !content.empty(); ++number) {
    csv_line line{next_line(content), name, number};
    const auto row = result.is_table ? line.number_of<std::size_t>(line.field(false)) : 0;
    const auto index = line.number_of<std::size_t>(line.field(false));
    require_place(line, result, row, index, index_due);
    if (row == result.n_rows) {
      if (row == 1) result.row_length = index_due;
      ++result.n_rows;
      index_due = 0;
    }
    const double re = line.part_of(line.field(false)), im = line.part_of(line.field(true));
    result.samples.emplace_back(re, im);
    if (im != 0) result.is_real = false;
    ++index_due;
  }
  if (result.samples.empty()) refuse(name, "holds no samples below its heading");
  if (result.n_rows == 1) result.row_length = index_due;
  if (index_due != result.row_length) {
    refuse(name, "ends within row {}: it has {} of {} samples", result.n_rows - 1, index_due,
           result.row_length);
  }
  return result;
}

}  // namespace wingbeat::formats
