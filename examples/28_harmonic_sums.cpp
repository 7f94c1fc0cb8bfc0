// SPDX-License-Identifier: Apache-2.0
// Pulses that repeat: the power of a bin and of its multiples, summed, which shows a pulse whose
// harmonics are all as weak as the noise. Each sum needs bins from all of a row, so the store sees
// whole rows; no spectrum goes to memory. One request runs on every engine of this machine.
#include <algorithm>  // max_element
#include <cmath>      // cos
#include <cstdio>     // printf
#include <numbers>    // pi
#include <random>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

constexpr std::size_t n = 1024, batch = 4, harmonics = 8, n_sums = n / 2 / harmonics + 1;

constexpr const char* device_text = R"(
namespace wd = wingbeat::device;

struct harmonic_sums {
  using element = float;
  WINGBEAT_FN static wd::complex<float> prepared(wd::complex<float> z, wd::size, wd::size) {
    return {z.re * z.re + z.im * z.im, 0};
  }
  template <class Values>
  WINGBEAT_FN static float output(const Values& powers, wd::size, wd::size k) {
    float sum = 0;
    for (wd::size h = 1; h <= 8; ++h) sum += powers(h * k).re;
    return sum;
  }
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL float* out, wd::size row, wd::size k, float sum) {
    out[row * 65 + k] = sum;
  }
};
)";

/// The request: the same for every engine.
wingbeat::plan_spec sums_of_spectra() {
  using namespace wingbeat;
  plan_spec spec{.lengths = {n}, .batch = batch, .kind = transform::forward_from_real};
  spec.store = {.out_bytes = batch * n_sums * sizeof(float),
                .element_bytes = sizeof(float),
                .source = {device_text, "harmonic_sums"},
                .row_outputs = n_sums};
  spec.store.callable = [](void* out, std::size_t row, std::size_t,
                           std::span<const std::complex<float>> bins) {
    for (std::size_t k = 0; k < n_sums; ++k) {
      float& sum = static_cast<float*>(out)[row * n_sums + k];
      sum = 0;
      for (std::size_t h = 1; h <= harmonics; ++h) sum += std::norm(bins[h * k]);
    }
  };
  return spec;
}

/// Row r has 20 + 5 r pulses, below its noise.
std::vector<float> pulses() {
  std::vector<float> samples(batch * n);  // [row][sample]
  std::mt19937 bits{1};
  std::normal_distribution<float> noise;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = noise(bits);
    for (std::size_t h = 1; h <= harmonics; ++h) {
      const auto turns = static_cast<double>(h * (20 + 5 * (i / n)) * (i % n)) / n;
      samples[i] += static_cast<float>(0.2 * std::cos(2 * std::numbers::pi * turns));
    }
  }
  return samples;
}

/// Finds the pulses on one device, and returns whether each row had its number of them.
bool finds_pulses(const wingbeat::device_info& device) {
  const wingbeat::plan_spec spec = sums_of_spectra();
  wingbeat::queue queue{device};
  const wingbeat::plan sums{queue, spec};
  wingbeat::buffer in{queue, input_bytes(spec)}, out{queue, output_bytes(spec)};
  const auto samples = pulses();
  in.write(samples.data(), in.size_bytes());
  std::printf("%s\n%s\n", device.name.c_str(), sums.explain().c_str());
  sums.enqueue(queue, in.view(), out.view());
  std::vector<float> found(batch * n_sums);  // [row][k]
  out.read(found.data(), out.size_bytes());
  bool is_found = true;
  for (std::size_t row = 0; row < batch; ++row) {
    const float* const first = found.data() + row * n_sums;
    const auto best = std::max_element(first + 1, first + n_sums) - first;
    std::printf("  row %zu: %td pulses\n", row, best);
    is_found = is_found && best == static_cast<std::ptrdiff_t>(20 + 5 * row);
  }
  return is_found;
}

}  // namespace

int main() {
  bool is_found = true;
  for (const wingbeat::device_info& device : wingbeat::devices()) {
    is_found = finds_pulses(device) && is_found;
  }
  return is_found ? 0 : 1;
}
