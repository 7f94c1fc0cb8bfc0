// SPDX-License-Identifier: Apache-2.0
// A low-pass filter over a stream, which arrives in pieces of any length: a tone below the cutoff
// passes, one above is stopped. A recording that lies in memory as a whole takes a convolution.
#include <algorithm>  // max, min
#include <cmath>      // sin, cos
#include <cstdio>     // printf
#include <numbers>    // pi
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr double pi = std::numbers::pi, cutoff = 0.1;  // in cycles per sample
constexpr std::size_t n_taps = 255, n_samples = 200000;

/// A sinc function under a Hann window, whose sum is about 1.
std::vector<float> low_pass() {
  std::vector<float> taps(n_taps);
  for (std::size_t j = 0; j < n_taps; ++j) {
    const double t = static_cast<double>(j) - (n_taps - 1) / 2.0;
    const double sinc = t == 0 ? 2 * cutoff : std::sin(2 * pi * cutoff * t) / (pi * t);
    taps[j] = static_cast<float>(sinc * (0.5 + 0.5 * std::cos(2 * pi * t / (n_taps + 1))));
  }
  return taps;
}

std::vector<float> tone(double cycles_per_sample) {
  std::vector<float> samples(n_samples);
  for (std::size_t n = 0; n < n_samples; ++n) {
    samples[n] = static_cast<float>(std::sin(2 * pi * cycles_per_sample * static_cast<double>(n)));
  }
  return samples;
}

std::vector<float> in_pieces(const queue& queue, const std::vector<float>& taps,
                             const std::vector<float>& samples) {
  std::vector<float> outputs;
  const auto append = [&](const std::vector<float>& piece) {
    outputs.insert(outputs.end(), piece.begin(), piece.end());
  };
  stream_filter filter{queue, taps};
  std::size_t count = 1;
  for (std::size_t first = 0; first < samples.size(); first += count) {
    count = std::min(2 * count + 1, samples.size() - first);
    append(filter.push({samples.data() + first, count}));
  }
  append(filter.flush());
  return outputs;
}

std::vector<float> at_once(queue& queue, const std::vector<float>& taps,
                           const std::vector<float>& samples) {
  const convolution filter{queue,
                           {.image = {samples.size()},
                            .kernel = {taps.size()},
                            .mode = extent::full,
                            .prepared = operand_role::kernel}};
  buffer kernel{queue, filter.kernel_bytes()}, spectrum{queue, filter.spectra_bytes()};
  buffer in{queue, filter.image_bytes()}, out{queue, filter.output_bytes()};
  kernel.write(taps.data(), kernel.size_bytes());
  in.write(samples.data(), in.size_bytes());
  filter.prepare(queue, kernel.view(), spectrum.view());
  filter.enqueue(queue, spectrum.view(), in.view(), out.view());
  std::vector<float> outputs(filter.result()[0]);
  out.read(outputs.data(), out.size_bytes());
  return outputs;
}

/// Returns the largest output that all taps contribute to.
float peak_of(const std::vector<float>& outputs) {
  float peak = 0;
  for (std::size_t n = n_taps; n < n_samples; ++n) peak = std::max(peak, std::abs(outputs[n]));
  return peak;
}

}  // namespace

int main() {
  wingbeat::queue queue{first_device(engine::host)};
  const std::vector<float> taps = low_pass();
  bool is_right = true;
  for (const double frequency : {0.05, 0.2}) {
    const std::vector<float> samples = tone(frequency);
    const auto outputs = in_pieces(queue, taps, samples), same = at_once(queue, taps, samples);
    float difference = 0;
    is_right = is_right && outputs.size() == same.size();
    for (std::size_t n = 0; n < std::min(outputs.size(), same.size()); ++n) {
      difference = std::max(difference, std::abs(outputs[n] - same[n]));
    }
    const float peak = peak_of(outputs);
    std::printf("%.2f cycles per sample: peak %.4f, off the whole recording's by %.1e\n", frequency,
                static_cast<double>(peak), static_cast<double>(difference));
    is_right = is_right && difference < 1e-5F;
    is_right = is_right && (frequency < cutoff ? peak > 0.99F && peak < 1.01F : peak < 0.01F);
  }
  return is_right ? 0 : 1;
}
