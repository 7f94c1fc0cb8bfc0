// SPDX-License-Identifier: Apache-2.0
// Drawn convolutions: the same from the same seed, accepted by every engine, and of every sort.
#include "support/random_convolution.hpp"

#include <gtest/gtest.h>

#include <bit>  // has_single_bit
#include <set>
#include <string>

#include "arrays/address_space.hpp"  // product_of
#include "convolving/geometry.hpp"   // geometry_of
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

TEST(random_convolution, is_the_same_from_the_same_seed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(as_initialiser(random_convolution(seed).spec),
              as_initialiser(random_convolution(seed).spec));
  }
  EXPECT_NE(as_initialiser(random_convolution(1).spec), as_initialiser(random_convolution(2).spec));
}

TEST(random_convolution, is_never_refused_by_the_oracle) {
  const queue on{first_device(engine::reference)};
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto drawn = random_convolution(seed);
    EXPECT_NO_THROW(convolution(on, drawn.spec)) << seed << ": " << as_initialiser(drawn.spec);
  }
}

TEST(random_convolution, stays_within_its_limits) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const auto drawn = random_convolution(seed, {.max_products = 1 << 16, .has_fp64 = false});
    std::size_t products = drawn.spec.images;
    if (drawn.spec.pairs == pairing::each_with_each) products *= drawn.spec.kernels;
    products *= product_of(drawn.spec.image) * product_of(drawn.spec.kernel);
    EXPECT_LE(products, 1U << 17) << seed;  // of the longest signals with one tap
    EXPECT_NE(drawn.spec.real, precision::fp64) << seed;
  }
}

/// Returns what is worth naming about a request.
std::set<std::string> traits_of(const drawn_convolution& drawn) {
  const convolution_spec& spec = drawn.spec;
  std::set<std::string> found{std::string{name_of(spec.kind)}, std::string{name_of(spec.mode)},
                              std::to_string(spec.image.size()) + " axes"};
  const auto add = [&](bool is_there, const char* name) {
    if (is_there) found.insert(name);
  };
  const std::size_t image = spec.image[0], kernel = spec.kernel[0];
  add(spec.holds == values::complex, "complex");
  add(spec.real == precision::fp64, "fp64");
  add(spec.images > 1 && spec.kernels > 1 && spec.pairs == pairing::each_with_each, "each");
  add(spec.kernels > 1 && spec.pairs == pairing::pairwise, "pairwise");
  add(spec.prepared == operand_role::kernel, "kernels prepared");
  add(spec.block != 0, "blocks");
  add(kernel == 1, "kernel of 1");
  add(kernel == image, "kernel as long as the image");
  add(kernel > image, "kernel longer than the image");
  add(image > 4096, "long signal");
  add(image % 2 == 1 && image > 1, "odd");
  add(std::has_single_bit(image), "power of two");
  const device_info processor;
  for (const auto& axis : convolving::geometry_of(spec)) {
    add(!std::has_single_bit(axis.padded), "mixed on a GPU");
  }
  for (const auto& axis : convolving::geometry_of(spec, processor)) {
    add(!std::has_single_bit(axis.padded), "mixed on a processor");
    add(axis.hop != 0 && !std::has_single_bit(axis.padded), "mixed block");
  }
  add(drawn.reverses_images, "functor of images");
  add(drawn.reverses_kernels, "functor of kernels");
  add(drawn.reverses_results, "functor of results");
  add(drawn.has_own_workspace, "own workspace");
  add(spec.form == operand_form::spectrum, "given spectra");
  if (spec.between) found.insert("spectra in " + std::string{name_of(*spec.between)});
  return found;
}

TEST(random_convolution, draws_every_sort_in_a_few_hundred) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) seen.merge(traits_of(random_convolution(seed)));
  for (const char* name : {"convolve",
                           "correlate",
                           "full",
                           "same",
                           "valid",
                           "1 axes",
                           "2 axes",
                           "3 axes",
                           "complex",
                           "fp64",
                           "each",
                           "pairwise",
                           "kernels prepared",
                           "blocks",
                           "kernel of 1",
                           "kernel as long as the image",
                           "kernel longer than the image",
                           "long signal",
                           "odd",
                           "power of two",
                           "mixed on a GPU",
                           "mixed on a processor",
                           "mixed block",
                           "functor of images",
                           "functor of kernels",
                           "functor of results",
                           "own workspace",
                           "given spectra",
                           "spectra in fp16",
                           "spectra in bf16"}) {
    EXPECT_TRUE(seen.contains(name)) << name;
  }
}

TEST(random_convolution, is_printed_as_it_would_be_written) {
  const convolution_spec spec{.image = {40, 3},
                              .kernel = {5, 3},
                              .kind = operation::correlate,
                              .mode = extent::same,
                              .holds = values::complex,
                              .images = 2,
                              .kernels = 2,
                              .pairs = pairing::pairwise,
                              .prepared = operand_role::kernel};
  EXPECT_EQ(as_initialiser(spec),
            "{.image = {40, 3}, .kernel = {5, 3}, .kind = operation::correlate, .mode = "
            "extent::same, .holds = values::complex, .images = 2, .kernels = 2, .pairs = "
            "pairing::pairwise, .prepared = operand_role::kernel}");
}

}  // namespace
