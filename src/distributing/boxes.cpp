// SPDX-License-Identifier: Apache-2.0
#include "distributing/boxes.hpp"

#include <cmath>  // ceil

#include "text/formatted.hpp"  // formatted, joined
#include "text/reject.hpp"     // reject

namespace wingbeat::distributing {

std::vector<box> cut_along(const box& elements, std::size_t axis, std::size_t ranks) {
  std::vector<box> boxes(ranks, elements);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const index_range share = share_of(elements.length(axis), rank, ranks);
    boxes[rank].lower[axis] = elements.lower[axis] + share.first;
    boxes[rank].upper[axis] = elements.lower[axis] + share.end;
  }
  return boxes;
}

std::vector<box> undivided(const box& elements, std::size_t ranks) {
  std::vector<box> boxes(ranks, {elements.lower, elements.lower});
  boxes.front() = elements;
  return boxes;
}

std::vector<std::size_t> distances_of(const box& whole) {
  if (!whole.strides.empty()) return whole.strides;
  std::vector<std::size_t> distances(whole.lower.size(), 1);
  for (std::size_t axis = distances.size() - 1; axis-- > 0;) {
    distances[axis] = distances[axis + 1] * whole.length(axis + 1);
  }
  return distances;
}

std::size_t place_of(const box& whole, const std::vector<std::size_t>& element) {
  const std::vector<std::size_t> distances = distances_of(whole);
  std::size_t place = 0;
  for (std::size_t i = 0; i < element.size(); ++i) {
    place += (element[i] - whole.lower[i]) * distances[i];
  }
  return place;
}

double rounded_span(const box& whole) {
  double count = 1, last = 0;
  const bool is_packed = whole.strides.size() != whole.lower.size();
  for (std::size_t i = 0; i < whole.lower.size(); ++i) {
    const auto length = static_cast<double>(whole.length(i));
    count *= length;
    if (!is_packed) last += (length - 1) * static_cast<double>(whole.strides[i]);
  }
  return is_packed || count == 0 ? count : last + 1;
}

double rounded_span(const std::vector<box>& boxes) {
  double sum = 0;
  for (const box& each : boxes) sum += rounded_span(each);
  return sum;
}

void require_rank(std::size_t rank, std::size_t ranks) {
  if (rank < ranks) return;
  reject("rank {} of {} was asked for; give a rank below the number of ranks", rank, ranks);
}

std::string text_of(const std::vector<box>& boxes) {
  std::string text;
  for (const box& each : boxes) {
    text += formatted("{}:{}:{};", joined(each.lower, ","), joined(each.upper, ","),
                      joined(each.strides, ","));
  }
  return text;
}

std::size_t bytes_of_share(std::size_t bytes, std::size_t element_bytes, std::size_t count,
                           std::size_t whole) {
  const auto share = static_cast<long double>(bytes / element_bytes) *
                     static_cast<long double>(count) / static_cast<long double>(whole);
  return static_cast<std::size_t>(std::ceil(share)) * element_bytes;
}

}  // namespace wingbeat::distributing
