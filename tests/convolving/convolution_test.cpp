// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Convolutions and correlations against their sums, on every engine that is here.
#include "wingbeat/convolution.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "arrays/address_space.hpp"          // product_of
#include "convolving/convolution_check.hpp"  // check_convolution
#include "support/convolution_verdict.hpp"   // verdict_of
#include "support/memory.hpp"                // contents, filled
#include "support/on_engine.hpp"             // on_engine, all_engines, engine_name
#include "support/random_convolution.hpp"    // drawn_convolution, add_functors, as_initialiser
#include "support/signal.hpp"                // fill_noise

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

/// A request of each sort that takes kernels of its own; random_convolutions draws all others.
const convolution_spec requests[] = {
    {.image = {19, 23}, .kernel = {5, 4}, .mode = extent::valid},
    {.image = {19, 23}, .kernel = {5, 4}, .kind = operation::correlate, .mode = extent::same},
    {.image = {9, 6, 7}, .kernel = {3, 2, 4}, .mode = extent::same},
    {.image = {1, 1}, .kernel = {1, 1}, .mode = extent::valid},
    {.image = {40}, .kernel = {9}, .mode = extent::same, .holds = values::complex},
    {.image = {11, 14},
     .kernel = {4, 3},
     .kind = operation::correlate,
     .holds = values::complex,
     .images = 2,
     .kernels = 3},
    {.image = {12, 10},
     .kernel = {3, 5},
     .kind = operation::correlate,
     .mode = extent::valid,
     .images = 2,
     .kernels = 2,
     .pairs = pairing::pairwise},
    {.image = {5, 4}, .kernel = {9, 6}, .kind = operation::correlate, .mode = extent::same},
    {.image = {19, 23}, .kernel = {5, 4}, .real = precision::fp64, .kernels = 2},
    {.image = {20000, 2}, .kernel = {3, 2}, .mode = extent::valid},
    {.image = {19, 23},
     .kernel = {8, 4},
     .kind = operation::correlate,
     .mode = extent::valid,
     .kernels = 3,
     .form = operand_form::spectrum},
    {.image = {1003}, .kernel = {17}, .prepared = operand_role::kernel, .block = 120},
    {.image = {117},  // 28 values a block, in pairs 56, of which the last is filled
     .kernel = {5},
     .prepared = operand_role::kernel,
     .block = 32},
    {.image = {1003},
     .kernel = {17},
     .mode = extent::valid,
     .holds = values::complex,
     .prepared = operand_role::kernel,
     .block = 128},
    {.image = {401},
     .kernel = {9},
     .kind = operation::correlate,
     .mode = extent::same,
     .images = 3,
     .kernels = 2,
     .prepared = operand_role::kernel,
     .block = 64},
    {.image = {500},
     .kernel = {12},
     .real = precision::fp64,
     .prepared = operand_role::kernel,
     .block = 64}};

class convolution_on : public on_engine {};

TEST_P(convolution_on, agrees_with_the_sums) {
  for (const convolution_spec& spec : requests) {
    if (spec.real == precision::fp64 && !on->device().has_fp64) continue;
    check_convolution(*on, spec);
  }
}

TEST_P(convolution_on, takes_images_whose_columns_leave_the_cache) {
  if (GetParam() == engine::reference) GTEST_SKIP() << "the same plans as for smaller images";
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  check_convolution(*on, {.image = {2051, 1030},
                          .kernel = {3, 2},
                          .kind = operation::correlate,
                          .mode = extent::valid});
}

/// Adds the sum, and the sum of value times number, of each result to two floats.
constexpr const char* tally_text = R"(
#include "wingbeat/device/atomic.hpp"
using wingbeat::device::size;
struct tally {
  using element = float;
  struct operands { float gain; };
  struct partial { float sum, moment; };
  WINGBEAT_FN static partial start() { return {0, 0}; }
  WINGBEAT_FN static void add(partial& to, operands given, size row, size i, float x) {
    to.sum += given.gain * x;
    to.moment += given.gain * x * float(i + 1000 * row);
  }
  WINGBEAT_FN static void combine(partial& to, partial other) {
    to.sum += other.sum;
    to.moment += other.moment;
  }
  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL float* out, operands, size row, partial all) {
    wingbeat::device::atomic_add(out + 2 * row, all.sum);
    wingbeat::device::atomic_add(out + 2 * row + 1, all.moment);
  }
};
)";

