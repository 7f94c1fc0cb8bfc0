// SPDX-License-Identifier: Apache-2.0
// A problem in the words of bench/peers/protocol.md. Includes nothing of wingbeat, because some
// peers link libraries under other licences.
#pragma once

#include <array>
#include <charconv>  // from_chars
#include <cstddef>   // size_t
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>  // pair
#include <vector>

namespace peers {

/// The sentence after "refused".
class refusal : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class kind { forward, inverse, forward_from_real, inverse_to_real, reals_to_reals };
/// The kind of one axis of `reals_to_reals`.
enum class real_kind { dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4, dht };
enum class precision { fp32, fp64, fp16, bf16 };

struct side {
  std::vector<std::size_t> strides;
  std::size_t distance = 0;
  std::size_t imaginary = 0;
  std::size_t size_bytes = 0;
};

struct problem {
  kind does = kind::forward;
  std::vector<real_kind> axis_kinds;  ///< For reals_to_reals, one per axis.
  precision real = precision::fp32;
  std::vector<std::size_t> lengths;
  std::size_t batch = 1;
  bool in_place = false;
  side in, out;

  [[nodiscard]] bool is_real() const {
    return does == kind::forward_from_real || does == kind::inverse_to_real;
  }
  [[nodiscard]] bool is_inverse() const {
    return does == kind::inverse || does == kind::inverse_to_real;
  }
  /// Returns the number of indices of the axis on a side with half a spectrum, or on a complex one.
  [[nodiscard]] std::size_t bins(std::size_t axis) const {
    return is_real() && axis + 1 == lengths.size() ? lengths[axis] / 2 + 1 : lengths[axis];
  }
  /// Returns whether the axes of a side are those of a packed array.
  [[nodiscard]] bool is_packed(const side& array, bool is_real_side) const {
    std::size_t stride = 1;
    for (std::size_t a = lengths.size(); a-- > 0;) {
      if (array.strides[a] != stride) return false;
      stride *= is_real_side ? lengths[a] : bins(a);
    }
    return array.imaginary == 0 && (batch == 1 || array.distance == stride);
  }
};

namespace reading {

inline std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault == std::errc{} && stop == text.data() + text.size()) return value;
  throw refusal("'" + std::string{text} + "' is not a number");
}

inline std::vector<std::size_t> numbers(std::string_view text) {
  std::vector<std::size_t> result;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find('x'));
    result.push_back(number(word));
    text.remove_prefix(word.size() < text.size() ? word.size() + 1 : word.size());
  }
  return result;
}

template <class Value, std::size_t N>
Value named(const std::array<std::pair<std::string_view, Value>, N>& table, std::string_view word) {
  for (const auto& [name, value] : table) {
    if (name == word) return value;
  }
  throw refusal("'" + std::string{word} + "' is nothing this peer knows");
}

inline void side_word(side& array, std::string_view name, std::string_view value) {
  if (name == "strides") array.strides = numbers(value);
  if (name == "distance") array.distance = number(value);
  if (name == "imaginary") array.imaginary = number(value);
  if (name == "bytes") array.size_bytes = number(value);
}

inline std::vector<real_kind> real_kinds(std::string_view text) {
  using namespace std::string_view_literals;
  constexpr std::array kinds{
      std::pair{"dct1"sv, real_kind::dct1}, std::pair{"dct2"sv, real_kind::dct2},
      std::pair{"dct3"sv, real_kind::dct3}, std::pair{"dct4"sv, real_kind::dct4},
      std::pair{"dst1"sv, real_kind::dst1}, std::pair{"dst2"sv, real_kind::dst2},
      std::pair{"dst3"sv, real_kind::dst3}, std::pair{"dst4"sv, real_kind::dst4},
      std::pair{"dht"sv, real_kind::dht}};
  std::vector<real_kind> found;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find('x'));
    found.push_back(named(kinds, name));
    text.remove_prefix(name.size() < text.size() ? name.size() + 1 : name.size());
  }
  return found;
}

inline void word(problem& result, std::string_view name, std::string_view value) {
  using namespace std::string_view_literals;
  constexpr std::array kinds{std::pair{"forward"sv, kind::forward},
                             std::pair{"inverse"sv, kind::inverse},
                             std::pair{"forward_from_real"sv, kind::forward_from_real},
                             std::pair{"inverse_to_real"sv, kind::inverse_to_real}};
  constexpr std::array precisions{
      std::pair{"fp32"sv, precision::fp32}, std::pair{"fp64"sv, precision::fp64},
      std::pair{"fp16"sv, precision::fp16}, std::pair{"bf16"sv, precision::bf16}};
  if (name == "kind" && (value.starts_with("dct") || value.starts_with("dst") || value == "dht")) {
    result.does = kind::reals_to_reals;
    result.axis_kinds = real_kinds(value);
  } else if (name == "kind") {
    result.does = named(kinds, value);
  }
  if (name == "precision") result.real = named(precisions, value);
  if (name == "lengths") result.lengths = numbers(value);
  if (name == "batch") result.batch = number(value);
  if (name == "in_place") {
    result.in_place = number(value) != 0;
  } else if (name.starts_with("in_")) {
    side_word(result.in, name.substr(3), value);
  } else if (name.starts_with("out_")) {
    side_word(result.out, name.substr(4), value);
  }
}

}  // namespace reading

/// Reads the words after "plan". Throws `refusal` for other words.
inline problem problem_of(std::string_view words) {
  problem result;
  while (!words.empty()) {
    const std::string_view pair = words.substr(0, words.find(' '));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) throw refusal("a word without '='");
    reading::word(result, pair.substr(0, equals), pair.substr(equals + 1));
    words.remove_prefix(pair.size() < words.size() ? pair.size() + 1 : pair.size());
  }
  const std::size_t axes = result.lengths.size();
  if (axes == 0 || result.in.strides.size() != axes || result.out.strides.size() != axes) {
    throw refusal("lengths and strides differ in their number of axes");
  }
  if (result.axis_kinds.size() == 1) result.axis_kinds.resize(axes, result.axis_kinds.front());
  if (result.does == kind::reals_to_reals && result.axis_kinds.size() != axes) {
    throw refusal("lengths and kinds differ in their number of axes");
  }
  return result;
}

}  // namespace peers
