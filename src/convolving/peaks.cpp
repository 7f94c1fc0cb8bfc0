// SPDX-License-Identifier: Apache-2.0
// Greedy non-maximum suppression: takes the highest place that is left, drops its neighbours,
// and repeats. Only as many places are sorted as the wanted peaks need.
#include <algorithm>  // fill, max, min, nth_element, sort
#include <bit>        // bit_cast
#include <cmath>      // ceil, isnan, sqrt
#include <cstdint>    // uint32_t, uint64_t
#include <limits>
#include <utility>  // move

#include "text/reject.hpp"               // reject
#include "wingbeat/template_search.hpp"  // peak

namespace wingbeat {
namespace {

/// A place and its score in one number: lower numbers have higher scores, or equal scores and
/// earlier places.
using candidate = std::uint64_t;

std::size_t place_of(candidate each) {
  return static_cast<std::uint32_t>(each);
}

candidate candidate_of(float score, std::size_t place) {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);  // -0 equals +0
  const std::uint32_t descending = (bits >> 31) != 0 ? bits : ~bits & 0x7fffffffU;
  return std::uint64_t{descending} << 32 | place;
}

std::vector<candidate> candidates_of(const std::vector<float>& scores, double least) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  std::vector<candidate> result;
  for (std::size_t place = 0; place < scores.size(); ++place) {
    const float score = scores[place];
    if (score > none && double{score} >= least) result.push_back(candidate_of(score, place));
  }
  return result;
}

/// Returns how many columns beside a peak are too close to it, in its row and each one below that
/// has any, with no distance beyond the map.
using reaches = std::vector<std::size_t>;

/// Closer than `distance` in both axes.
reaches square_of(std::size_t distance, std::size_t height, std::size_t width) {
  return reaches(std::min(distance, height),
                 std::min(std::max<std::size_t>(distance, 1), width) - 1);
}

/// Nearer than `radius`.
reaches disc_of(double radius, std::size_t height, std::size_t width) {
  reaches result;
  for (double y = 0; y < std::min(radius, static_cast<double>(height)); ++y) {
    const double half = std::ceil(std::sqrt(radius * radius - y * y)) - 1;
    result.push_back(static_cast<std::size_t>(std::min(half, static_cast<double>(width))));
  }
  return result;
}

/// Places too close to a peak.
class suppressed_places {
 public:
  suppressed_places(std::size_t width, std::size_t height, reaches around)
      : width_(width), height_(height), reaches_(std::move(around)) {
    if (!is_alone()) is_suppressed_.assign(width * height, false);
  }

  [[nodiscard]] bool contains(std::size_t place) const {
    return !is_alone() && is_suppressed_[place];
  }

  void add_around(std::size_t place) {
    if (is_alone()) return;
    const std::size_t y = place / width_, x = place % width_;
    for (std::size_t away = 0; away < reaches_.size(); ++away) {
      if (y + away < height_) add(y + away, x, reaches_[away]);
      if (y >= away) add(y - away, x, reaches_[away]);
    }
  }

 private:
  [[nodiscard]] bool is_alone() const {
    return reaches_.empty() || (reaches_.size() == 1 && reaches_[0] == 0);
  }

  void add(std::size_t row, std::size_t x, std::size_t reach) {
    const auto first = is_suppressed_.begin() + static_cast<std::ptrdiff_t>(row * width_);
    std::fill(first + static_cast<std::ptrdiff_t>(x - std::min(x, reach)),
              first + static_cast<std::ptrdiff_t>(std::min(x + reach + 1, width_)), true);
  }

  std::size_t width_, height_;
  reaches reaches_;
  std::vector<bool> is_suppressed_;
};

void require_map(const std::vector<float>& scores, const std::vector<std::uint32_t>& numbers,
                 std::size_t width) {
  reject_if(numbers.size() != scores.size(),
            "there are {} scores and {} numbers; give one number for each score", scores.size(),
            numbers.size());
  if (scores.empty()) return;
  reject_if(width == 0 || scores.size() % width != 0,
            "{} scores do not make rows of {}; give the width of the map", scores.size(), width);
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (scores.size() <= most) return;
  reject(
      "a map of {} scores is too large to find peaks in, at most {} are "
      "allowed; search parts of it",
      scores.size(), most);
}

/// Returns peaks of a map, around each of which are the places of reaches_of(height, width).
template <class ReachesOf>
std::vector<peak> greedy_peaks(const std::vector<float>& scores,
                               const std::vector<std::uint32_t>& numbers, std::size_t width,
                               std::size_t most, double least, const ReachesOf& reaches_of) {
  require_map(scores, numbers, width);
  reject_if(std::isnan(least),
            "the least score of peaks is NaN, which no score reaches; give a number");
  std::vector<peak> peaks;
  if (scores.empty() || most == 0) return peaks;
  std::vector<candidate> left = candidates_of(scores, least);
  const std::size_t height = scores.size() / width;
  suppressed_places suppressed{width, height, reaches_of(height, width)};
  constexpr std::size_t shortest_part = 4096;
  std::size_t part = std::max(shortest_part, std::min(most, left.size()));
  while (!left.empty()) {
    // Sorts the `part` highest; each round sorts twice as many of the remaining places.
    part = std::min(part, left.size());
    const auto end = left.begin() + static_cast<std::ptrdiff_t>(part);
    if (end != left.end()) std::nth_element(left.begin(), end, left.end());
    std::sort(left.begin(), end);
    for (auto next = left.begin(); next != end; ++next) {
      const std::size_t place = place_of(*next);
      if (suppressed.contains(place)) continue;
      peaks.push_back({scores[place], numbers[place], place / width, place % width});
      if (peaks.size() == most) return peaks;
      suppressed.add_around(place);
    }
    left.erase(left.begin(), end);
    std::erase_if(left, [&](candidate each) { return suppressed.contains(place_of(each)); });
    part *= 2;
  }
  return peaks;
}

}  // namespace

std::vector<peak> peaks_of(const std::vector<float>& scores,
                           const std::vector<std::uint32_t>& numbers, std::size_t width,
                           std::size_t most, double least, std::size_t distance) {
  return greedy_peaks(scores, numbers, width, most, least,
                      [&](auto rows, auto columns) { return square_of(distance, rows, columns); });
}

std::vector<peak> separated_peaks(const std::vector<float>& scores,
                                  const std::vector<std::uint32_t>& numbers, std::size_t width,
                                  std::size_t most, double least, double radius) {
  reject_if(!(radius >= 0), "peaks have a radius of {}; give 0 or more", radius);
  return greedy_peaks(scores, numbers, width, most, least,
                      [&](auto rows, auto columns) { return disc_of(radius, rows, columns); });
}

}  // namespace wingbeat
