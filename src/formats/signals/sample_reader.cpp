// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/sample_reader.hpp"

#include <algorithm>  // max, min
#include <cmath>      // isfinite

#include "formats/files/refusal.hpp"  // refuse_not_finite
#include "text/formatted.hpp"         // formatted

namespace wingbeat::formats {
namespace {

std::size_t frames_at_once(std::size_t frame_numbers) {
  return std::max<std::size_t>((std::size_t{1} << 17) / frame_numbers, 1);
}

}  // namespace

std::vector<double> sample_reader::read(std::size_t first, std::size_t count,
                                        std::optional<std::size_t> channel) {
  const bool is_one_row = channel && (has_rows_ || shape_.n_rows == 1);
  const channel_range loaded{is_one_row ? *channel : 0, is_one_row ? 1 : shape_.n_rows};
  const std::size_t parts = shape_.is_real ? 1 : 2, frame = parts * loaded.count;
  const bool is_chosen = channel && !is_one_row;
  std::vector<double> chosen, numbers;
  // One channel of many is taken from a few frames at a time.
  const std::size_t at_once = is_chosen ? frames_at_once(frame) : count;
  for (std::size_t done = 0; done < count; done += at_once) {
    numbers.resize(std::min(at_once, count - done) * frame);
    load(first + done, loaded, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isfinite(numbers[i])) continue;
      const char* const axis = shape_.n_channels > 0 ? "channel" : "row";
      refuse_not_finite(name_,
                        formatted("sample {} of {} {}", first + done + i / frame, axis,
                                  loaded.first + i % frame / parts),
                        numbers[i]);
    }
    for (std::size_t i = 0; is_chosen && i < numbers.size() / loaded.count; ++i) {
      chosen.push_back(numbers[i / parts * frame + *channel * parts + i % parts]);
    }
  }
  return is_chosen ? chosen : numbers;
}

signal sample_reader::read_all(std::optional<std::size_t> channel, std::size_t max_length) {
  signal result = shape_;
  result.row_length = std::min(result.row_length, max_length);
  if (channel) result.n_rows = 1;
  const std::size_t n_rows = result.n_rows, length = result.row_length;
  result.samples.resize(n_rows * length);
  const std::size_t parts = shape_.is_real ? 1 : 2, n_together = has_rows_ ? 1 : n_rows;
  const std::size_t at_once = frames_at_once(parts * (has_rows_ ? 1 : shape_.n_rows));
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
