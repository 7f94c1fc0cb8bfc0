// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Lengths that are no powers of two on every device here that compiles kernels, of the shapes that
// are advised for it: there and back again, against the long double reference.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/on_engine.hpp"  // compiled_engines, engine_name
#include "support/oracle.hpp"     // dft
#include "support/signal.hpp"     // noise
#include "support/tolerance.hpp"  // is_accurate
#include "text/formatted.hpp"     // formatted
#include "wingbeat/wingbeat.hpp"
#include "wingbeat/workgroup_fft.hpp"  // workgroup_fft

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using numbers = std::vector<device::complex<float>>;

/// Returns a kernel that stores the spectra of a workgroup's rows, and the rows again behind them.
std::string text_of(const workgroup_fft& forward, const workgroup_fft& back) {
  return formatted(
      R"(#include "wingbeat/device/workgroup/fft.hpp"
using namespace wingbeat::device;
using there = {};
using back = {};
WINGBEAT_KERNEL({})
void entry(WINGBEAT_GLOBAL const complex<float>* in, WINGBEAT_GLOBAL complex<float>* out,
           WINGBEAT_GLOBAL const complex<float>* roots, size in_first, size out_first,
           size count WINGBEAT_SCRATCH_PARAMETER) {{
  if (count == 0) return;
  const workgroup::team<there::shape_type> team;
  const size first = team.transform() * there::length + team.thread();
  complex<float> x[there::elements_per_thread];
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < there::elements_per_thread; ++r) {{
    x[r] = copied_from(in + in_first + first + r * there::stride);
  }}
  there::execute(team, x, there::scratch_type{{WINGBEAT_SCRATCH}}, roots);
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < there::elements_per_thread; ++r) {{
    copy_to(out + out_first + first + r * there::stride, x[r]);
  }}
  back::execute(team, x, back::scratch_type{{WINGBEAT_SCRATCH}}, roots);
  const size again = there::length * there::transforms;
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < there::elements_per_thread; ++r) {{
    copy_to(out + out_first + again + first + r * there::stride, x[r]);
  }}
}})",
      forward.type_text(), back.type_text(), forward.workgroup_threads());
}

using stockham_on_devices = on_engine;

TEST_P(stockham_on_devices, transforms_lengths_that_are_no_powers_of_two) {
  queue& queue = *on;
  for (const unsigned n : {60U, 1200U}) {
    SCOPED_TRACE(n);
    const workgroup_fft forward = workgroup_fft::advised(n, scalar::fp32);
    workgroup_fft back = forward;
    back.dir = device::direction::inverse;
    const std::size_t count = std::size_t{n} * forward.transforms;
    const auto x = noise<float>(count, /*seed=*/4);
    const auto roots = forward.table();
    numbers y(2 * count);
    buffer in{queue, count * 8}, out{queue, 2 * count * 8}, table{queue, roots.size()};
    in.write(x.data(), in.size_bytes());
    table.write(roots.data(), table.size_bytes());
    const kernel transform{queue,
                           {.text = text_of(forward, back),
                            .entry = "entry",
                            .threads = forward.workgroup_threads(),
                            .scratch_bytes = forward.scratch_bytes(),
                            .in_element_bytes = 8,
                            .out_element_bytes = 8}};
    transform.enqueue(queue, 1, in.view(), out.view(), table.view(), 1);
    out.read(y.data(), out.size_bytes());
    for (std::size_t row = 0; row < count; row += n) {
      const auto values = [&](auto& memory, std::size_t first) {
        const auto begin = memory.begin() + static_cast<std::ptrdiff_t>(first);
        return numbers(begin, begin + n);
      };
      auto scaled = values(x, row);
      for (auto& z : scaled) z = {z.re * float(n), z.im * float(n)};
      EXPECT_TRUE(
          is_accurate<float>(values(y, row), dft(values(x, row), device::direction::forward), n));
      EXPECT_TRUE(is_accurate<float>(values(y, count + row), scaled, std::size_t{n} * n));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(engines, stockham_on_devices, compiled_engines(), engine_name);

}  // namespace
