// SPDX-License-Identifier: Apache-2.0
#define FMT_HEADER_ONLY  // numbers are formatted into a buffer
#include <fmt/format.h>

#include <charconv>      // from_chars
#include <cmath>         // abs, isfinite
#include <iterator>      // back_inserter
#include <system_error>  // errc
#include <utility>       // move

#include "formats/files/refusal.hpp"       // printable, refuse
#include "formats/signals/format.hpp"      // read_text, complex_from, write_text, write_csv
#include "formats/signals/text_lines.hpp"  // text_lines
#include "text/number.hpp"                 // number_from
#include "text/trimmed.hpp"                // trimmed

namespace wingbeat::formats {
namespace {

/// No line of numbers is as long; a longer line is refused.
constexpr std::size_t longest_line = 65536;

constexpr std::string_view blanks = " \t";
constexpr std::string_view allowed =
    "each line holds one number, or two separated by blanks or a comma";

constexpr std::string_view heading = "# row ";

bool is_row_heading(std::string_view line) {
  if (!line.starts_with(heading)) return false;
  const std::string_view number = line.substr(heading.size());
  return !number.empty() && number.find_first_not_of("0123456789") == number.npos;
}

double parse_number(std::string_view word, const text_lines& reader) {
  // from_chars takes no '+'; "+-1" stays refused.
  const bool has_plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
  const char* const begin = word.data() + (has_plus ? 1 : 0);
  const char* const end = word.data() + word.size();
  double value = 0;
  const auto [stopped, failure] = std::from_chars(begin, end, value);
  if (failure == std::errc::invalid_argument || stopped != end) {
    reader.refuse_line("has '{}' where a number should be; {}", printable(word), allowed);
  }
  if (failure == std::errc::result_out_of_range) {
    reader.refuse_line(
        "has {}, which double precision cannot hold; use magnitudes from 5e-324 to "
        "1.79e308, or 0",
        printable(word));
  }
  if (!std::isfinite(value)) {
    reader.refuse_line("has {}; every sample must be a finite number, so remove or replace it",
                       printable(word));
  }
  return value;
}

struct columns {
  int count = 0;
  double value[2] = {};
  bool may_be_one = false;     ///< The line could be one number, as 1,5 or 1 000.5.
  bool is_unlike_two = false;  ///< Unlikely to be two columns: 1 000.5, but not 1 234.
  bool is_marked = false;      ///< The line is one number with a j.
};

/// Returns whether `word` consists of digits, maybe with points between groups of three.
bool is_whole(std::string_view word) {
  const bool is_grouped = !word.starts_with('0');
  std::size_t end = word.size();
  for (std::size_t i = word.size(); i-- > 0;) {
    if (word[i] >= '0' && word[i] <= '9') continue;
    if (word[i] != '.' || i == 0 || !is_grouped || end - i != 4) return false;
    end = i;
  }
  return !word.empty();
}

/// Returns whether two columns, the second directly after `mark`, could be the halves of one
/// number: 1,5 or 1,000.5 or 1 000.5.
bool are_halves(std::string_view before, char mark, std::string_view after) {
  constexpr std::size_t thousand = 3;  // digits behind a comma between groups
  if (before.starts_with('+') || before.starts_with('-')) before.remove_prefix(1);
  std::string_view digits = after.substr(0, after.find_first_of("eE"));
  const bool is_grouped = digits.find('.') == thousand && before.size() <= thousand;
  if (is_grouped) digits = digits.substr(0, thousand);
  if (mark != ',' && (mark != ' ' || digits.size() != thousand || before.size() > thousand ||
                      before.starts_with('0'))) {
    return false;
  }
  return is_whole(before) && !digits.empty() &&
         digits.find_first_not_of("0123456789") == digits.npos;
}

bool is_imaginary(std::string_view word) {
  return word.ends_with('j') || word.ends_with('i');
}

/// Returns the index of the imaginary part in a complex number such as (1.5e+00-2j) of Python or
/// 1+2i of MATLAB; 0 for other words.
std::size_t imaginary_part_of(std::string_view word) {
  if (!is_imaginary(word)) return 0;
  for (std::size_t i = word.size() - 1; i > 0; --i) {
    const bool is_sign = word[i] == '+' || word[i] == '-';
    if (!is_sign || word[i - 1] == 'e' || word[i - 1] == 'E') continue;
    return word[i - 1] == '+' ? i - 1 : i;  // older NumPy writes 1+-2j
  }
  return 0;
}

/// Splits `line`: number, then blanks with at most one comma among them, then number.
columns parse_line(std::string_view line, const text_lines& reader) {
  columns found;
  line = trimmed(line, blanks);
  std::string_view number = line;
  if (number.starts_with('(') && number.ends_with(')')) {
    number = number.substr(1, number.size() - 2);
  }
  if (const auto z = complex_from(number); z && is_imaginary(number)) {
    if (!std::isfinite(std::abs(*z))) reader.refuse_line("has a sample that is not finite");
    return {.count = 2, .value = {z->real(), z->imag()}, .is_marked = true};
  }
  bool after_comma = false;
  std::string_view words[2];
  while (!line.empty() || after_comma) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t,"));
    if (word.empty()) reader.refuse_line("lacks a number beside a comma; {}", allowed);
    if (found.count == 2) reader.refuse_line("has more than two columns; {}", allowed);
    words[found.count] = word;
    found.value[found.count++] = parse_number(word, reader);
    line = trimmed(line.substr(word.size()), blanks);
    after_comma = line.starts_with(',');
    if (after_comma) line = trimmed(line.substr(1), blanks);
  }
  const char* const behind = words[0].data() + words[0].size();
  found.may_be_one =
      found.count == 2 && behind + 1 == words[1].data() && are_halves(words[0], *behind, words[1]);
  found.is_unlike_two = found.may_be_one && (*behind == ',' || words[1].starts_with('0') ||
                                             words[1].find('.') != words[1].npos);
  return found;
}

/// Samples on their way into a signal, row after row.
struct row_collector {
  signal result{.n_rows = 0};
  std::size_t row_begin = 0;     ///< Index of the first sample of the row that is being read.
  std::size_t first_number = 0;  ///< Line of the first sample of all.
  std::size_t last_number = 0;   ///< Line of the last sample so far.
  int n_columns = 0;
  bool is_said_complex = false;  ///< By a comment above the first sample, or by a j.
  bool may_be_one = false;       ///< Each line so far could be one number.
  bool is_unlike_two = false;    ///< And one line is unlikely to be two columns.

