// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Every load and store on every device here that compiles kernels: the bits must be the host's.
#include <gtest/gtest.h>

#include <bit>  // bit_cast
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "device/io/patterns_probe.hpp"
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

// The probe beside this file, and an entry whose output is the floats, then the halves.
std::string probe_text() {
  std::ifstream file(WINGBEAT_TESTS_FOLDER "/device/io/patterns_probe.hpp");
  std::ostringstream text;
  text << file.rdbuf() << R"(
WINGBEAT_KERNEL(8)
void entry(WINGBEAT_GLOBAL const float* in, WINGBEAT_GLOBAL float* out,
           WINGBEAT_GLOBAL const float* table, wingbeat::device::size in_first,
           wingbeat::device::size out_first,
           wingbeat::device::size batch WINGBEAT_SCRATCH_PARAMETER) {
  if (batch == 0) return;
  using namespace wingbeat::test;
  auto* const halves = reinterpret_cast<WINGBEAT_GLOBAL half_float*>(out + probe_output);
  probe_all(in, halves, out, wingbeat::device::group::thread());
})";
  return text.str();
}

constexpr std::size_t all_output = probe_output + probe_halves / 2;  // in words of 32 bits

// As bits, in which NaN equals itself and zero does not equal its negative.
using words = std::vector<std::uint32_t>;

std::vector<float> input() {
  std::vector<float> in(probe_input);
  for (unsigned k = 0; k < probe_input; ++k) in[k] = static_cast<float>(k) / 8 - 16.3f;
  return in;
}

const words untouched(all_output, std::bit_cast<std::uint32_t>(-9.0f));

words on_the_host() {
  const auto in = input();
  std::vector<float> out(probe_output, -9);
  std::vector<half_float> halves(probe_halves);
  for (unsigned thread = 0; thread < probe_threads; ++thread) {
    probe_all(in.data(), halves.data(), out.data(), thread);
  }
  words bits;
  for (const float value : out) bits.push_back(std::bit_cast<std::uint32_t>(value));
  for (unsigned k = 0; k < probe_halves; k += 2) {
    bits.push_back(halves[k].bits | std::uint32_t{halves[k + 1].bits} << 16);
  }
  return bits;
}

words on_a_device(queue& on) {
  const auto in = input();
  words bits = untouched;
  buffer source{on, 4 * in.size()}, target{on, 4 * bits.size()};
  source.write(in.data(), source.size_bytes());
  target.write(bits.data(), target.size_bytes());
  const kernel probe{on,
                     {.text = probe_text(),
                      .entry = "entry",
                      .threads = probe_threads,
                      .in_element_bytes = 4,
                      .out_element_bytes = 4}};
  probe.enqueue(on, 1, source.view(), target.view(), source.view(), 1);
  target.read(bits.data(), target.size_bytes());
  return bits;
}

TEST(every_device, gives_the_bits_of_the_host_through_every_pattern) {
  const words expected = on_the_host();
  std::size_t n_devices = 0;
  for (const device_info& device : devices()) {
    if (device.runs_on != engine::opencl && device.runs_on != engine::cuda) continue;
    ++n_devices;
    SCOPED_TRACE(device.name);
    queue on{device};
    const words got = on_a_device(on);
    for (std::size_t k = 0; k < all_output; ++k) {
      const std::size_t row = k / (2 * probe_threads);
      if (device.runs_on == engine::cuda && (row == product_row || row == product_row + 1)) {
        const auto value = std::bit_cast<float>(got[k]), wanted = std::bit_cast<float>(expected[k]);
        EXPECT_NEAR(value, wanted, product_bound) << "row " << row;  // CUDA fuses the product
      } else {
        EXPECT_EQ(got[k], expected[k]) << "row " << row << ", word " << k % (2 * probe_threads);
      }
    }
  }
  if (n_devices == 0) GTEST_SKIP() << "no device here compiles kernels";
}

}  // namespace
