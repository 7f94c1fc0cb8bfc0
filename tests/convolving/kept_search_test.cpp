// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Searches of images so high that a GPU keeps the scores of each place over all templates of a run:
// it does from one workgroup a compute unit on. Engines of the processor keep in no launch, and
// take a few rows of the same searches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convolving/search_check.hpp"  // check_search, filled, noise_of
#include "support/on_engine.hpp"        // on_engine, all_engines, engine_name
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

class kept_search : public on_engine {
 protected:
  /// Returns a search of images whose rows make workgroups of 16, the last of them not full.
  [[nodiscard]] search_spec high(extent mode) const {
    return {.image = {16 * units() + 5, 20},
            .templates = {3, 5},
            .mode = mode,
            .keeps_sums = true,
            .keeps_counts = true,
            .threshold = 0.4,
            .templates_at_once = 3};
  }

  void expect_planned(const search_spec& spec) {
    const std::string kept = "whose values your store keeps";
    const std::string text = template_search{*on, spec}.explain();
    if (keeps()) {
      EXPECT_THAT(text, HasSubstr(kept));
    } else {
      EXPECT_THAT(text, Not(HasSubstr(kept)));
    }
  }

  template <class Real>
  void check(const search_spec& spec, double offset = 0) {
    expect_planned(spec);
    check_search<Real>(*on, spec, {3, 2}, offset);
  }

  [[nodiscard]] std::size_t units() const { return keeps() ? on->device().compute_units : 2; }

 private:
  [[nodiscard]] static bool keeps() { return GetParam() == engine::cuda; }
};

TEST_P(kept_search, keeps_plain_scores_in_every_mode) {
  for (const extent mode : cases<extent>({extent::full}, {extent::same, extent::valid})) {
    check<float>(high(mode));
  }
}

TEST_P(kept_search, keeps_coefficients_in_every_mode) {
  for (const extent mode : cases<extent>({extent::same}, {extent::full, extent::valid})) {
    search_spec spec = high(mode);
    spec.is_normalised = true;
    check<float>(spec, 3);
  }
}

TEST_P(kept_search, keeps_nothing_but_the_largest) {
  for (const bool is_normalised : cases<bool>({true}, {false})) {
    search_spec spec = high(extent::valid);
    spec.is_normalised = is_normalised;
    spec.keeps_sums = spec.keeps_counts = false;
    spec.threshold = 0;
    check<float>(spec);
  }
}

/// Of rows of many values, of which a workgroup takes fewer.
TEST_P(kept_search, keeps_long_rows) {
  search_spec spec = high(extent::full);
  spec.image = {4 * units() + 3, 124};
  check<float>(spec);
  if (leaves_out()) return;
  spec.is_normalised = true;
  check<float>(spec, 3);
}

TEST_P(kept_search, keeps_scores_of_doubles) {
  if (!on->device().has_fp64) GTEST_SKIP() << on->device().name << " has no fp64";
  for (const bool is_normalised : cases<bool>({true}, {false})) {
    search_spec spec = high(extent::same);
    spec.real = precision::fp64;
    spec.is_normalised = is_normalised;
    check<double>(spec, is_normalised ? 3 : 0);
  }
}

TEST_P(kept_search, keeps_scores_of_spectra_in_16_bits) {
  for (const bool is_normalised : cases<bool>({true}, {false})) {
    search_spec spec = high(extent::valid);
    spec.is_normalised = is_normalised;
    spec.between = precision::fp16;
    spec.image_peak = 1;
    spec.template_peak = is_normalised ? 0 : 1;
    check<float>(spec);
  }
}

TEST_P(kept_search, keeps_scores_of_given_spectra) {
  search_spec spec = high(extent::valid);
  spec.form = operand_form::spectrum;
  check<float>(spec);
}

/// Every template twice, and of a run as many as a kept number can tell from each other.
TEST_P(kept_search, keeps_the_same_bits_however_many_templates_a_run_takes) {
  constexpr std::size_t run = 255;
  const std::size_t n_different = leaves_out() ? 3 : 150;
  search_spec spec = high(extent::valid);
  spec.is_normalised = true;
  const std::size_t n = spec.templates[0] * spec.templates[1];
  std::vector<float> tiles = noise_of<float>(n_different * n, 2);
  tiles.insert(tiles.end(), tiles.begin(),
               tiles.begin() + static_cast<std::ptrdiff_t>(tiles.size()));
  const buffer image = filled(*on, noise_of<float>(spec.image[0] * spec.image[1], 1));
  const buffer templates = filled(*on, tiles);
  const auto kept_by = [&](std::size_t at_once) {
    spec.templates_at_once = at_once;
    expect_planned(spec);
    template_search search{*on, spec};
    search.begin(*on, image.view());
    search.add(*on, templates.view(), tiles.size() / n);
    for (const std::uint32_t number : search.numbers(*on)) EXPECT_LT(number, n_different);
    return search.state(*on);
  };
  const search_state alone = kept_by(1), together = kept_by(leaves_out() ? 2 : run);
  EXPECT_EQ(together.keys, alone.keys);
  EXPECT_EQ(together.unit_sums, alone.unit_sums);
  EXPECT_EQ(together.counts, alone.counts);
}

TEST_P(kept_search, gives_equal_scores_to_the_first_template) {
  search_spec spec = high(extent::valid);
  expect_planned(spec);
  template_search search{*on, spec};
  const buffer image = filled(*on, noise_of<float>(spec.image[0] * spec.image[1], 5));
  const buffer zeros = filled(*on, std::vector<float>(7 * spec.templates[0] * spec.templates[1]));
  search.begin(*on, image.view());
  search.add(*on, zeros.view(), 7);
  EXPECT_THAT(search.scores(*on), Each(0));
  EXPECT_THAT(search.numbers(*on), Each(0U));
  EXPECT_THAT(search.counts(*on), Each(0U));
}

INSTANTIATE_TEST_SUITE_P(engines, kept_search, all_engines(), engine_name);

}  // namespace
