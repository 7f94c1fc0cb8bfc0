// SPDX-License-Identifier: Apache-2.0
// Transforms a batch of four tones on the best device here and finds each tone's bin.
#include <algorithm>  // max_element
#include <cmath>      // polar, norm
#include <complex>
#include <cstdio>   // printf
#include <numbers>  // pi_v
#include <vector>

#include "wingbeat/wingbeat.hpp"

int main() {
  constexpr std::size_t n = 1024, batch = 4;
  std::vector<std::complex<float>> x(batch * n);  // [row][sample]
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t cycles = 100 * (i / n + 1);  // row r: 100 (r + 1) turns in n samples
    const auto turns = static_cast<float>(cycles * i % n) / n;
    x[i] = std::polar(1.0F, 2 * std::numbers::pi_v<float> * turns);
  }

  wingbeat::queue queue;  // of the best device: an NVIDIA GPU, an OpenCL GPU, or this processor
  const wingbeat::plan spectra{queue, {.lengths = {n}, .batch = batch}};
  wingbeat::buffer data{queue, x.size() * sizeof x[0]};

  data.write(x.data(), data.size_bytes());
  spectra.enqueue(queue, data.view(), data.view());  // in place
  data.read(x.data(), data.size_bytes());            // waits for the transform

  std::printf("%s\n%s\n", queue.device().name.c_str(), spectra.explain().c_str());
  const auto is_weaker = [](auto a, auto b) { return std::norm(a) < std::norm(b); };
  for (std::size_t row = 0; row < batch; ++row) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(row * n);
    const auto strongest = std::max_element(first, first + n, is_weaker) - first;
    std::printf("row %zu: bin %td, magnitude %g\n", row, strongest, std::abs(first[strongest]));
    if (strongest != static_cast<std::ptrdiff_t>(100 * (row + 1))) return 1;
  }
}
