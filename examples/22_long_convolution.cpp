// SPDX-License-Identifier: Apache-2.0
// A layer of a Hyena-like model, y = h (k * (g x) + d x) with a long kernel for each channel and
// gates g and h, and its training: kernels and skips of an unknown layer are found again by
// gradient descent on its inputs and outputs.
#include <algorithm>  // max
#include <cmath>      // abs
#include <cstdio>     // printf
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr std::size_t length = 1000, taps = 24, channels = 3, batch = 4;
constexpr int n_steps = 60;

std::vector<float> noise(std::size_t count, unsigned state) {
  std::vector<float> values(count);
  for (float& value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 8) / (1 << 23) - 1;
  }
  return values;
}

buffer uploaded(const queue& queue, const std::vector<float>& values) {
  buffer memory{queue, values.size() * sizeof(float)};
  memory.write(values.data(), memory.size_bytes());
  return memory;
}

std::vector<float> downloaded(const buffer& memory) {
  std::vector<float> values(memory.size_bytes() / sizeof(float));
  memory.read(values.data(), memory.size_bytes());
  return values;
}

/// Takes a step against the gradient.
void descend(std::vector<float>& values, const std::vector<float>& gradient, float rate) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= rate * gradient[i];
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

int main() {
  wingbeat::queue queue;  // of the best device
  const long_convolution mix{queue,
                             {.length = length,
                              .kernel = taps,
                              .channels = channels,
                              .batch = batch,
                              .has_gate_before = true,
                              .has_gate_after = true,
                              .has_skip = true,
                              .has_gradients = true}};
  constexpr std::size_t count = batch * channels * length;
  const buffer x = uploaded(queue, noise(count, 1));  // [batch][channel][i], as all of these
  const buffer g = uploaded(queue, noise(count, 2)), h = uploaded(queue, noise(count, 3));
  const buffer y{queue, mix.signal_bytes()}, spectra{queue, mix.spectra_bytes()};
  const long_convolution_operands gates{.gate_before = g.view(), .gate_after = h.view()};
  const auto forward = [&](const std::vector<float>& kernels, const std::vector<float>& skips) {
    const buffer k = uploaded(queue, kernels);  // [channel][tap]
    const buffer d = uploaded(queue, skips);    // [channel]
    mix.prepare(queue, k.view(), spectra.view(), d.view());
    mix.enqueue(queue, spectra.view(), x.view(), y.view(), gates);
    return downloaded(y);
  };
  const std::vector<float> kernels = noise(channels * taps, 4), skips = noise(channels, 5);
  const std::vector<float> wanted = forward(kernels, skips);
  std::printf("%s", mix.explain().c_str());

  std::vector<float> k(channels * taps), d(channels);
  buffer of_kernels{queue, mix.kernel_bytes()}, of_skips{queue, mix.skip_bytes()};
  // The gradient of half the squared error is the error. Inputs are white, so that its second
  // derivative is about length x batch times the gates' mean squares and that of x, all 1/3.
  const float rate = 27.0F / (length * batch);
  for (int step = 0; step < n_steps; ++step) {
    std::vector<float> error = forward(k, d);
    for (std::size_t i = 0; i < count; ++i) error[i] -= wanted[i];
    const buffer of_results = uploaded(queue, error);
    mix.enqueue_kernel_gradient(queue, x.view(), of_results.view(), of_kernels.view(),
                                of_skips.view(), gates);
    // Tap 0 and the skip do the same, so that each takes half of their step.
    descend(k, downloaded(of_kernels), rate / 2);
    descend(d, downloaded(of_skips), rate / 2);
    if (step % 10 == 0) {
      std::printf("step %2d: results are off by up to %.1e\n", step,
                  static_cast<double>(largest_difference(error, std::vector<float>(count))));
    }
  }
  const float off = largest_difference(forward(k, d), wanted);
  std::printf("in the end by %.1e\n", static_cast<double>(off));
  return off < 1e-3F ? 0 : 1;
}
