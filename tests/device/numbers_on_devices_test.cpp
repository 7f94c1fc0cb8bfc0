// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Rounding, clamping and atomic updates on every device here that compiles kernels: what the host
// leaves, which port_test.cpp and atomic_test.cpp vouch for.
#include <gtest/gtest.h>

#include <cmath>  // isnan, nextafter
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "device/numbers_expected.hpp"  // first_cells, expect_cells
#include "device/numbers_probe.hpp"
#include "support/on_engine.hpp"  // compiled_engines, engine_name
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

std::string probe_text(const char* real, const char* entry) {
  std::ifstream file(WINGBEAT_TESTS_FOLDER "/device/numbers_probe.hpp");
  std::ostringstream text;
  text << file.rdbuf() << "\nusing Number = " << real << ";\n" << entry;
  return text.str();
}

constexpr const char* quantise_entry = R"(
WINGBEAT_KERNEL(64)
void entry(WINGBEAT_GLOBAL const Number* x, wingbeat::device::size x_first,
           WINGBEAT_GLOBAL Number* reals, wingbeat::device::size reals_first,
           WINGBEAT_GLOBAL wingbeat::device::size* integers,
           wingbeat::device::size integers_first WINGBEAT_SCRATCH_PARAMETER) {
  wingbeat::test::quantise(x + x_first, reals + reals_first, integers + integers_first,
                           wingbeat::device::group::thread());
})";

constexpr const char* update_entry = R"(
WINGBEAT_KERNEL(32)
void entry(WINGBEAT_GLOBAL Number* cells,
           wingbeat::device::size cells_first WINGBEAT_SCRATCH_PARAMETER) {
  using wingbeat::device::group;
  wingbeat::test::update(cells + cells_first, unsigned(group::index()) * 32 + group::thread());
})";

template <class T>
buffer on_device(queue& on, const std::vector<T>& values) {
  buffer memory{on, values.size() * sizeof(T)};
  memory.write(values.data(), memory.size_bytes());
  return memory;
}

template <class T>
void read_back(buffer& memory, std::vector<T>& values) {
  memory.read(values.data(), memory.size_bytes());
}

/// 64 numbers and 64 bounds: ties, values around the limits of integers, infinities and NaN.
template <class Real>
std::vector<Real> samples() {
  std::vector<Real> x;
  for (int i = 0; i < 16; ++i) x.push_back(Real(i - 8) / 2);
  for (const int bits : {7, 8, 15, 16, 31, 32, 63, 64}) {
    const Real edge = std::ldexp(Real(1), bits);
    for (const Real bound : {edge, -edge, edge - 1, std::nextafter(edge, Real(0))})
      x.push_back(bound);
  }
  const Real infinite = std::numeric_limits<Real>::infinity();
  for (const Real bound : {infinite, -infinite, std::numeric_limits<Real>::quiet_NaN()}) {
    x.push_back(bound);
  }
  while (x.size() < n_quantised) x.push_back(Real(x.size()) / 7);
  for (unsigned i = 0; i < n_quantised; ++i) x.push_back(x[i * 5 % n_quantised]);
  return x;
}

template <class Real>
void expect_equal(const std::vector<Real>& got, const std::vector<Real>& expected) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool both_nan = std::isnan(got[i]) && std::isnan(expected[i]);
    EXPECT_TRUE(both_nan || got[i] == expected[i])
        << got[i] << " and not " << expected[i] << " in row " << i / n_quantised << ", element "
        << i % n_quantised;
  }
}

template <class Real>
void quantises_as_the_host(queue& on, const char* real) {
  SCOPED_TRACE(real);
  const auto x = samples<Real>();
  std::vector<Real> reals(real_results * n_quantised), expected(reals.size());
  std::vector<device::size> integers(integer_results * n_quantised), expected_integers = integers;
  for (unsigned i = 0; i < n_quantised; ++i) {
    quantise(x.data(), expected.data(), expected_integers.data(), i);
  }
  buffer in = on_device(on, x), out = on_device(on, reals), whole = on_device(on, integers);
  const kernel probe{
      on,
      {.text = probe_text(real, quantise_entry),
       .entry = "entry",
       .threads = n_quantised,
       .parameters = {kernel_parameter::input(sizeof(Real)), kernel_parameter::output(sizeof(Real)),
                      kernel_parameter::output(sizeof(device::size))}}};
  probe.enqueue(on, 1, {in.view(), out.view(), whole.view()});
  read_back(out, reals);
  read_back(whole, integers);
  expect_equal(reals, expected);
  EXPECT_EQ(integers, expected_integers);
}

template <class T>
void updates_lose_nothing(queue& on, const char* type) {
  SCOPED_TRACE(type);
  auto cells = first_cells<T>();
  buffer memory = on_device(on, cells);
  const kernel probe{on,
                     {.text = probe_text(type, update_entry),
                      .entry = "entry",
                      .threads = update_threads,
                      .parameters = {kernel_parameter::output(sizeof(T))}}};
  probe.enqueue(on, update_workgroups, {memory.view()});
  read_back(memory, cells);
  expect_cells(cells);
}

using numbers_on = on_engine;

TEST_P(numbers_on, devices_quantise_as_the_host) {
  quantises_as_the_host<float>(*on, "float");
  quantises_as_the_host<double>(*on, "double");
}

TEST_P(numbers_on, updates_of_many_workgroups_lose_nothing) {
  updates_lose_nothing<int>(*on, "int");
  updates_lose_nothing<unsigned>(*on, "unsigned");
  updates_lose_nothing<device::size>(*on, "wingbeat::device::size");
  updates_lose_nothing<float>(*on, "float");
  updates_lose_nothing<double>(*on, "double");
}

INSTANTIATE_TEST_SUITE_P(engines, numbers_on, compiled_engines(), engine_name);

}  // namespace
