// SPDX-License-Identifier: Apache-2.0
// The modified cosine transform of a signal, as audio coders take it, and back: frames of 2n
// samples, half of which the next frame has too, are folded to n and become n coefficients by
// dct4. What folding mixes cancels where frames overlap.
#include <algorithm>  // max
#include <cmath>      // abs, sin
#include <cstdio>     // printf
#include <numbers>    // pi
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

constexpr std::size_t n = 1024, n_frames = 64;  // coefficients of a frame

/// The sine window: squares of its halves add up to 1.
float window(std::size_t i) {
  return static_cast<float>(
      std::sin(std::numbers::pi * (static_cast<double>(i) + 0.5) / (2.0 * n)));
}

/// Where sample i of a frame is folded to, and with which sign: (a, b, c, d) of n/2 each becomes
/// (-c reversed - d, a - b reversed).
struct fold {
  explicit fold(std::size_t i)
      : target(i < n ? (i < n / 2 ? n / 2 + i : 3 * n / 2 - 1 - i)
                     : (i < 3 * n / 2 ? 3 * n / 2 - 1 - i : i - 3 * n / 2)),
        sign(i < n / 2 ? 1.0F : -1.0F) {}
  std::size_t target;
  float sign;
};

}  // namespace

int main() {
  using namespace wingbeat;
  std::vector<float> signal((n_frames + 1) * n);
  for (std::size_t i = 0; i < signal.size(); ++i) {
    const auto t = static_cast<double>(i);
    signal[i] = static_cast<float>(0.5 * std::sin(0.02 * t) + 0.3 * std::sin(1e-6 * t * t));
  }

  std::vector<float> folded(n_frames * n);  // [frame][coefficient]
  for (std::size_t frame = 0; frame < n_frames; ++frame) {
    for (std::size_t i = 0; i < 2 * n; ++i) {
      const fold place{i};
      folded[frame * n + place.target] += place.sign * window(i) * signal[frame * n + i];
    }
  }

  // dct4 undoes itself, up to 2n: one plan, scaled by its root, serves both ways.
  queue on{first_device(engine::host)};
  const plan coefficients{on,
                          {.lengths = {n},
                           .batch = n_frames,
                           .kind = transform::dct4,
                           .scale = scaling::by_sqrt_length,
                           .where = placement::in_place}};
  buffer frames{on, folded.size() * sizeof(float)};
  frames.write(folded.data(), frames.size_bytes());
  coefficients.enqueue(on, frames.view(), frames.view());
  // Here a coder would round them.
  coefficients.enqueue(on, frames.view(), frames.view());
  frames.read(folded.data(), frames.size_bytes());

  std::vector<float> restored(signal.size());
  for (std::size_t frame = 0; frame < n_frames; ++frame) {
    for (std::size_t i = 0; i < 2 * n; ++i) {
      const fold place{i};
      restored[frame * n + i] += place.sign * window(i) * folded[frame * n + place.target];
    }
  }
  float largest = 0;  // but for the ends, which one frame alone has
  for (std::size_t i = n; i < n_frames * n; ++i) {
    largest = std::max(largest, std::abs(restored[i] - signal[i]));
  }
  std::printf("%zu frames of %zu coefficients and back: the largest difference is %.1e\n", n_frames,
              n, static_cast<double>(largest));
  return largest < 1e-6F ? 0 : 1;
}
