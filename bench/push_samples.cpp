// SPDX-License-Identifier: Apache-2.0
// What does a channeliser's input cost the processor? Packed samples of two polarisations are
// pushed, with and without missing packets: the processor's time for a million samples, of the
// thread that pushes and of the whole program. Where the OpenCL device is a processor, its kernels
// count in the latter.
//     push_samples [opencl|host|cuda|reference] [BITS]
#include <fmt/core.h>

#include <algorithm>  // min
#include <cstdlib>    // atoi
#include <ctime>      // clock_gettime

#include "bench/results.hpp"  // noise_bytes
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr int n_rounds = 7;
constexpr std::size_t n_samples = std::size_t{1} << 24;  // of one polarisation

double seconds_of(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct cost {
  double thread_s = 1e9, program_s = 1e9, wall_s = 1e9;
};

cost measured(queue& on, unsigned bits, const channeliser::samples& next) {
  // Its first heap starts behind what is pushed: all is input, none of it the filter bank.
  const std::vector<delay_model> ahead{{.delay_samples = -4.0 * n_samples}};
  channeliser bank{
      on,
      {.adc_rate_hz = 1712e6, .channels = 1024, .sample_bits = bits, .delays = {ahead, ahead}},
      0};
  cost least;
  for (int round = 0; round < n_rounds; ++round) {
    bank.jump(0);
    const double thread = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const double program = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    const double wall = seconds_of(CLOCK_MONOTONIC);
    bank.push(on, next, {});
    static_cast<void>(bank.levels());
    on.wait();
    least.thread_s = std::min(least.thread_s, seconds_of(CLOCK_THREAD_CPUTIME_ID) - thread);
    least.program_s = std::min(least.program_s, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - program);
    least.wall_s = std::min(least.wall_s, seconds_of(CLOCK_MONOTONIC) - wall);
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) try {
  queue on{first_device(engine_named(argc > 1 ? argv[1] : "opencl"))};
  const unsigned bits = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 10;
  const std::size_t n_bytes = n_samples / 8 * bits;
  const auto first = bench::noise_bytes(n_bytes, 1), second = bench::noise_bytes(n_bytes, 2);
  channeliser::samples all{.packed = {first, second}, .count = n_samples};
  // One packet of a thousand is missing; heaps that it touches are withheld.
  channeliser::samples some = all;
  some.present.assign(2, std::vector<bool>(n_samples / all.packet_samples, true));
  for (auto& flags : some.present) {
    for (std::size_t i = 0; i < flags.size(); i += 1000) flags[i] = false;
  }
  for (const auto& [name, next] : {std::pair{"all", &all}, std::pair{"some missing", &some}}) {
    const cost found = measured(on, bits, *next);
    const double millions = 2e-6 * static_cast<double>(n_samples);
    fmt::print(
        "{} bits, {:<12}: {:7.3f} ms of the thread, {:7.3f} ms of the program, {:7.3f} ms "
        "of time for a million samples\n",
        bits, name, 1e3 * found.thread_s / millions, 1e3 * found.program_s / millions,
        1e3 * found.wall_s / millions);
  }
  return 0;
} catch (const wingbeat::error& failed) {
  fmt::print(stderr, "push_samples: {}\n", failed.what());
  return 3;
}
