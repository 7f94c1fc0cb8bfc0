// SPDX-License-Identifier: Apache-2.0
#include "distributing/boxes.hpp"

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
  std::vector<std::size_t> distances(whole.lower.size(), 1);
  for (std::size_t axis = distances.size() - 1; axis-- > 0;) {
    distances[axis] = distances[axis + 1] * whole.length(axis + 1);
  }
  return distances;
}

std::size_t place_of(const box& whole, const std::vector<std::size_t>& element) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < element.size(); ++i) {
    place = place * whole.length(i) + element[i] - whole.lower[i];
  }
  return place;
}

}  // namespace wingbeat::distributing