  void read_comment(std::string_view comment) {
    if (!result.samples.empty()) return;
    for (const std::string_view words : {"complex", "re im", "re,im", "re, im"}) {
      is_said_complex |= comment.find(words) != comment.npos;
    }
  }

  void add(const columns& found, const text_lines& reader) {
    may_be_one = found.may_be_one && (result.samples.empty() || may_be_one);
    is_unlike_two |= found.is_unlike_two;
    if (result.samples.empty()) {
      n_columns = found.count;
      first_number = reader.number;
      result.is_real = n_columns == 1;
    }
    if (found.count != n_columns) {
      reader.refuse_line("has {} column{} but line {} has {}; give every line equally many",
                         found.count, found.count == 1 ? "" : "s", first_number, n_columns);
    }
    is_said_complex |= found.is_marked;
    result.samples.emplace_back(found.value[0], found.value[1]);
    last_number = reader.number;
  }

  /// Refuses lines that are complex numbers in two columns here, but real numbers in other
  /// countries.
  void require_one_meaning(std::string_view name) const {
    if (!may_be_one || !is_unlike_two || is_said_complex) return;
    refuse(name,
           "each line has a comma or a blank between digits, as line {} has: a decimal comma, one "
           "between thousands, or two columns; write numbers without it, or of complex numbers a "
           "line '# complex' above them",
           first_number);
  }

  /// Whether the real parts rise in equal steps, as times beside samples do.
  [[nodiscard]] bool may_have_times() const {
    constexpr std::size_t least = 8;
    const auto& samples = result.samples;
    if (is_said_complex || result.is_real || samples.size() < least) return false;
    const auto n_steps = static_cast<double>(samples.size() - 1);
    const double step = (samples.back().real() - samples.front().real()) / n_steps;
    for (std::size_t i = 1; i < samples.size(); ++i) {
      const double rise = samples[i].real() - samples[i - 1].real();
      if (!(rise > 0) || std::abs(rise - step) > step / 10) return false;
    }
    return true;
  }

