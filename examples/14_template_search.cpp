// SPDX-License-Identifier: Apache-2.0
// Finds patterns in a noisy image: a search over templates keeps the best score of every place and
// which template had it, and returns the highest peaks. No map of any template is written.
#include <cmath>    // cos, sin
#include <cstdint>  // uint64_t
#include <cstdio>   // printf
#include <random>
#include <vector>

#include "wingbeat/wingbeat.hpp"

int main() {
  constexpr std::size_t side = 256, patch = 24, count = 6;
  std::mt19937 random{1};
  std::normal_distribution<float> noise;
  std::vector<float> image(side * side), templates(count * patch * patch);  // [y][x], [t][y][x]
  for (float& value : image) value = 10 + noise(random);
  for (std::size_t i = 0; i < templates.size(); ++i) {  // waves in six directions
    const double angle = 0.52 * static_cast<double>(i / (patch * patch));
    const auto y = static_cast<double>(i / patch % patch), x = static_cast<double>(i % patch);
    templates[i] = static_cast<float>(std::cos(std::cos(angle) * x + std::sin(angle) * y));
  }
  const auto plant = [&](std::size_t number, std::size_t y, std::size_t x) {
    for (std::size_t i = 0; i < patch * patch; ++i) {
      image[(y + i / patch) * side + x + i % patch] += templates[number * patch * patch + i];
    }
  };
  plant(4, 31, 200);
  plant(1, 140, 17);

  wingbeat::queue queue;
  wingbeat::buffer in{queue, image.size() * sizeof(float)};
  wingbeat::buffer batch{queue, templates.size() * sizeof(float)};
  in.write(image.data(), in.size_bytes());
  batch.write(templates.data(), batch.size_bytes());
  wingbeat::template_search search{queue,
                                   {.image = {side, side},
                                    .templates = {patch, patch},
                                    .is_normalised = true,
                                    .templates_at_once = 3}};
  search.begin(queue, in.view());
  search.add(queue, batch.view(), count);  // once for each batch of a longer stream
  const auto peaks = search.peaks(queue, 2, 0.4, patch / 2);
  for (const auto& [score, number, y, x] : peaks) {
    std::printf("template %u at (%zu, %zu), score %.2f\n", unsigned(number), y, x, score);
  }
  const auto is_at = [&](std::uint64_t number, std::size_t y, std::size_t x) {
    for (const auto& found : peaks) {
      if (found.number == number && found.y == y && found.x == x) return true;
    }
    return false;
  };
  return is_at(4, 31, 200) && is_at(1, 140, 17) ? 0 : 1;
}
