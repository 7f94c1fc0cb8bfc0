// SPDX-License-Identifier: Apache-2.0
// A plan and a kernel of your own on one queue: spectra are quantised to 8 bits, the kernel counts
// what it clipped, and a stopwatch times both.
#include <cmath>  // cos
#include <cstdint>
#include <cstdio>  // printf, puts
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr std::size_t n = 1024, n_rows = 256, count = 2 * n * n_rows;  // reals of all spectra
constexpr unsigned threads = 256;

const kernel_spec quantise{
    .text = R"(#include "wingbeat/device/atomic.hpp"
#include "wingbeat/device/port.hpp"
using namespace wingbeat::device;
WINGBEAT_KERNEL(256)
void quantise(WINGBEAT_GLOBAL const float* x, size x_first, WINGBEAT_GLOBAL signed char* codes,
              size codes_first, WINGBEAT_GLOBAL unsigned* clipped, size clipped_first,
              WINGBEAT_GLOBAL float* largest, size largest_first,
              float gain WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  const float value = gain * x[x_first + i];
  codes[codes_first + i] = maths::to_integer<signed char>(maths::clamp(value, -127.0f, 127.0f));
  if (value > 127.0f || value < -127.0f) atomic_add(clipped + clipped_first, 1);
  atomic_max(largest + largest_first, value);
})",
    .entry = "quantise",
    .threads = threads,
    .parameters = {kernel_parameter::input(sizeof(float)),
                   kernel_parameter::output(sizeof(signed char)),
                   kernel_parameter::output(sizeof(unsigned)),
                   kernel_parameter::output(sizeof(float)), kernel_parameter::value<float>()}};

/// Returns a device that compiles kernels.
std::vector<device_info> compiling_devices() {
  std::vector<device_info> found;
  for (const device_info& device : devices()) {
    if (device.runs_on == engine::cuda || device.runs_on == engine::opencl) found.push_back(device);
  }
  return found;
}

/// Rows of a cosine of bin 3: n / 2 in bins 3 and n - 3, 0 elsewhere.
std::vector<float> cosines() {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count / 2; ++i) {
    x[2 * i] = std::cos(6.2831853F * 3 * static_cast<float>(i % n) / n);
  }
  return x;
}

}  // namespace

int main() {
  const auto found = compiling_devices();
  if (found.empty()) {
    std::puts("no device here compiles kernels");
    return 77;
  }
  queue queue{found.front()};
  const plan spectra{queue, {.lengths = {n}, .batch = n_rows}};
  const kernel to_bytes{queue, quantise};
  std::printf("%s\n%s", queue.device().name.c_str(), spectra.explain().c_str());
  for (const kernel_resources& taken : spectra.resources()) {
    std::printf("%s: %d threads, %d registers\n", taken.name.c_str(), taken.threads,
                taken.registers);
  }

  const auto x = cosines();
  const std::uint32_t zero = 0;
  const float least = -1e30F;
  buffer signal{queue, count * sizeof(float)}, codes{queue, count};
  buffer clipped{queue, sizeof zero}, largest{queue, sizeof least};
  signal.write(x.data(), signal.size_bytes());
  clipped.write(&zero, sizeof zero);
  largest.write(&least, sizeof least);

  stopwatch watch{queue};
  watch.start();
  spectra.enqueue(queue, signal.view(), signal.view());
  to_bytes.enqueue(queue, count / threads,
                   {signal.view(), codes.view(), clipped.view(), largest.view(), 0.25F});
  watch.stop();

  std::vector<signed char> bytes(count);
  std::uint32_t n_clipped = 0;
  float most = 0;
  codes.read(bytes.data(), bytes.size());  // after what the queue was given before
  clipped.read(&n_clipped, sizeof n_clipped);
  largest.read(&most, sizeof most);
  std::printf("%.1f us; %u of %zu clipped, the largest is %.2f\n", 1e6 * watch.seconds(), n_clipped,
              count, static_cast<double>(most));
  // Bin 3 is 512, times 1/4 is 128: one step above what 8 bits hold. So is bin n - 3.
  return bytes[2 * 3] == 127 && bytes[2 * 4] == 0 && n_clipped == 2 * n_rows && most > 127.9F ? 0
                                                                                              : 1;
}
