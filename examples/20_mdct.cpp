// SPDX-License-Identifier: Apache-2.0
// 20_mdct [RECORDING.wav]: the modified cosine transform of a recording, as audio coders take it,
// and back: frames of 2n samples, half of which the next frame has too, are folded to n and become
// n coefficients by dct4. What folding mixes cancels where frames overlap. Without a file: tones.
#include <algorithm>  // copy, max
#include <cmath>      // abs, sin
#include <cstdint>    // int16_t, uint16_t
#include <cstdio>     // fprintf, printf
#include <cstring>    // memcpy
#include <fstream>
#include <iterator>  // istreambuf_iterator
#include <numbers>   // pi
#include <string>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

constexpr std::size_t n = 1024;  // coefficients of a frame

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

std::vector<float> tones() {
  std::vector<float> signal(65000);
  for (std::size_t i = 0; i < signal.size(); ++i) {
    const auto t = static_cast<double>(i);
    signal[i] = static_cast<float>(0.5 * std::sin(0.02 * t) + 0.3 * std::sin(1e-6 * t * t));
  }
  return signal;
}

/// Returns the samples of a file of one channel of 16 bits; none of any other file.
std::vector<float> recording(const char* name) {
  std::ifstream file{name, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  std::vector<float> samples;
  // Bytes 20 to 35 say how samples are stored: 1, one channel, rate, bytes a second, 2, 16 bits.
  const std::size_t data = bytes.find("data");
  if (data == std::string::npos || data < 36 || bytes.size() < data + 8) return samples;
  std::uint16_t format[2], bits = 0;
  std::memcpy(format, bytes.data() + 20, sizeof format);
  std::memcpy(&bits, bytes.data() + 34, sizeof bits);
  if (format[0] != 1 || format[1] != 1 || bits != 16) return samples;
  for (std::size_t i = data + 8; i + 2 <= bytes.size(); i += 2) {
    std::int16_t value = 0;
    std::memcpy(&value, bytes.data() + i, sizeof value);
    samples.push_back(static_cast<float>(value) / 32768);
  }
  return samples;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace wingbeat;
  const std::vector<float> given = argc > 1 ? recording(argv[1]) : tones();
  if (given.empty()) {
    std::fprintf(stderr, "%s is no .wav file of one channel of 16 bits; give one, or nothing\n",
                 argv[1]);
    return 2;
  }
  // Every sample is in two frames: zeros stand before the first one and behind the last one.
  const std::size_t n_frames = (given.size() + n - 1) / n + 1;
  std::vector<float> signal((n_frames + 1) * n);
  std::copy(given.begin(), given.end(), signal.begin() + n);

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
  float largest = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    largest = std::max(largest, std::abs(restored[n + i] - given[i]));
  }
  std::printf(
      "%zu samples in %zu frames of %zu coefficients and back: the largest difference is %.1e\n",
      given.size(), n_frames, n, static_cast<double>(largest));
  return largest < 1e-6F ? 0 : 1;
}
