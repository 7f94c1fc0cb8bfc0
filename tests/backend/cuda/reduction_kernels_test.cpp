// SPDX-License-Identifier: Apache-2.0
// Timeout: 600
// Passes whose functors have parameters and operands, and whose store reduces, compiled for three
// architectures without a GPU: no register may spill.
#include <gtest/gtest.h>

#include "backend/cuda/on_architecture.hpp"  // on_architecture

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr const char* text = R"(
#include "wingbeat/device/atomic.hpp"
#include "wingbeat/device/complex.hpp"
namespace wd = wingbeat::device;
struct weighted {
  using element = wd::complex<float>;
  struct parameters { float unit; };
  struct operands { WINGBEAT_GLOBAL const float* weights; float level; };
  WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in,
                                  WINGBEAT_GLOBAL const parameters& fixed, operands given,
                                  wd::size row, wd::size i) {
    return wd::scaled(in[row * n + i], fixed.unit * given.level * given.weights[i]);
  }
};
struct energy {
  using element = float;
  struct operands { WINGBEAT_GLOBAL const float* weights; };
  struct partial { float sum; };
  WINGBEAT_FN static partial start() { return {0}; }
  WINGBEAT_FN static void add(partial& to, operands given, wd::size, wd::size i,
                              wd::complex<float> z) {
    to.sum += given.weights[i] * (z.re * z.re + z.im * z.im);
  }
  WINGBEAT_FN static void combine(partial& to, partial other) { to.sum += other.sum; }
  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, operands, wd::size row,
                                 partial all) {
    wd::atomic_add(out + row, all.sum);
  }
};
)";

plan_spec weighted_energy(std::size_t n) {
  constexpr std::size_t batch = 64;
  const std::string both = "constexpr unsigned long long n = " + std::to_string(n) + ";\n" + text;
  plan_spec spec{.lengths = {n}, .batch = batch};
  spec.load = {.in_bytes = batch * n * 8,
               .element_bytes = 8,
               .source = {both, "weighted", bytes_of(0.5F)},
               .operands = {kernel_parameter::input(4), kernel_parameter::value<float>()}};
  spec.store = {.out_bytes = batch * 4,
                .element_bytes = 4,
                .source = {both, "energy", {}},
                .partial_bytes = 4,
                .clears_output = true,
                .operands = {kernel_parameter::input(4)}};
  return spec;
}

class reduction_kernels : public on_architecture {};

TEST_P(reduction_kernels, compile_without_spills) {
  for (const std::size_t n : {64, 2048, 8192, 1 << 18}) expect_no_spills(weighted_energy(n));
}

INSTANTIATE_TEST_SUITE_P(architectures, reduction_kernels, architectures(), architecture_name);

}  // namespace