  /// Ends the row, if it has begun. The first row sets the length of all.
  void end_row(std::string_view name) {
    const std::size_t length = result.samples.size() - row_begin;
    if (length == 0) return;
    if (result.n_rows == 0) result.row_length = length;
    refuse_if(length != result.row_length, name,
              "line {} ends a row of {} sample{} but the first row has {}; give every row equally "
              "many, and put blank lines between rows alone",
              last_number, length, length == 1 ? "" : "s", result.row_length);
    ++result.n_rows;
    row_begin = result.samples.size();
  }
};

/// Writes a line for each sample behind what `begin` appends for it, with enough digits to read
/// back the same bits.
template <class Begin>
void write_lines(atomic_file& file, const signal& recording, char separator, bool has_imaginary,
                 const Begin& begin) {
  fmt::memory_buffer line;
  // Shortest digits of a float, read as double and rounded, can miss by one bit; nine cannot.
  const auto put = [&, out = std::back_inserter(line)](double value) {
    recording.is_single_precision ? fmt::format_to(out, "{:.9g}", value)
                                  : fmt::format_to(out, "{}", value);
  };
  for (std::size_t i = 0; i < recording.samples.size(); ++i) {
    line.clear();
    begin(std::back_inserter(line), i);
    put(recording.samples[i].real());
    if (has_imaginary) {
      line.push_back(separator);
      put(recording.samples[i].imag());
    }
    line.push_back('\n');
    file.write(std::string_view{line.data(), line.size()});
  }
}

}  // namespace

signal read_text(std::string_view content, std::string_view name) {
  row_collector rows;
  bool awaits_samples = false;  // since a heading
  for (text_lines lines{content, name}; !lines.rest.empty();) {
    const std::string_view whole = lines.next(), line = whole.substr(0, whole.find('#'));
    if (line.size() > longest_line) {
      lines.refuse_line("is {} characters long, at most {} are allowed; {}", line.size(),
                        longest_line, allowed);
    }
    const bool is_heading = is_row_heading(whole);
    if (is_heading || trimmed(whole, blanks).empty()) rows.end_row(name);
    if (is_heading) {
      if (awaits_samples) {
        lines.refuse_line("begins a row, and the one before has no samples; remove its heading");
      }
      rows.result.is_table = awaits_samples = true;
    }
    rows.read_comment(whole.substr(line.size()));
    const columns found = parse_line(line, lines);
    if (found.count == 0) continue;
    rows.add(found, lines);
    awaits_samples = false;
  }
  refuse_if(awaits_samples && !rows.result.samples.empty(), name,
            "ends with the heading of a row without samples; remove it");
  if (rows.result.samples.empty()) refuse(name, "holds no samples; {}", allowed);
  rows.require_one_meaning(name);
  rows.end_row(name);
  rows.result.may_have_times = rows.result.n_rows == 1 && rows.may_have_times();
  return std::move(rows.result);
}

std::optional<std::complex<double>> complex_from(std::string_view word) {
  if (word.starts_with('(') && word.ends_with(')')) word = word.substr(1, word.size() - 2);
  const std::size_t second = imaginary_part_of(word);
  const auto part_of = [](std::string_view part) {
    part.remove_prefix(part.starts_with('+') ? 1 : 0);
    return number_from<double>(part);
  };
  if (second == 0) {
    const auto real = part_of(word);
    return real ? std::optional<std::complex<double>>{*real} : std::nullopt;
  }
  const auto re = part_of(word.substr(0, second));
  const auto im = part_of(word.substr(second, word.size() - second - 1));
  if (!re || !im) return std::nullopt;
  return std::complex{*re, *im};
}

void write_text(atomic_file& file, const signal& recording) {
  write_lines(file, recording, ' ', !recording.is_real, [&](auto out, std::size_t i) {
    if (!recording.has_row_axis() || i % recording.row_length != 0) return;
    fmt::format_to(out, "{}{}{}\n", i > 0 ? "\n" : "", heading, i / recording.row_length);
  });
}

void write_csv(atomic_file& file, const signal& recording) {
  file.write(recording.has_row_axis() ? std::string_view{"row,index,re,im\n"} : "index,re,im\n");
  write_lines(file, recording, ',', true, [&](auto out, std::size_t i) {
    if (recording.has_row_axis()) fmt::format_to(out, "{},", i / recording.row_length);
    fmt::format_to(out, "{},", i % recording.row_length);
  });
}

}  // namespace wingbeat::formats
