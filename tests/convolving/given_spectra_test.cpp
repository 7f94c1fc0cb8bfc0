// SPDX-License-Identifier: Apache-2.0
// Timeout: 300
// Kernels that are given as spectra where they are many or make no sense; random_convolutions and
// random_searches draw the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convolving/convolution_check.hpp"  // check_convolution
#include "support/refusal.hpp"               // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

TEST(given_spectra, may_be_more_than_a_cache_holds) {
  queue on{first_device(engine::host)};
  // A chunk of kernels, and the rest, each from its own place.
  const convolution_spec spec{.image = {1450, 1450},
                              .kernel = {2, 2},
                              .mode = extent::valid,
                              .real = precision::fp64,
                              .kernels = 3,
                              .form = operand_form::spectrum};
  EXPECT_THAT(convolution(on, spec).explain(), HasSubstr("1 times, 1 at once"));
  check_convolution(on, spec);
}

TEST(given_spectra, are_refused_where_it_makes_no_sense) {
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

}  // namespace
