// SPDX-License-Identifier: Apache-2.0
// Transforms an impulse with the host API; its spectrum is flat.
#include <complex>
#include <vector>

#include "wingbeat/wingbeat.hpp"

int main() {
  wingbeat::queue queue{wingbeat::first_device(wingbeat::engine::host)};
  const wingbeat::plan plan{queue, {.lengths = {256}}};
  std::vector<std::complex<float>> x(256);
  x[0] = 1;
  wingbeat::buffer data{queue, x.size() * sizeof x[0]};
  data.write(x.data(), data.size_bytes());
  plan.enqueue(queue, data.view(), data.view());
  data.read(x.data(), data.size_bytes());
  for (const auto z : x) {
    if (std::abs(z - 1.0F) > 1e-6F) return 1;
  }
  return 0;
}
