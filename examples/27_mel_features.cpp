// SPDX-License-Identifier: Apache-2.0
// The features of a speech recogniser: log-mel bands of a chirp, from samples in one launch on a
// GPU; the same of samples that arrive in pieces; then the chirp again, from its spectra.
#include <algorithm>  // max_element, min
#include <cmath>      // abs, cos, sin
#include <complex>
#include <cstdio>  // printf
#include <numbers>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr double rate_hz = 16000, seconds = 2, first_hz = 300, last_hz = 6000;

/// Returns a tone whose frequency rises evenly.
std::vector<float> chirp() {
  std::vector<float> samples(static_cast<std::size_t>(rate_hz * seconds));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double t = static_cast<double>(i) / rate_hz;
    const double turns = first_hz * t + (last_hz - first_hz) * t * t / (2 * seconds);
    samples[i] = static_cast<float>(std::sin(2 * std::numbers::pi * turns));
  }
  return samples;
}

std::vector<double> hann(std::size_t n) {
  std::vector<double> window;
  for (std::size_t i = 0; i < n; ++i) {
    const double turns = static_cast<double>(i) / static_cast<double>(n);
    window.push_back(0.5 - 0.5 * std::cos(2 * std::numbers::pi * turns));
  }
  return window;
}

/// Frames of 400 samples in the middle of which lies every 160th, with reflected ends.
short_time_spec frames_of(std::size_t length) {
  return {.length = length,
          .n_fft = 400,
          .hop = 160,
          .window = hann(400),
          .before = 200,
          .edge = border::reflect};
}

std::vector<float> in_pieces(const queue& queue, const short_time_spec& spec,
                             const std::vector<float>& samples) {
  std::vector<float> levels;
  const auto append = [&](const std::vector<float>& frames) {
    levels.insert(levels.end(), frames.begin(), frames.end());
  };
  short_time_stream<float> stream{queue, spec};
  std::size_t count = 1;
  for (std::size_t first = 0; first < samples.size(); first += count) {
    count = std::min(2 * count + 1, samples.size() - first);
    append(stream.push({samples.data() + first, count}));
  }
  append(stream.flush());
  return levels;
}

}  // namespace

int main() {
  queue queue{best_device()};
  const std::vector<float> samples = chirp();
  short_time_spec spec = frames_of(samples.size());
  spec.features = {.exponent = 2,
                   .bands = 40,
                   .weights = mel_weights({.bands = 40, .n_fft = 400, .rate_hz = rate_hz}),
                   .has_log = true,
                   .floor = 1e-10,
                   .gain = 1 / std::numbers::ln10};
  const short_time features{queue, spec};
  buffer in{queue, features.sample_bytes()}, out{queue, features.result_bytes()};
  in.write(samples.data(), in.size_bytes());
  features.enqueue(queue, in.view(), out.view());
  std::vector<float> levels(spec.frames() * spec.columns());  // [frame][band]
  out.read(levels.data(), out.size_bytes());
  const bool is_same = in_pieces(queue, spec, samples) == levels;
  std::size_t previous = 0, n_falls = 0;
  for (std::size_t t = 2; t + 2 < spec.frames(); ++t) {  // reflected ends have two tones
    const float* const frame = levels.data() + t * spec.columns();
    const auto loudest =
        static_cast<std::size_t>(std::max_element(frame, frame + spec.columns()) - frame);
    if (t % 24 == 2) {
      std::printf("%4.2f s: band %zu, %5.1f\n", static_cast<double>(t * spec.hop) / rate_hz,
                  loudest, static_cast<double>(frame[loudest]));
    }
    if (loudest < previous) ++n_falls;
    previous = loudest;
  }

  short_time_spec both = frames_of(samples.size());
  both.has_inverse = true;
  const short_time frames{queue, both};
  buffer spectra{queue, frames.spectra_bytes()}, back{queue, frames.sample_bytes()};
  frames.enqueue(queue, in.view(), spectra.view());
  frames.enqueue_inverse(queue, spectra.view(), back.view());
  std::vector<float> found(samples.size());
  back.read(found.data(), back.size_bytes());
  float largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(found[i] - samples[i]));
  }
  std::printf("the inverse is off by %.1e at most\n", static_cast<double>(largest));
  std::printf("frames of a stream are %s\n", is_same ? "the same" : "others");
  return is_same && n_falls == 0 && previous > 30 && largest < 1e-5F ? 0 : 1;
}
