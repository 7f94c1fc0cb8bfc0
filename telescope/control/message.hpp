// SPDX-License-Identifier: Apache-2.0
// One katcp 5 message as text:  ?name[id] argument argument  with its escapes.
#pragma once

#include <cstddef>   // size_t
#include <cstdint>   // uint32_t
#include <optional>  // optional
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>  // move
#include <vector>

namespace wingbeat::control {

enum class message_kind : char { request = '?', reply = '!', inform = '#' };

/// A message with unescaped arguments, which may hold any bytes.
struct message {
  message_kind kind = message_kind::request;
  std::string name;                 ///< A letter, then letters, digits and '-'.
  std::optional<std::uint32_t> id;  ///< 1 to 2^31 - 1; a reply repeats its request's.
  std::vector<std::string> arguments;

  friend bool operator==(const message&, const message&) = default;
};

/// Reports a line that is not a message. `name` and `id` are those of the faulty request, so that
/// it can be answered; `name` is empty if the line does not tell it.
class message_error : public std::runtime_error {
 public:
  message_error(const std::string& reason, std::string request_name,
                std::optional<std::uint32_t> request_id)
      : runtime_error(reason), name(std::move(request_name)), id(request_id) {}

  std::string name;
  std::optional<std::uint32_t> id;
};

/// Returns the message of a line without its line end. Throws `message_error`.
[[nodiscard]] message parse_message(std::string_view line);

/// Returns the message as a line with its line end.
[[nodiscard]] std::string line_of(const message& message);

/// Splits a byte stream at line ends, \n or \r, and holds at most `max_line_bytes` of a line.
class line_buffer {
 public:
  explicit line_buffer(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  /// Appends received bytes. A line that is too long is discarded up to its end.
  void append(std::string_view bytes);

  struct line {
    std::string text;
    bool is_too_long = false;  ///< `text` is then only the line's beginning.
  };

  /// Returns the next complete line that is not blank, if there is one.
  [[nodiscard]] std::optional<line> next();

  /// Returns the number of bytes held.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_.size() - begin_; }

 private:
  std::size_t max_line_bytes_;
  std::string bytes_;
  std::size_t begin_ = 0;     ///< Lines before it have been returned.
  std::size_t searched_ = 0;  ///< There is no line end between `begin_` and this.
  bool is_discarding_ = false;
};

}  // namespace wingbeat::control
