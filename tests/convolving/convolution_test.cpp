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
#include "support/on_engine.hpp"             // on_engine, all_engines, engine_name
#include "support/random_convolution.hpp"    // drawn_convolution, add_functors, as_initialiser
#include "support/signal.hpp"                // fill_noise

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr operation operations[] = {operation::convolve, operation::correlate};
constexpr extent modes[] = {extent::full, extent::same, extent::valid};

class convolution_on : public on_engine {
 protected:
  void check(const convolution_spec& spec) { check_convolution(*on, spec); }
  /// Checks what resembles other cases: where each takes kernels of its own, which are slow to
  /// compile for a processor, in full runs alone.
  void check_more(const convolution_spec& spec) {
    if (!leaves_out()) check(spec);
  }
};

TEST_P(convolution_on, agrees_with_the_sums_in_every_mode) {
  for (const operation kind : operations) {
    for (const extent mode : modes) {
      const extent sample = kind == operation::convolve ? extent::valid : extent::same;
      if (mode != sample && leaves_out()) continue;
      check({.image = {19, 23}, .kernel = {5, 4}, .kind = kind, .mode = mode});
      check_more({.image = {37}, .kernel = {6}, .kind = kind, .mode = mode});
    }
  }
}

TEST_P(convolution_on, takes_signals_of_any_number_of_axes) {
  check({.image = {9, 6, 7}, .kernel = {3, 2, 4}, .mode = extent::same});
  check_more({.image = {5, 12, 8}, .kernel = {2, 5, 3}, .kind = operation::correlate});
  check({.image = {1, 1}, .kernel = {1, 1}, .mode = extent::valid});
  check_more(
      {.image = {13, 17}, .kernel = {13, 17}, .kind = operation::correlate, .mode = extent::valid});
}

TEST_P(convolution_on, takes_complex_signals) {
  for (const operation kind : cases<operation>({operation::convolve}, {operation::correlate})) {
    check({.image = {40},
           .kernel = {9},
           .kind = kind,
           .mode = extent::same,
           .holds = values::complex});
  }
  check({.image = {11, 14},
         .kernel = {4, 3},
         .kind = operation::correlate,
         .holds = values::complex,
         .images = 2,
         .kernels = 3});
  check_more({.image = {4, 6, 5}, .kernel = {2, 3, 2}, .holds = values::complex});
}

TEST_P(convolution_on, pairs_images_and_kernels_as_asked) {
  convolution_spec spec{.image = {12, 10},
                        .kernel = {3, 5},
                        .kind = operation::correlate,
                        .mode = extent::valid,
                        .images = 3,
                        .kernels = 2};
  check(spec);
  spec.prepared = operand_role::kernel;
  check_more(spec);
  spec.images = 2;
  spec.pairs = pairing::pairwise;
  check_more(spec);
  spec.prepared = operand_role::image;
  check(spec);
  check_more({.image = {21}, .kernel = {4}, .images = 3, .kernels = 3, .pairs = pairing::pairwise});
}

TEST_P(convolution_on, takes_kernels_longer_than_the_image) {
  check_more({.image = {5, 4}, .kernel = {9, 6}});
  check({.image = {5, 4}, .kernel = {9, 6}, .kind = operation::correlate, .mode = extent::same});
}

TEST_P(convolution_on, computes_in_fp64) {
  if (!on->device().has_fp64) GTEST_SKIP() << on->device().name << " has no fp64";
  check({.image = {19, 23},
         .kernel = {5, 4},
         .kind = operation::correlate,
         .mode = extent::same,
         .real = precision::fp64,
         .kernels = 2});
}

TEST_P(convolution_on, takes_columns_longer_than_a_workgroup) {
  check({.image = {20000, 2}, .kernel = {3, 2}, .mode = extent::valid});
  check_more({.image = {20000},
              .kernel = {5},
              .kind = operation::correlate,
              .mode = extent::same,
              .holds = values::complex});
}

TEST_P(convolution_on, takes_images_whose_columns_leave_the_cache) {
  if (GetParam() == engine::reference) GTEST_SKIP() << "the same plans as for smaller images";
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  check({.image = {2051, 1030},
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
                           std::size_t first, std::span<const float> some) {
    auto* const to = static_cast<float*>(out) + 2 * row;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const float x = given.value<float>(0) * some[i];
      std::atomic_ref{to[0]} += x;
      std::atomic_ref{to[1]} += x * static_cast<float>(first + i + 1000 * row);
    }
  };
  const convolution tallied{*on, spec};
  std::vector<float> images(plain.image_bytes() / 4), kernels(plain.kernel_bytes() / 4);
  fill_noise(images.data(), images.size(), 1);
  fill_noise(kernels.data(), kernels.size(), 2);
  buffer in{*on, plain.image_bytes()}, spectra{*on, plain.spectra_bytes()};
  buffer templates{*on, plain.kernel_bytes()}, maps{*on, plain.output_bytes()};
  buffer sums{*on, tallied.output_bytes()};
  in.write(images.data(), in.size_bytes());
  templates.write(kernels.data(), templates.size_bytes());
  tallied.prepare(*on, in.view(), spectra.view());
  plain.enqueue(*on, spectra.view(), templates.view(), maps.view());
  tallied.prepare(*on, in.view(), spectra.view());
  tallied.enqueue(*on, spectra.view(), templates.view(), sums.view(), {0.5F});
  std::vector<float> got(2 * n_pairs), values(n_pairs * points);
  sums.read(got.data(), sums.size_bytes());
  maps.read(values.data(), maps.size_bytes());
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
  for (const auto& image : cases<std::vector<std::size_t>>({{9, 14}}, {{21}, {4, 5, 6}})) {
    convolution_spec spec{.image = image,
                          .kernel = std::vector<std::size_t>(image.size(), 3),
                          .images = 2,
                          .kernels = 2};
    const convolution plain{*on, spec};
    const std::size_t image_points = product_of(spec.image),
                      kernel_points = product_of(spec.kernel);
    spec.image_load = bytes_load(2, image_points);
    const convolution by_bytes{*on, spec};
    std::vector<unsigned char> bytes(2 * image_points);
    std::vector<float> images(bytes.size()), kernels(2 * kernel_points);
    fill_noise(kernels.data(), kernels.size(), 3);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<unsigned char>(i * 77 + 5);
      images[i] = float(bytes[i]) / 127.5F - 1;
    }
    const auto result_of = [&](const convolution& planned, const void* from, std::size_t size) {
      buffer in{*on, size}, spectra{*on, planned.spectra_bytes()}, run{*on, planned.kernel_bytes()};
      buffer out{*on, planned.output_bytes()};
      in.write(from, size);
      run.write(kernels.data(), run.size_bytes());
      planned.prepare(*on, in.view(), spectra.view());
      planned.enqueue(*on, spectra.view(), run.view(), out.view());
      std::vector<float> values(out.size_bytes() / 4);
      out.read(values.data(), out.size_bytes());
      return values;
    };
    const auto expected = result_of(plain, images.data(), images.size() * 4);
    const auto got = result_of(by_bytes, bytes.data(), bytes.size());
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-5) << i;
  }
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
