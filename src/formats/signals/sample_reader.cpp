// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/sample_reader.hpp"

#include <algorithm>  // max, min
#include <cmath>      // isfinite

#include "formats/files/refusal.hpp"  // refuse_not_finite
#include "text/formatted.hpp"         // formatted

namespace wingbeat::formats {

std::vector<double> sample_reader::read(std::size_t first, std::size_t count,
                                        std::optional<std::size_t> channel) {
  const bool is_one_row = channel && (has_rows_ || shape_.n_rows == 1);
  const channel_range loaded{is_one_row ? *channel : 0, is_one_row ? 1 : shape_.n_rows};
  const std::size_t parts = shape_.is_real ? 1 : 2, frame = parts * loaded.count;
  std::vector<double> numbers(count * frame);
  load(first, loaded, numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i])) continue;
    const char* const axis = shape_.n_channels > 0 ? "channel" : "row";
    refuse_not_finite(
        name_,
        formatted("sample {} of {} {}", first + i / frame, axis, loaded.first + i % frame / parts),
        numbers[i]);
  }
  if (!channel || is_one_row) return numbers;
  for (std::size_t i = 0; i < count * parts; ++i) {
    numbers[i] = numbers[i / parts * frame + *channel * parts + i % parts];
  }
  numbers.resize(count * parts);
  return numbers;
}

signal sample_reader::read_all(std::optional<std::size_t> channel) {
  signal result = shape_;
  if (channel) result.n_rows = 1;
  const std::size_t n_rows = result.n_rows, length = result.row_length;
  result.samples.resize(n_rows * length);
  const std::size_t parts = shape_.is_real ? 1 : 2, n_together = has_rows_ ? 1 : n_rows;
  constexpr std::size_t numbers_at_once = std::size_t{1} << 17;
  const std::size_t at_once =
      std::max<std::size_t>(numbers_at_once / (parts * (has_rows_ ? 1 : shape_.n_rows)), 1);
  for (std::size_t row = 0; row < n_rows; row += n_together) {
    const auto chosen = has_rows_ && !channel ? std::optional{row} : channel;
    for (std::size_t first = 0; first < length; first += at_once) {
      const auto numbers = read(first, std::min(at_once, length - first), chosen);
      for (std::size_t i = 0; i < numbers.size() / parts; ++i) {
        result.samples[(row + i % n_together) * length + first + i / n_together] = {
            numbers[i * parts], parts == 2 ? numbers[i * parts + 1] : 0};
      }
    }
  }
  return result;
}

}  // namespace wingbeat::formats