TEST_P(convolution_on, hands_results_to_a_functor) {
  convolution_spec spec{.image = {17, 19},
                        .kernel = {4, 5},
                        .kind = operation::correlate,
                        .mode = extent::valid,
                        .images = 2,
                        .kernels = 3};
  const convolution plain{*on, spec};
  const std::size_t points = product_of(plain.result()), n_pairs = 6;
  spec.store = {.out_bytes = n_pairs * 8,
                .element_bytes = 4,
                .source = {.text = tally_text, .type = "tally"},
                .partial_bytes = 8,
                .clears_output = true,
                .operands = {kernel_parameter::value<float>()}};
  spec.store.callable = [](void* out, const host_arguments& given, std::size_t row,
                           std::size_t first, std::span<const float> values) {
    auto* const sums = static_cast<float*>(out) + 2 * row;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float x = given.value<float>(0) * values[i];
      std::atomic_ref{sums[0]} += x;
      std::atomic_ref{sums[1]} += x * static_cast<float>(first + i + 1000 * row);
    }
  };
  const convolution tallied{*on, spec};
  std::vector<float> images(plain.image_bytes() / 4), kernels(plain.kernel_bytes() / 4);
  fill_noise(images.data(), images.size(), 1);
  fill_noise(kernels.data(), kernels.size(), 2);
  const buffer in = filled(*on, images), templates = filled(*on, kernels);
  const buffer spectra{*on, plain.spectra_bytes()}, maps{*on, plain.output_bytes()};
  const buffer sums{*on, tallied.output_bytes()};
  tallied.prepare(*on, in.view(), spectra.view());
  plain.enqueue(*on, spectra.view(), templates.view(), maps.view());
  tallied.enqueue(*on, spectra.view(), templates.view(), sums.view(), {0.5F});
  const auto got = contents<float>(sums), values = contents<float>(maps);
  for (std::size_t row = 0; row < n_pairs; ++row) {
    double sum = 0, moment = 0, size = 0;
    for (std::size_t i = 0; i < points; ++i) {
      const double x = 0.5 * values[row * points + i];
      sum += x;
      moment += x * static_cast<double>(i + 1000 * row);
      size += std::abs(x);
    }
    EXPECT_NEAR(got[2 * row], sum, 1e-5 * size) << "pair " << row;
    EXPECT_NEAR(got[2 * row + 1], moment, 1e-5 * size * 6000) << "pair " << row;
  }
}

/// Signals in bytes, read as numbers from -1 to 1.
constexpr const char* bytes_text = R"(
struct bytes_as_numbers {
  using element = unsigned char;
  WINGBEAT_FN static float load(WINGBEAT_GLOBAL const element* in, wingbeat::device::size row,
                                wingbeat::device::size i) {
    return float(in[row * COUNT + i]) / 127.5f - 1;
  }
};
)";

fused_load bytes_load(std::size_t n_signals, std::size_t points) {
  fused_load load{
      .in_bytes = n_signals * points,
      .element_bytes = 1,
      .source = {.text = "#define COUNT " + std::to_string(points) + bytes_text + "#undef COUNT\n",
                 .type = "bytes_as_numbers"}};
  load.callable = [points](const void* in, std::size_t row, std::size_t first,
                           std::span<float> into) {
    const auto* const bytes = static_cast<const unsigned char*>(in) + row * points + first;
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = float(bytes[i]) / 127.5F - 1;
  };
  return load;
}

TEST_P(convolution_on, reads_signals_by_a_functor) {
  convolution_spec spec{.image = {9, 14}, .kernel = {3, 3}, .images = 2, .kernels = 2};
  const convolution plain{*on, spec};
  spec.image_load = bytes_load(2, product_of(spec.image));
  const convolution by_bytes{*on, spec};
  std::vector<unsigned char> bytes(2 * product_of(spec.image));
  std::vector<float> images, kernels(2 * product_of(spec.kernel));
  fill_noise(kernels.data(), kernels.size(), 3);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(i * 77 + 5);
    images.push_back(float(bytes[i]) / 127.5F - 1);
  }
  const auto result_of = [&](const convolution& planned, const buffer& in) {
    const buffer spectra{*on, planned.spectra_bytes()}, out{*on, planned.output_bytes()};
    const buffer run = filled(*on, kernels);
    planned.prepare(*on, in.view(), spectra.view());
    planned.enqueue(*on, spectra.view(), run.view(), out.view());
    return contents<float>(out);
  };
  const auto expected = result_of(plain, filled(*on, images));
  const auto got = result_of(by_bytes, filled(*on, bytes));
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-5) << i;
}

/// A load knows one row for each signal, so that its columns take a launch of their own where each
/// meets several spectra; those must then be made for that.
TEST_P(convolution_on, multiplies_what_a_functor_reads_by_several_spectra) {
  for (const operand_role prepared :
       cases<operand_role>({operand_role::image}, {operand_role::kernel})) {
    drawn_convolution drawn;
    drawn.spec = {.image = {13},
                  .kernel = {4},
                  .kind = operation::correlate,
                  .holds = values::complex,
                  .images = 3,
                  .kernels = 2,
                  .prepared = prepared};
    (prepared == operand_role::image ? drawn.reverses_kernels : drawn.reverses_images) = true;
    add_functors(drawn);
    const auto [is, why, share] = verdict_of(*on, drawn);
    EXPECT_EQ(is, plan_verdict::right) << as_initialiser(drawn.spec) << "\n" << why;
  }
}

INSTANTIATE_TEST_SUITE_P(engines, convolution_on, all_engines(), engine_name);

}  // namespace
