// SPDX-License-Identifier: Apache-2.0
// consumer VERSION: transforms an impulse on every engine that is here; its spectrum is flat.
#include <complex>
#include <cstdio>  // printf
#include <string>
#include <vector>

#include "wingbeat/wingbeat.hpp"

int main(int argc, char** argv) {
  const std::string version = std::to_string(WINGBEAT_VERSION_MAJOR) + "." +
                              std::to_string(WINGBEAT_VERSION_MINOR) + "." +
                              std::to_string(WINGBEAT_VERSION_PATCH);
  if (argc != 2 || version != argv[1]) {
    std::fprintf(stderr, "the headers say %s\n", version.c_str());
    return 1;
  }
  for (const auto runs_on : {wingbeat::engine::reference, wingbeat::engine::host}) {
    const wingbeat::queue queue{wingbeat::first_device(runs_on)};
    const wingbeat::plan plan{queue, {.lengths = {256}}};
    std::vector<std::complex<float>> x(256);
    x[0] = 1;
    wingbeat::buffer data{queue, x.size() * sizeof x[0]};
    data.write(x.data(), data.size_bytes());
    auto on = queue;
    plan.enqueue(on, data.view(), data.view());
    data.read(x.data(), data.size_bytes());
    for (const auto z : x) {
      if (std::abs(z - 1.0F) > 1e-6F) return 1;
    }
    std::printf("%s: right\n", queue.device().name.c_str());
  }
}
