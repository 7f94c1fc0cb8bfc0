// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/csv.hpp"

#include <algorithm>  // min, ranges::find, ranges::none_of
#include <cmath>      // isfinite
#include <vector>

#include "formats/files/refusal.hpp"  // printable, refuse
#include "formats/signals/text.hpp"   // complex_from
#include "text/formatted.hpp"         // formatted, joined
#include "text/number.hpp"            // number_from
#include "wingbeat/error.hpp"         // plan_error

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

/// Returns the fields of a line without the blanks and quotation marks around them.
std::vector<std::string_view> fields_of(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  constexpr std::string_view around = " \t\"";
  while (true) {
    const std::size_t end = line.find(delimiter);
    std::string_view field = line.substr(0, end);
    field.remove_prefix(std::min(field.find_first_not_of(around), field.size()));
    fields.push_back(field.substr(0, field.find_last_not_of(around) + 1));
    if (end == line.npos) return fields;
    line.remove_prefix(end + 1);
  }
}

char delimiter_of(std::string_view line) {
  for (const char mark : {',', ';', '\t'}) {
    if (line.find(mark) != line.npos) return mark;
  }
  return ',';
}

std::string_view without_mark(std::string_view content) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  content.remove_prefix(content.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  return content;
}

/// Returns the index of the column that a name, or a number from 0 on, means.
std::size_t column_of(const std::vector<std::string_view>& names, bool has_names,
                      std::string_view column, std::string_view name) {
  if (column.empty() && names.size() == 1) return 0;
  const auto found = has_names ? std::ranges::find(names, column) : names.end();
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto number = number_from<std::size_t>(column);
  if (number && *number < names.size()) return *number;
  throw plan_error(
      formatted("{} has {} columns, {}; choose one by --column, by its name or its "
                "number from 0",
                name, names.size(), printable(joined(names, ", "), 200)));
}

/// Reads one column below a heading, or of lines without one.
signal read_column(std::string_view content, std::string_view name, std::string_view column) {
  std::string_view below = content;
  const std::string_view first = next_line(below);
  const char delimiter = delimiter_of(first);
  const std::vector<std::string_view> names = fields_of(first, delimiter);
  const bool has_heading = !complex_from(names.front());
  std::size_t number = has_heading ? 1 : 0;
  if (has_heading) content = below;
  const bool is_pair = column.empty() && names == std::vector<std::string_view>{"re", "im"};
  const std::size_t chosen = is_pair ? 0 : column_of(names, has_heading, column, name);
  signal result{.is_real = !is_pair};
  while (!content.empty()) {
    const std::string_view line = next_line(content);
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const auto fields = fields_of(line, delimiter);
    if (fields.size() != names.size()) {
      refuse(name, "line {} has {} columns and the first {}; give every line equally many", number,
             fields.size(), names.size());
    }
    auto value = complex_from(fields[chosen]);
    if (value && is_pair) {
      const auto imaginary = complex_from(fields[1]);
      value =
          imaginary ? std::optional{std::complex{value->real(), imaginary->real()}} : std::nullopt;
    }
    if (!value || !std::isfinite(value->real()) || !std::isfinite(value->imag())) {
      refuse(name, "line {} has '{}' where a finite number should be; remove or replace it", number,
             printable(fields[chosen]));
    }
    if (value->imag() != 0) result.is_real = false;
    result.samples.push_back(*value);
  }
  if (result.samples.empty()) refuse(name, "holds no samples below its heading");
  result.row_length = result.samples.size();
  return result;
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
  content = without_mark(content);
  const std::string_view first = next_line(content);
  const auto fields = fields_of(first, delimiter_of(first));
  return fields.size() > 1 && !first.starts_with('#') &&
         std::ranges::none_of(fields, [](auto field) { return complex_from(field).has_value(); });
}

signal read_csv(std::string_view content, std::string_view name, std::string_view column) {
  content = without_mark(content);
  std::string_view below = content;
  const std::string_view heading = next_line(below);
  if (!column.empty() || (heading != row_heading && heading != table_heading)) {
    return read_column(content, name, column);
  }
  content = below;
  signal result{.n_rows = 0};
  result.is_table = heading == table_heading;
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
