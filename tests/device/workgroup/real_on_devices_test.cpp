// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Packed reals in registers on every device here that compiles kernels: the spectrum against the
// long double reference, and back again.
#include <gtest/gtest.h>

#include <vector>

#include "support/on_engine.hpp"  // compiled_engines, engine_name
#include "support/oracle.hpp"     // dft
#include "support/signal.hpp"     // noise
#include "support/tolerance.hpp"  // is_accurate
#include "wingbeat/device/workgroup/real.hpp"
#include "wingbeat/roots.hpp"  // roots_of
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using shape = device::workgroup::shape<256, 8, 2>;
using there = device::workgroup::real_fft<shape, float, device::direction::forward,
                                          device::workgroup::spectrum::packed>;
using numbers = std::vector<device::complex<float>>;

constexpr const char* text = R"(#include "wingbeat/device/workgroup/real.hpp"
using namespace wingbeat::device;
using shape = workgroup::shape<256, 8, 2>;
using there = workgroup::real_fft<shape, float, direction::forward, workgroup::spectrum::packed>;
using back = workgroup::real_fft<shape, float, direction::inverse, workgroup::spectrum::packed>;
static_assert(sizeof(complex<float>) == 8, "two adjacent reals");
WINGBEAT_KERNEL(64)
void entry(WINGBEAT_GLOBAL const complex<float>* in, WINGBEAT_GLOBAL complex<float>* out,
           WINGBEAT_GLOBAL const complex<float>* roots, size in_first, size out_first,
           size count WINGBEAT_SCRATCH_PARAMETER) {
  if (count == 0) return;
  const workgroup::team<shape> team;
  const size first = team.transform() * shape::length + team.thread();
  complex<float> x[there::elements_per_thread];
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < there::elements_per_thread; ++r) {
    x[r] = copied_from(in + in_first + first + r * there::stride);
  }
  there::execute(team, x, there::scratch_type{WINGBEAT_SCRATCH}, roots);
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < there::elements_per_thread; ++r) {
    copy_to(out + out_first + first + r * there::stride, x[r]);
  }
  back::execute(team, x, back::scratch_type{WINGBEAT_SCRATCH}, roots);
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < there::elements_per_thread; ++r) {
    copy_to(out + out_first + 512 + first + r * there::stride, x[r]);
  }
})";

using real_registers = on_engine;

TEST_P(real_registers, hold_a_packed_spectrum_on_devices) {
  queue& queue = *on;
  const auto x = noise<float>(512, /*seed=*/4);
  const auto roots = roots_of<there>();
  numbers y(1024);
  buffer in{queue, 512 * 8}, out{queue, 1024 * 8}, table{queue, roots.size() * 8};
  in.write(x.data(), in.size_bytes());
  table.write(roots.data(), table.size_bytes());
  const kernel transform{queue,
                         {.text = text,
                          .entry = "entry",
                          .threads = there::workgroup_threads,
                          .scratch_bytes = there::scratch_bytes,
                          .in_element_bytes = 8,
                          .out_element_bytes = 8}};
  transform.enqueue(queue, 1, in.view(), out.view(), table.view(), 1);
  out.read(y.data(), out.size_bytes());
  for (std::size_t row = 0; row < 2; ++row) {
    numbers reals;
    exact again;
    for (std::size_t j = 0; j < 256; ++j) {
      const auto z = x[row * 256 + j];
      reals.push_back({z.re, 0});
      reals.push_back({z.im, 0});
      again.push_back({512.0L * z.re, 512.0L * z.im});
    }
    const exact spectrum = dft(reals, device::direction::forward);
    exact expected(spectrum.begin(), spectrum.begin() + 256);
    expected[0] = {spectrum[0].real(), spectrum[256].real()};
    const auto first = y.begin() + static_cast<std::ptrdiff_t>(row * 256);
    EXPECT_TRUE(is_accurate<float>(numbers(first, first + 256), expected, 512));
    EXPECT_TRUE(is_accurate<float>(numbers(first + 512, first + 768), again, 1024));
  }
}

INSTANTIATE_TEST_SUITE_P(engines, real_registers, compiled_engines(), engine_name);

}  // namespace
