// SPDX-License-Identifier: Apache-2.0
#include <algorithm>  // ranges::count, ranges::equal, ranges::find, ranges::none_of
#include <cmath>      // isfinite
#include <initializer_list>
#include <vector>

#include "formats/files/refusal.hpp"       // printable, refuse
#include "formats/signals/format.hpp"      // read_csv, has_csv_heading, complex_from
#include "formats/signals/text_lines.hpp"  // text_lines
#include "text/counted.hpp"                // counted
#include "text/formatted.hpp"              // formatted, joined
#include "text/number.hpp"                 // number_from
#include "text/reject.hpp"                 // reject
#include "text/trimmed.hpp"                // trimmed

namespace wingbeat::formats {
namespace {

/// Returns the place of a mark in a line outside quotation marks; `npos` where there is none.
std::size_t find_outside_quotes(std::string_view line, char mark) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == mark && !is_quoted) return i;
    if (line[i] == '"') is_quoted = !is_quoted;
  }
  return line.npos;
}

/// Returns the fields of a line without the blanks and quotation marks around them.
std::vector<std::string_view> fields_of(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  if (delimiter == ' ') line = trimmed(line, " ");
  while (true) {
    const std::size_t end = find_outside_quotes(line, delimiter);
    fields.push_back(trimmed(line.substr(0, end), " \t\""));
    if (end == line.npos) return fields;
    line.remove_prefix(end + 1);
    if (delimiter == ' ') line = trimmed(line, " ");
  }
}

/// Returns the mark between the fields of a line: a blank where there is no other.
char delimiter_of(std::string_view line) {
  for (const char mark : {',', ';', '\t'}) {
    if (find_outside_quotes(line, mark) != line.npos) return mark;
  }
  return ' ';
}

/// Returns the first line that is neither empty nor a comment.
std::string_view first_line(text_lines& lines) {
  while (!lines.rest.empty()) {
    const std::string_view line = lines.next();
    if (!line.empty() && !line.starts_with('#')) return line;
  }
  return {};
}

/// Returns the index of the column that a name, or a number from 0 on, means.
std::size_t column_of(const std::vector<std::string_view>& names, bool has_names,
                      std::string_view column, std::string_view name) {
  if (column.empty() && names.size() == 1) return 0;
  reject_if(has_names && std::ranges::count(names, column) > 1,
            "{} has several columns {}; choose one by its number from 0", name, column);
  const auto found = has_names ? std::ranges::find(names, column) : names.end();
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto number = number_from<std::size_t>(column);
  if (number && *number < names.size()) return *number;
  reject("{} has {}, {}; choose one by --column, by its name or its number from 0", name,
         counted(names.size(), "column"), printable(joined(names, ", "), 200));
}

/// Takes the indices of a line: those of the next sample of its row, or of the next row's first.
void take_place(const text_lines& lines, std::span<const std::string_view> indices,
                signal& so_far) {
  std::size_t place[2] = {};  // row, index
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto number = number_from<std::size_t>(indices[i]);
    if (!number) {
      lines.refuse_line("has '{}' where an index should be; they count from 0",
                        printable(indices[i]));
    }
    place[i + 2 - indices.size()] = *number;
  }
  const auto [row, index] = place;
  const std::size_t n_rows = so_far.n_rows, n_before = so_far.samples.size();
  if (n_rows == 1 && row == 1) so_far.row_length = n_before;
  const std::size_t length = so_far.row_length;  // once a second row began
  if (row == n_rows && index == 0 && n_before == n_rows * length) {
    ++so_far.n_rows;
    return;
  }
  const std::size_t due = n_rows > 1 ? n_before - (n_rows - 1) * length : n_before;
  if (row + 1 == n_rows && index == due && (row == 0 || index < length)) return;
  lines.refuse_line(
      "has index {} of row {}, but rows and indices rise by 1 from 0, and rows are "
      "equally long",
      index, row);
}

}  // namespace

bool has_csv_heading(std::string_view content) {
  text_lines lines{content, ""};
  const std::string_view first = first_line(lines);
  const char delimiter = delimiter_of(first);
  const auto fields = fields_of(first, delimiter);
  // Words with blanks between them, or above something else than numbers, are no heading.
  const bool is_table =
      fields.size() > 1 ? delimiter != ' ' : complex_from(lines.next()).has_value();
  return is_table &&
         std::ranges::none_of(fields, [](auto field) { return complex_from(field).has_value(); });
}

signal read_csv(std::string_view content, std::string_view name, std::string_view column) {
  text_lines lines{content, name};
  const std::string_view first = first_line(lines);
  const char delimiter = delimiter_of(first);
  const std::vector<std::string_view> names = fields_of(first, delimiter);
  const bool has_heading = !complex_from(names.front());
  if (!has_heading) lines = {content, name};
  const auto are = [&](std::initializer_list<std::string_view> known) {
    return column.empty() && std::ranges::equal(names, known);
  };
  const bool is_table = are({"row", "index", "re", "im"});
  const bool has_index = is_table || are({"index", "re", "im"});
  const bool is_pair = has_index || are({"re", "im"});
  const std::size_t chosen =
      is_pair ? names.size() - 2 : column_of(names, has_heading, column, name);
  signal result{
      .n_rows = has_index ? 0u : 1u, .is_table = is_table, .is_real = has_index || !is_pair};
  while (!lines.rest.empty()) {
    const std::string_view line = lines.next();
    if (line.empty() || line.starts_with('#')) continue;
    const auto fields = fields_of(line, delimiter);
    if (fields.size() != names.size()) {
      lines.refuse_line("has {} and the first {}; give every line equally many",
                        counted(fields.size(), "column"), counted(names.size(), "column"));
    }
    if (has_index) take_place(lines, std::span{fields}.first(chosen), result);
    auto value = complex_from(fields[chosen]);
    const auto imaginary = is_pair ? complex_from(fields[chosen + 1]) : value;
    if (is_pair && value && imaginary) value->imag(imaginary->real());
    if (!value || !imaginary || !std::isfinite(value->real()) || !std::isfinite(value->imag())) {
      const std::string_view field = fields[chosen + (value && !imaginary)];
      lines.refuse_line(
          "has '{}' where a finite number should be; {}", printable(field),
          field.find(',') == field.npos ? "remove or replace it" : "write it with a decimal point");
    }
    if (value->imag() != 0) result.is_real = false;
    result.samples.push_back(*value);
  }
  const std::size_t n_samples = result.samples.size();
  if (n_samples == 0) refuse(name, "holds no samples below its heading");
  if (result.n_rows == 1) result.row_length = n_samples;
  if (const std::size_t n_before = (result.n_rows - 1) * result.row_length;
      n_samples != n_before + result.row_length) {
    refuse(name, "ends within row {}: it has {} of {} samples", result.n_rows - 1,
           n_samples - n_before, result.row_length);
  }
  return result;
}

}  // namespace wingbeat::formats
