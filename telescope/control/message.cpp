// SPDX-License-Identifier: Apache-2.0
#include "control/message.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "text/formatted.hpp"
#include "text/number.hpp"  // number_from

namespace wingbeat::control {
namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view line_ends = "\r\n";
constexpr std::string_view escaped("\\ \0\n\r\x1b\t", 7);
constexpr std::string_view letters = "\\_0nret";  // after a backslash, in the same order
static_assert(escaped.size() == letters.size());

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads one line from left to right.
class line_parser {
 public:
  explicit line_parser(std::string_view line) : rest_(line) {}

  message parse() {
    read_kind();
    read_name();
    read_id();
    while (!rest_.empty()) read_argument();
    return std::move(message_);
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    const bool is_request = message_.kind == message_kind::request;
    throw message_error(reason, is_request ? message_.name : std::string{}, message_.id);
  }

  void read_kind() {
    if (rest_.empty() || std::string_view("?!#").find(rest_[0]) == std::string_view::npos) {
      refuse("a message begins with ?, ! or #");
    }
    message_.kind = static_cast<message_kind>(rest_[0]);
    rest_.remove_prefix(1);
  }

  void read_name() {
    const auto end = std::find_if(rest_.begin(), rest_.end(),
                                  [](char c) { return !is_letter(c) && !is_digit(c) && c != '-'; });
    const std::string_view name = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    if (name.empty() || !is_letter(name[0])) {
      refuse("a message's name is a letter, then letters, digits and '-'");
    }
    rest_.remove_prefix(name.size());
    if (!rest_.empty() && rest_[0] != '[' && blanks.find(rest_[0]) == std::string_view::npos) {
      refuse("a message's name ends at a blank or at [");
    }
    message_.name = name;
  }

  void read_id() {
    if (rest_.empty() || rest_[0] != '[') return;
    const std::size_t close = rest_.find(']');
    if (close == std::string_view::npos) refuse("the message identifier has no ]");
    const std::string_view digits = rest_.substr(1, close - 1);
    const auto id = number_from<std::uint32_t>(digits);
    constexpr std::uint32_t max_id = std::numeric_limits<std::int32_t>::max();
    if (!id || digits[0] == '0' || *id > max_id) {
      refuse("a message identifier is a whole number from 1 to 2147483647");
    }
    rest_.remove_prefix(close + 1);
    if (!rest_.empty() && blanks.find(rest_[0]) == std::string_view::npos) {
      refuse("behind the message identifier comes a blank");
    }
    message_.id = *id;
  }

  void read_argument() {
    const std::size_t begin = rest_.find_first_not_of(blanks);
    if (begin == std::string_view::npos) {
      rest_ = {};
      return;
    }
    rest_.remove_prefix(begin);
    const std::string_view word = rest_.substr(0, rest_.find_first_of(blanks));
    rest_.remove_prefix(word.size());
    message_.arguments.push_back(unescaped(word));
  }

  std::string unescaped(std::string_view word) const {
    std::string text;
    text.reserve(word.size());
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (word[i] == '\0' || word[i] == '\x1b') refuse("an argument has an unescaped NUL or ESC");
      if (word[i] != '\\') {
        text += word[i];
        continue;
      }
      if (++i == word.size()) refuse("an argument ends in a backslash");
      if (word[i] == '@') continue;  // an empty argument
      const std::size_t place = letters.find(word[i]);
      if (place == std::string_view::npos) {
        refuse("an argument has an unknown escape; \\\\ \\_ \\0 \\n \\r \\e \\t and \\@ are known");
      }
      text += escaped[place];
    }
    return text;
  }

  std::string_view rest_;
  message message_;
};

void append_escaped(std::string& line, std::string_view argument) {
  if (argument.empty()) line += "\\@";
  for (const char c : argument) {
    const std::size_t place = escaped.find(c);
    if (place == std::string_view::npos) {
      line += c;
    } else {
      line += '\\';
      line += letters[place];
    }
  }
}

}  // namespace

message parse_message(std::string_view line) {
  return line_parser(line).parse();
}

std::string line_of(const message& message) {
  std::string line(1, static_cast<char>(message.kind));
  line += message.name;
  if (message.id) line += formatted("[{}]", *message.id);
  for (const std::string& argument : message.arguments) {
    line += ' ';
    append_escaped(line, argument);
  }
  return line += '\n';
}

void line_buffer::append(std::string_view bytes) {
  if (begin_ > bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
  }
  bytes_ += bytes;
}

std::optional<line_buffer::line> line_buffer::next() {
  while (begin_ < bytes_.size()) {
    const std::size_t end = bytes_.find_first_of(line_ends, std::max(searched_, begin_));
    const bool is_whole = end != std::string::npos;
    const std::size_t length = (is_whole ? end : bytes_.size()) - begin_;
    const bool is_too_long = length > max_line_bytes_;
    searched_ = bytes_.size();
    if (!is_whole && !is_too_long && !is_discarding_) return std::nullopt;
    const std::string_view text =
        std::string_view(bytes_).substr(begin_, std::min(length, max_line_bytes_));
    std::optional<line> found;
    if (!is_discarding_ && text.find_first_not_of(blanks) != std::string_view::npos) {
      found = line{std::string(text), is_too_long};
    }
    // The rest of a line that is too long is discarded as it arrives.
    is_discarding_ = !is_whole;
    begin_ = searched_ = is_whole ? end + 1 : bytes_.size();
    if (found) return found;
  }
  bytes_.clear();
  begin_ = searched_ = 0;
  return std::nullopt;
}

}  // namespace wingbeat::control
