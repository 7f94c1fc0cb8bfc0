// SPDX-License-Identifier: Apache-2.0
// A spectrum of 16-bit samples in one plan: a Hann window while they are loaded, the power of each
// bin in dB while it is stored. One request with both forms of each functor runs on every engine
// of this machine; no crossing of memory is spent on the window, the conversion or the power.
#include <algorithm>  // max_element
#include <cmath>      // cos, log10, lround
#include <cstdint>    // int16_t
#include <cstdio>     // printf
#include <numbers>    // pi
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

constexpr std::size_t n = 4096, n_bins = n / 2 + 1, batch = 5;

/// The same block on the host and in the text below.
struct window {
  float volts_per_step;
  float weight[n];
};

// What cuda and opencl compile. A parameter block may be long: here it holds the window itself.
constexpr const char* device_text = R"(
namespace wd = wingbeat::device;

struct windowed {
  using element = short;
  struct parameters { float volts_per_step; float weight[4096]; };
  WINGBEAT_FN static float load(WINGBEAT_GLOBAL const short* in,
                                WINGBEAT_GLOBAL const parameters& fixed, wd::size row, wd::size i) {
    return fixed.volts_per_step * fixed.weight[i] * in[row * 4096 + i];
  }
};

struct power_in_db {
  using element = float;
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL float* out, wd::size row, wd::size k,
                                wd::complex<float> z) {
    out[row * 2049 + k] = 10 * log10(z.re * z.re + z.im * z.im + 1e-12f);
  }
};
)";

window hann() {
  window load{.volts_per_step = 1 / 32768.0F, .weight = {}};
  for (std::size_t i = 0; i < n; ++i) {
    const double turns = static_cast<double>(i) / n;
    load.weight[i] = static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * turns));
  }
  return load;
}

/// The request: the same for every engine.
wingbeat::plan_spec power_spectra() {
  using namespace wingbeat;
  plan_spec spec{.lengths = {n}, .batch = batch, .kind = transform::forward_from_real};
  spec.load = {.in_bytes = batch * n * sizeof(std::int16_t),
               .element_bytes = sizeof(std::int16_t),
               .source = {device_text, "windowed", bytes_of(hann())}};
  spec.load.callable = [with = hann()](const void* in, std::size_t row, std::size_t first,
                                       std::span<float> into) {
    const auto* const samples = static_cast<const std::int16_t*>(in) + row * n;
    for (std::size_t i = first; float& x : into) {
      x = with.volts_per_step * with.weight[i] * static_cast<float>(samples[i]);
      ++i;
    }
  };
  spec.store = {.out_bytes = batch * n_bins * sizeof(float),
                .element_bytes = sizeof(float),
                .source = {device_text, "power_in_db"}};
  spec.store.callable = [](void* out, std::size_t row, std::size_t first,
                           std::span<const std::complex<float>> bins) {
    float* target = static_cast<float*>(out) + row * n_bins + first;
    for (const auto z : bins) *target++ = 10 * std::log10(std::norm(z) + 1e-12F);
  };
  return spec;
}

/// Row r holds a tone in bin 200 (r + 1), 6 dB weaker than the row before.
std::vector<std::int16_t> tones() {
  std::vector<std::int16_t> samples(batch * n);  // [row][sample]
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t row = i / n;
    const double turns = static_cast<double>(200 * (row + 1) * i % n) / n;
    const double amplitude = 32000.0 / static_cast<double>(std::size_t{1} << row);
    samples[i] =
        static_cast<std::int16_t>(std::lround(amplitude * std::cos(2 * std::numbers::pi * turns)));
  }
  return samples;
}

/// Transforms the tones on one device and says whether each was found at its level.
bool finds_tones(const wingbeat::device_info& device) {
  const wingbeat::plan_spec spec = power_spectra();
  wingbeat::queue queue{device};
  const wingbeat::plan spectra{queue, spec};
  wingbeat::buffer in{queue, input_bytes(spec)}, out{queue, output_bytes(spec)};
  const auto samples = tones();
  std::vector<float> power(batch * n_bins);  // [row][bin]
  in.write(samples.data(), in.size_bytes());
  spectra.enqueue(queue, in.view(), out.view());
  out.read(power.data(), out.size_bytes());

  std::printf("%s\n%s\n", device.name.c_str(), spectra.explain().c_str());
  bool is_found = true;
  for (std::size_t row = 0; row < batch; ++row) {
    const float* const bins = power.data() + row * n_bins;
    const float* const highest = std::max_element(bins, bins + n_bins);
    std::printf("  row %zu: bin %td, %.1f dB\n", row, highest - bins, *highest);
    // A Hann window halves a tone, and half of its amplitude is in the mirror bin: N/4 in all.
    const double level =
        20 * std::log10(32000.0 / 32768 * n / 4) - 6.0206 * static_cast<double>(row);
    is_found = is_found && highest - bins == static_cast<std::ptrdiff_t>(200 * (row + 1)) &&
               std::abs(*highest - level) < 0.05;
  }
  return is_found;
}

}  // namespace

int main() {
  bool is_found = true;
  for (const wingbeat::device_info& device : wingbeat::devices()) {
    is_found = finds_tones(device) && is_found;
  }
  return is_found ? 0 : 1;
}
