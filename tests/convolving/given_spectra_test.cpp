// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Convolutions and searches whose kernels, or images, are given as spectra, on every engine that is
// here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convolving/convolution_check.hpp"  // check_convolution
#include "convolving/search_check.hpp"       // check_search
#include "support/on_engine.hpp"             // on_engine, all_engines, engine_name
#include "support/refusal.hpp"               // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

class given_spectra : public on_engine {
 protected:
  void check(convolution_spec spec) {
    spec.form = operand_form::spectrum;
    check_convolution(*on, spec);
  }
};

TEST_P(given_spectra, of_kernels_are_as_good_as_values) {
  check({.image = {19, 23},
         .kernel = {8, 4},
         .kind = operation::correlate,
         .mode = extent::valid,
         .kernels = 3});
  if (leaves_out()) return;
  check({.image = {19, 23}, .kernel = {2, 16}, .mode = extent::same, .images = 2});
  check({.image = {9, 6, 7}, .kernel = {4, 2, 8}, .kind = operation::correlate, .kernels = 2});
  check({.image = {37}, .kernel = {8}});
  check({.image = {37}, .kernel = {17}});
  check({.image = {37}, .kernel = {1}});
  check({.image = {29, 33}, .kernel = {6, 10}, .mode = extent::same, .kernels = 3});
  check({.image = {29, 33}, .kernel = {9, 11}, .kind = operation::correlate, .kernels = 2});
}

TEST_P(given_spectra, of_images_are_as_good_as_values) {
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  check({.image = {256}, .kernel = {7}, .prepared = operand_role::kernel, .block = 64});
  check({.image = {16, 32},
         .kernel = {5, 3},
         .images = 3,
         .kernels = 3,
         .pairs = pairing::pairwise,
         .prepared = operand_role::kernel});
}

TEST_P(given_spectra, may_be_of_complex_values) {
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  check({.image = {40}, .kernel = {8}, .kind = operation::correlate, .holds = values::complex});
  check({.image = {11, 14}, .kernel = {4, 8}, .holds = values::complex, .kernels = 2});
}

TEST_P(given_spectra, may_be_of_fp64_and_meet_spectra_of_fp16) {
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  check({.image = {19, 23}, .kernel = {8, 4}, .real = precision::fp64});
  check({.image = {50, 41},
         .kernel = {16, 8},
         .between = precision::fp16,
         .image_peak = 1,
         .kernel_peak = 1});
}

TEST_P(given_spectra, may_be_more_than_a_cache_holds) {
  if (GetParam() != engine::host) GTEST_SKIP() << "the signals of one run, cut alike everywhere";
  // A chunk of kernels, and the rest, each from its own place.
  const convolution_spec spec{.image = {1450, 1450},
                              .kernel = {2, 2},
                              .mode = extent::valid,
                              .real = precision::fp64,
                              .kernels = 3};
  EXPECT_THAT(convolution(*on, spec).explain(), HasSubstr("1 times, 1 at once"));
  check(spec);
}

TEST_P(given_spectra, of_templates_are_scored_as_values) {
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  search_spec spec{
      .image = {29, 37}, .templates = {8, 16}, .keeps_sums = true, .templates_at_once = 2};
  for (const bool is_normalised : {true, false}) {
    spec.is_normalised = is_normalised;
    spec.form = operand_form::spectrum;
    spec.templates = {8, 16};
    check_search<float>(*on, spec, {2, 3});
    spec.templates = {7, 17};
    check_search<float>(*on, spec, {2, 3});
  }
}

TEST(given_spectra_request, is_refused_where_it_makes_no_sense) {
  const queue on{first_device(engine::reference)};
  const auto refused = [&](convolution_spec spec) {
    spec.form = operand_form::spectrum;
    return refusal([&] { convolution{on, spec}; });
  };
  convolution_spec loaded{.image = {9}, .kernel = {4}};
  loaded.kernel_load = {.in_bytes = 16, .element_bytes = 4};
  loaded.kernel_load.callable = [](const void*, std::size_t, std::size_t, std::span<float>) {};
  EXPECT_THAT(refused(loaded), HasSubstr("form is spectrum and kernel_load is given"));
  EXPECT_THAT(refusal([&] {
                convolution{on, {.image = {9}, .kernel = {4}, .form = operand_form{5}}};
              }),
              HasSubstr("form is 5"));
}

INSTANTIATE_TEST_SUITE_P(engines, given_spectra, all_engines(), engine_name);

}  // namespace
