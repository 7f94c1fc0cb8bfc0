// SPDX-License-Identifier: Apache-2.0
#include "formats/images/places.hpp"

#include <algorithm>  // count, min, ranges::find
#include <cmath>      // floor, isfinite
#include <cstddef>    // size_t
#include <optional>

#include "formats/files/refusal.hpp"     // printable, refuse
#include "formats/files/whole_file.hpp"  // read_whole_file, shown_name
#include "text/number.hpp"               // number_from

namespace wingbeat::formats {
namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

struct star_word {
  std::string_view text = {};
  std::size_t line;      ///< Counted from 1.
  bool is_plain = true;  ///< Not in quotes.
  bool is_last = false;  ///< Of its line.

  /// Returns whether a block or a table begins. A file's name may begin like that, within a row.
  [[nodiscard]] bool is_heading() const {
    return is_plain && is_last && (text == "loop_" || text.starts_with("data_"));
  }
  [[nodiscard]] bool is_name() const { return is_plain && text.starts_with('_'); }
};

/// The words of a STAR file: separated by blanks, or in quotes; comments are left out.
class star_words {
 public:
  star_words(std::string_view content, const std::string& name) : content_(content), name_(name) {}

  std::optional<star_word> next() {
    while (true) {
      advance(content_.find_first_not_of(blanks, position_));
      if (position_ == content_.size()) return std::nullopt;
      if (content_[position_] != '#') break;
      advance(content_.find('\n', position_));
    }
    const char first = content_[position_];
    const bool is_at_begin = position_ == 0 || content_[position_ - 1] == '\n';
    star_word word{.line = line_, .is_plain = false};
    if (first == ';' && is_at_begin) {
      word.text = quoted(content_.find("\n;", position_), 2);
    } else if (first == '"' || first == '\'') {
      const std::string_view line = content_.substr(0, content_.find('\n', position_));
      std::size_t end = position_;
      do {
        end = line.find(first, end + 1);  // a mark within a word ends nothing
      } while (end < line.size() - 1 && blanks.find(line[end + 1]) == blanks.npos);
      word.text = quoted(end, 1);
    } else {
      const std::size_t end = std::min(content_.find_first_of(blanks, position_), content_.size());
      word.text = content_.substr(position_, end - position_);
      word.is_plain = true;
      advance(end);
    }
    const std::size_t rest = content_.find_first_not_of(" \t\r", position_);
    word.is_last = rest == content_.npos || content_[rest] == '\n' || content_[rest] == '#';
    return word;
  }

 private:
  void advance(std::size_t end) {
    end = std::min(end, content_.size());
    line_ += static_cast<std::size_t>(
        std::count(content_.begin() + static_cast<std::ptrdiff_t>(position_),
                   content_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    position_ = end;
  }

  /// Returns the text up to its closing mark, which begins at `end`.
  std::string_view quoted(std::size_t end, std::size_t mark_size) {
    if (end == content_.npos) refuse(name_, "line {} has a quotation that does not end", line_);
    const std::string_view text = content_.substr(position_ + 1, end - position_ - 1);
    advance(end + mark_size);
    return text;
  }

  std::string_view content_;
  const std::string& name_;
  std::size_t position_ = 0, line_ = 1;
};

double number_of(const star_word& word, const std::string& name) {
  const auto number = number_from<double>(word.text);
  if (number && std::isfinite(*number)) return *number;
  refuse(name, "line {} has '{}' where a coordinate should be", word.line, printable(word.text));
}

/// Returns the rows of a table, behind its names of columns.
std::vector<image_place> places_of_table(star_words& words, std::optional<star_word> word,
                                         const std::vector<std::string_view>& columns,
                                         const std::string& name) {
  const auto index_of = [&](std::string_view column) {
    return static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
  };
  const std::size_t x = index_of("_rlnCoordinateX"), y = index_of("_rlnCoordinateY");
  const std::size_t micrograph = index_of("_rlnMicrographName");
  std::vector<image_place> places;
  std::vector<star_word> row;
  for (; word && !word->is_heading(); word = words.next()) {
    row.push_back(*word);
    if (row.size() < columns.size()) continue;
    places.push_back({number_of(row[y], name), number_of(row[x], name)});
    if (micrograph < row.size()) places.back().micrograph = row[micrograph].text;
    row.clear();
  }
  if (row.empty()) return places;
  refuse(name, "has {} columns, and its last row, from line {} on, {} words", columns.size(),
         row.front().line, row.size());
}

std::vector<image_place> places_of_star(std::string_view content, const std::string& name) {
  star_words words{content, name};
  for (auto word = words.next(); word; word = words.next()) {
    if (!word->is_heading() || word->text != "loop_") continue;
    std::vector<std::string_view> columns;
    while ((word = words.next()) && word->is_name()) columns.push_back(word->text);
    const auto has = [&](const char* column) {
      return std::ranges::find(columns, column) != columns.end();
    };
    if (has("_rlnCoordinateX") && has("_rlnCoordinateY")) {
      return places_of_table(words, word, columns, name);
    }
    if (!word) break;
  }
  refuse(name, "has no table with _rlnCoordinateX and _rlnCoordinateY, as RELION's of particles");
}

std::vector<image_place> places_of_boxes(std::string_view content, const std::string& name) {
  star_words words{content, name};
  std::vector<image_place> places;
  std::vector<star_word> row;
  while (const auto word = words.next()) {
    row.push_back(*word);
    if (!word->is_last) continue;
    refuse_if(row.size() < 4, name, "line {} has {} words; a box has x, y, width and height",
              word->line, row.size());
    const auto centre = [&](std::size_t axis) {
      return number_of(row[axis], name) + std::floor(number_of(row[axis + 2], name) / 2);
    };
    places.push_back({centre(1), centre(0)});
    row.clear();
  }
  return places;
}

/// Returns a name without folder and extension; the image's number before '@' stays.
std::string bare(const std::string& micrograph) {
  const std::size_t begin = micrograph.find('@') + 1;  // 0 where there is none
  return micrograph.substr(0, begin) +
         std::filesystem::path(micrograph.substr(begin)).stem().string();
}

}  // namespace

std::vector<image_place> parse_places(std::string_view content, const std::string& name) {
  refuse_if(content.starts_with("\x93NUMPY"), name,
            "is an array, as .cs of cryoSPARC; pyem's csparc2star.py converts it to STAR");
  const auto first = star_words{content, name}.next();
  const bool has_boxes = first && number_from<double>(first->text);
  return has_boxes ? places_of_boxes(content, name) : places_of_star(content, name);
}

std::vector<image_place> read_places(const std::filesystem::path& file,
                                     const std::string& micrograph) {
  const std::vector<std::byte> bytes = read_whole_file(file, largest_file_bytes, "places");
  std::vector<image_place> places =
      parse_places({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, shown_name(file));
  const std::string other = places.empty() ? "" : places.front().micrograph;
  std::erase_if(places, [&](const image_place& each) {
    return !micrograph.empty() && !each.micrograph.empty() &&
           bare(each.micrograph) != bare(micrograph);
  });
  if (!places.empty()) return places;
  refuse(shown_name(file), "has no place{}{}{}", micrograph.empty() ? "" : " in ", micrograph,
         other.empty() ? "" : ", only such as in " + printable(other, 80));
}

}  // namespace wingbeat::formats
