// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/table.hpp"

#include <algorithm>  // max, count_if
#include <array>
#include <cmath>    // abs
#include <utility>  // move, pair

#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject

namespace wingbeat::cli {
namespace {

// Counts characters, not bytes: device names may hold "(TM)" signs in UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string line_of(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                    const std::vector<column>& columns) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::string blanks(widths[c] - width_of(cells[c]), ' ');
    if (c > 0) line += "  ";
    line += columns[c].side == align::left ? cells[c] + blanks : blanks + cells[c];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

table::table(std::vector<column> columns) : columns_(std::move(columns)) {}

void table::add(std::vector<std::string> cells) {
  reject_if(cells.size() != columns_.size(), "a row of {} cells does not fit a table of {} columns",
            cells.size(), columns_.size());
  rows_.push_back(std::move(cells));
}

std::string table::text() const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const auto& [title, side, least_width] : columns_) {
    titles.push_back(title);
    widths.push_back(std::max(width_of(title), least_width));
  }
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string text = line_of(titles, widths, columns_);
  for (const auto& row : rows_) text += line_of(row, widths, columns_);
  return text;
}

std::string seconds_text(double seconds) {
  static constexpr std::array<std::pair<double, std::string_view>, 3> units{
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}};
  for (const auto& [size, name] : units) {
    if (std::abs(seconds) < size) continue;
    const double count = seconds / size;
    return formatted("{:.{}f} {}", count, count < 10 ? 2 : (count < 100 ? 1 : 0), name);
  }
  return formatted("{:.0f} ns", 1e9 * seconds);
}

std::string bytes_text(std::size_t bytes) {
  static constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  if (bytes == 0) return "-";
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < units.size(); ++unit) size /= 1024;
  return formatted("{:.{}f} {}", size, size < 10 && unit > 0 ? 1 : 0, units[unit]);
}

std::string precisions_text(bool has_fp64) {
  return has_fp64 ? "fp32 fp64" : "fp32";
}

}  // namespace wingbeat::cli
