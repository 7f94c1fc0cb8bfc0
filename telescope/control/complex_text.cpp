// SPDX-License-Identifier: Apache-2.0
#include "control/complex_text.hpp"

#include <array>
#include <charconv>  // from_chars, to_chars
#include <cmath>     // abs, isinf, isnan, signbit
#include <cstdlib>   // strtod
#include <limits>
#include <system_error>  // errc

#include "text/trimmed.hpp"  // trimmed

namespace wingbeat::control {
namespace {

constexpr std::string_view spaces = " \t\n\r\f\v";

bool is_sign(char c) {
  return c == '+' || c == '-';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Removes `word`, in lower or upper case, from the front of `text` if it is there.
bool take_word(std::string_view& text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower(text[i]) != word[i]) return false;
  }
  text.remove_prefix(word.size());
  return true;
}

/// Removes a real number without sign from the front of `text`.
std::optional<double> take_unsigned(std::string_view& text) {
  if (take_word(text, "infinity") || take_word(text, "inf")) {
    return std::numeric_limits<double>::infinity();
  }
  if (take_word(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  const bool is_number = !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
  if (!is_number) return std::nullopt;
  double value = 0.0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc::invalid_argument) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) {
    // from_chars leaves the value unchanged; strtod returns 0, a subnormal number or infinity.
    value = std::strtod(std::string(text.data(), read.ptr).c_str(), nullptr);
  }
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return value;
}

/// Takes a signed number; a sign alone before a j counts as the number 1.
std::optional<double> take_signed(std::string_view& text) {
  double sign = 1.0;
  if (!text.empty() && is_sign(text[0])) {
    sign = text[0] == '-' ? -1.0 : 1.0;
    text.remove_prefix(1);
  }
  if (!text.empty() && lower(text[0]) == 'j') return sign;
  const std::optional<double> value = take_unsigned(text);
  if (!value) return std::nullopt;
  return sign * *value;
}

template <class Real>
std::string shortest(Real value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return std::signbit(value) ? "-inf" : "inf";
  // as Python prints it
  const double size = std::abs(static_cast<double>(value));
  const bool is_plain = size == 0.0 || (size >= 1e-4 && size < 1e16);
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  std::array<char, 64> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value, format);
  std::string text(digits.data(), written.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::optional<std::complex<double>> parse_complex(std::string_view text) {
  text = trimmed(text, spaces);
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') {
    text = trimmed(text.substr(1, text.size() - 2), spaces);
  }
  const std::optional<double> first = take_signed(text);
  if (!first) return std::nullopt;
  if (text.empty()) return std::complex<double>(*first, 0.0);
  if (text.size() == 1 && lower(text[0]) == 'j') return std::complex<double>(0.0, *first);
  if (!is_sign(text[0])) return std::nullopt;
  const std::optional<double> second = take_signed(text);
  if (!second || text.size() != 1 || lower(text[0]) != 'j') return std::nullopt;
  return std::complex<double>(*first, *second);
}

std::optional<double> parse_real(std::string_view text) {
  text = trimmed(text, spaces);
  const std::optional<double> value = take_signed(text);
  return value && text.empty() ? value : std::nullopt;
}

std::string real_text(double value) {
  return shortest(value);
}

std::string complex_text(std::complex<float> value) {
  const std::string imag = shortest(value.imag());
  return shortest(value.real()) + (is_sign(imag[0]) ? "" : "+") + imag + "j";
}

}  // namespace wingbeat::control
