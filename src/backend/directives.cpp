// SPDX-License-Identifier: Apache-2.0
#include "backend/directives.hpp"

#include <algorithm>  // find
#include <iterator>   // begin, end
#include <utility>    // move

namespace wingbeat::backend {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

bool is_blank(char c) {
  return blanks.find(c) != std::string_view::npos;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_beyond_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}
bool is_of_name(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return (lower >= 'a' && lower <= 'z') || is_digit(c) || c == '_' || c == '$' ||
         is_beyond_ascii(c);
}

constexpr std::string_view raw_prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
constexpr std::string_view file_tests[] = {"__has_include", "__has_include_next", "__has_embed"};

/// A place in the text. Its characters are those behind joined lines and trigraphs; the last is
/// followed by characters 0.
class cursor {
 public:
  cursor(std::string_view text, reading how) : text_(text), how_(how) { join_lines(); }

  [[nodiscard]] char peek() const {
    if (is_before_trigraph('=')) return '#';
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  [[nodiscard]] char peek_second() const {
    cursor ahead = *this;
    ahead.take();
    return ahead.peek();
  }
  [[nodiscard]] bool is_at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] std::size_t line() const { return line_; }

  char take() {
    const char c = peek();
    advance(is_before_trigraph('=') ? 3 : 1);
    join_lines();
    return c;
  }

  /// Takes a raw string from its quote on; no lines are joined there. Returns whether it ends.
  bool take_raw_string() {
    constexpr std::size_t longest_name = 16;
    const std::string_view name =
        text_.substr(at_ + 1, text_.find_first_of("( )\\\t\v\f\r\n\"", at_ + 1) - at_ - 1);
    const std::size_t open = at_ + 1 + name.size();
    const auto close = text_.find(")" + std::string{name} + "\"", open);
    if (name.size() > longest_name || text_.substr(open, 1) != "(" || close == text_.npos) {
      return false;
    }
    advance(close + name.size() + 2 - at_);
    join_lines();
    return true;
  }

 private:
  [[nodiscard]] bool is_before_trigraph(char last) const {
    return how_.has_trigraphs && text_.substr(at_, 2) == "??" &&
           text_.substr(at_ + 2, 1) == std::string_view{&last, 1};
  }

  void advance(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count) {
      if (text_[at_++] == '\n') ++line_;
    }
  }

  void join_lines() {
    for (;;) {
      std::size_t behind = at_ + 1;
      if (is_before_trigraph('/')) {
        behind = at_ + 3;
      } else if (text_.substr(at_, 1) != "\\") {
        return;
      }
      behind = text_.find_first_not_of(how_.continues_over_blanks ? blanks : "\r", behind);
      if (behind == text_.npos || text_[behind] != '\n') return;
      advance(behind + 1 - at_);
    }
  }

  std::string_view text_;
  reading how_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

class scanner {
 public:
  scanner(std::string_view text, reading how) : at_(text, how) {}

  std::vector<directive> scan() {
    bool is_line_start = true;
    while (!at_.is_at_end()) {
      if (is_line_start && went_to_hash()) {
        take_directive();
      } else if (at_.peek() == '\n') {
        at_.take();
        is_line_start = true;
      } else if (is_blank(at_.peek())) {
        at_.take();
      } else if (!took_comment()) {
        take_token();
        is_line_start = false;
      }
    }
    return std::move(found_);
  }

 private:
  /// Goes to the # of a line that begins with one. Some compilers take Unicode's blanks for blanks.
  bool went_to_hash() {
    cursor ahead = at_;
    while (is_blank(ahead.peek()) || is_beyond_ascii(ahead.peek())) ahead.take();
    const char c = ahead.peek();
    if (c != '#' && (c != '%' || ahead.peek_second() != ':')) return false;
    at_ = ahead;
    return true;
  }

  void take_directive() {
    directive taken;
    taken.begin = at_.offset();
    taken.line = at_.line();
    if (at_.take() == '%') at_.take();
    while (took_comment() || is_blank(at_.peek()) || is_beyond_ascii(at_.peek())) {
      if (is_blank(at_.peek()) || is_beyond_ascii(at_.peek())) at_.take();
    }
    while (is_of_name(at_.peek()) && !is_beyond_ascii(at_.peek())) taken.name += at_.take();
    open_ = &taken;
    while (!at_.is_at_end() && at_.peek() != '\n') {
      if (took_comment()) {
        taken.rest += ' ';
      } else {
        take_token();
      }
    }
    open_ = nullptr;
    at_.take();
    taken.end = at_.offset();
    taken.next_line = at_.line();
    taken.rest.erase(0, taken.rest.find_first_not_of(blanks));
    taken.rest.erase(taken.rest.find_last_not_of(blanks) + 1);
    found_.push_back(std::move(taken));
  }

  bool took_comment() {
    if (at_.peek() != '/') return false;
    const char second = at_.peek_second();
    if (second != '/' && second != '*') return false;
    at_.take();
    at_.take();
    if (second == '/') {
      while (!at_.is_at_end() && at_.peek() != '\n') at_.take();
    } else {
      while (!at_.is_at_end() && (at_.peek() != '*' || at_.peek_second() != '/')) at_.take();
      at_.take();
      at_.take();
    }
    return true;
  }

  char take() {
    const char c = at_.take();
    if (open_ != nullptr) open_->rest += c;
    return c;
  }

  void take_token() {
    const char c = at_.peek();
    if (is_digit(c)) {
      take_number();
    } else if (is_of_name(c)) {
      take_name();
    } else if (take() == '"' || c == '\'') {
      take_quoted(c);
    }
  }

  /// A ' between digits opens no character.
  void take_number() {
    while (is_of_name(at_.peek()) || at_.peek() == '.' ||
           (at_.peek() == '\'' && is_of_name(at_.peek_second()))) {
      take();
    }
  }

  /// Takes what follows a quote. Without another one it ends with its line, for all compilers.
  void take_quoted(char quote) {
    while (!at_.is_at_end() && at_.peek() != '\n') {
      const char c = take();
      if (c == quote) return;
      if (c == '\\' && at_.peek() != '\n') take();
    }
  }

  void take_name() {
    directive seen;
    seen.begin = at_.offset();
    seen.line = at_.line();
    while (is_of_name(at_.peek())) seen.name += take();
    if (contains(file_tests, seen.name)) return found_.push_back(std::move(seen));
    if (at_.peek() != '"' || !contains(raw_prefixes, seen.name)) return;
    const std::size_t first_line = at_.line();
    seen.is_raw_string = !at_.take_raw_string();
    if (seen.is_raw_string) take();  // the quote alone
    if (open_ != nullptr && at_.line() != first_line) seen.is_raw_string = true;
    if (seen.is_raw_string) found_.push_back(std::move(seen));
  }

  template <std::size_t N>
  static bool contains(const std::string_view (&list)[N], std::string_view name) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
  }

  cursor at_;
  std::vector<directive> found_;
  directive* open_ = nullptr;  // whose rest is being read
};

}  // namespace

std::vector<directive> directives_of(std::string_view text, reading how) {
  return scanner{text, how}.scan();
}

}  // namespace wingbeat::backend
