// SPDX-License-Identifier: Apache-2.0
// A channeliser: noise that reaches the second polarisation 2.25 samples later. The cross-phase of
// the polarisations falls along the band, and its slope is the delay.
#include <complex>  // abs, conj, polar
#include <cstdio>   // printf
#include <cstring>  // memcpy
#include <numbers>  // pi
#include <random>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr std::size_t channels = 256, n_samples = std::size_t{1} << 17;
constexpr double pi = std::numbers::pi, delay_samples = 2.25;

/// Noise as a sum of tones, each `delay` samples later: of 10 bits, at an rms of about 80.
std::vector<std::int16_t> digitised(double delay) {
  constexpr std::size_t n_tones = 200;
  std::mt19937 bits{1};
  std::uniform_real_distribution<double> turns{0, 1};
  std::vector<double> sum(n_samples);
  for (std::size_t i = 0; i < n_tones; ++i) {
    const double frequency = turns(bits) / 2, start = turns(bits);
    // A rotation a sample in place of a sine a sample.
    const auto step = std::polar(1.0, 2 * pi * frequency);
    auto tone = std::polar(8.0, 2 * pi * (start - frequency * delay));
    for (double& x : sum) {
      x += tone.real();
      tone *= step;
    }
  }
  return {sum.begin(), sum.end()};
}

/// Returns the sum over spectra of the product of one polarisation and the conjugate of the other.
std::vector<std::complex<double>> cross_products(const channelised_heap& heap) {
  std::vector<std::complex<float>> values(heap.bytes.size() / sizeof(std::complex<float>));
  std::memcpy(values.data(), heap.bytes.data(), heap.bytes.size());  // [channel][spectrum][pol]
  std::vector<std::complex<double>> products(channels);
  const std::size_t spectra = values.size() / channels / 2;
  for (std::size_t k = 0; k < channels; ++k) {
    for (std::size_t s = 0; s < heap.n_spectra; ++s) {
      const std::complex<double> a = values[(k * spectra + s) * 2];
      const std::complex<double> b = values[(k * spectra + s) * 2 + 1];
      products[k] += b * std::conj(a);
    }
  }
  return products;
}

/// Returns the delay whose phases, -pi delay k/channels and a constant, fit best.
double fitted_delay(const std::vector<std::complex<double>>& products) {
  double best = 0, most = 0;
  for (int step = -4000; step <= 4000; ++step) {
    const double delay = step / 1000.0;
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k < channels; ++k) {
      sum += products[k] * std::polar(1.0, pi * delay * static_cast<double>(k) / channels);
    }
    if (std::abs(sum) <= most) continue;
    most = std::abs(sum);
    best = delay;
  }
  return best;
}

double measured_delay(queue& queue, const std::vector<std::vector<delay_model>>& corrections) {
  const std::vector<std::int16_t> first = digitised(0), second = digitised(delay_samples);
  channeliser bank{queue,
                   {.adc_rate_hz = 1712e6,
                    .channels = channels,
                    .spectra_per_heap = 64,
                    .output = heap_sample::fp32,
                    .delays = corrections},
                   0};
  std::vector<std::complex<double>> sums(channels);
  const auto add = [&](const channelised_heap& heap) {
    const auto products = cross_products(heap);
    for (std::size_t k = 0; k < channels; ++k) sums[k] += products[k];
  };
  bank.push(queue, {.integers = {first, second}, .count = n_samples}, add);
  bank.flush(queue, add);
  return fitted_delay(sums);
}

}  // namespace

int main() {
  wingbeat::queue queue{first_device(engine::host)};
  const double before = measured_delay(queue, {});
  // A positive delay makes a signal later: the first polarisation waits for the second.
  const double after = measured_delay(queue, {{{.delay_samples = delay_samples}}, {}});
  std::printf("delay %.3f samples, and %.3f after its correction\n", before, after);
  return std::abs(before - delay_samples) < 0.02 && std::abs(after) < 0.02 ? 0 : 1;
}
