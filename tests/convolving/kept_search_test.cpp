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

/// A search of each sort that takes kernels of its own; random_searches draws all others.
TEST_P(kept_search, keeps_what_it_is_asked_for) {
  check<float>(high(extent::full));
  search_spec spec = high(extent::same);
  spec.is_normalised = true;
  check<float>(spec, 3);
  spec = high(extent::valid);
  spec.is_normalised = true;
  spec.keeps_sums = spec.keeps_counts = false;
  spec.threshold = 0;
  check<float>(spec);
  spec.between = precision::fp16;
  spec.image_peak = 1;
  check<float>(spec);
  spec = high(extent::valid);
  spec.form = operand_form::spectrum;
  check<float>(spec);
  spec = high(extent::full);  // of rows of many values, of which a workgroup takes fewer
  spec.image = {4 * units() + 3, 124};
  check<float>(spec);
  if (!on->device().has_fp64) GTEST_SKIP() << on->device().name << " has no fp64";
  spec = high(extent::same);
  spec.real = precision::fp64;
  spec.is_normalised = true;
  check<double>(spec, 3);
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

/// Plain scores: their sums are rounded to a unit, and a table has those above a threshold.
TEST_P(kept_search, keeps_the_same_sums_and_table_in_runs_that_are_not_full) {
  if (!on->device().has_fp64) GTEST_SKIP() << on->device().name << " has no fp64";
  search_spec spec = high(extent::valid);
  spec.sum_unit = 0x1p-14;
  spec.table_threshold = 2.5;
  const std::size_t n = spec.templates[0] * spec.templates[1], n_templates = 7, n_runs = 3;
  const std::vector<float> values = noise_of<float>(spec.image[0] * spec.image[1], 1);
  std::vector<float> tiles = noise_of<float>(n_templates * n, 2);
  tiles.resize(n_runs * 3 * n, 1e6F);  // beyond: what no score may come of
  const buffer image = filled(*on, values), templates = filled(*on, tiles);
  const auto searched = [&](std::size_t at_once, bool pads_runs) {
    spec.templates_at_once = at_once;
    spec.pads_runs = pads_runs;
    expect_planned(spec);
    template_search search{*on, spec};
    search.begin(*on, image.view());
    search.add(*on, templates.view(), n_templates);
    return std::pair{search.state(*on), search.take_table(*on)};
  };
  const auto [alone, list] = searched(1, false);
  const auto [together, other_list] = searched(3, true);
  EXPECT_EQ(together.keys, alone.keys);
  EXPECT_EQ(together.counts, alone.counts);
  EXPECT_EQ(together.sums, alone.sums);
  EXPECT_EQ(together.templates, n_templates);
  ASSERT_EQ(other_list.entries.size(), list.entries.size());
  std::vector<std::uint32_t> n_listed(alone.counts.size());
  for (std::size_t i = 0; i < list.entries.size(); ++i) {
    const listed_score &a = list.entries[i], &b = other_list.entries[i];
    EXPECT_TRUE(a.number == b.number && a.y == b.y && a.x == b.x && a.score == b.score) << i;
    EXPECT_GT(a.score, 2.5F);
    ++n_listed[a.y * alone.width + a.x];
  }
  spec.threshold = 2.5;
  EXPECT_EQ(searched(3, true).first.counts, n_listed);
  // By definition, at one place.
  const std::size_t y = alone.height / 2, x = 3, place = y * alone.width + x;
  double sum = 0, squares = 0;
  for (std::size_t t = 0; t < n_templates; ++t) {
    double score = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = y + i / spec.templates[1], column = x + i % spec.templates[1];
      score += double{tiles[t * n + i]} * values[row * spec.image[1] + column];
    }
    sum += score;
    squares += score * score;
  }
  EXPECT_NEAR(alone.sums[place], sum, 7 * 0x1p-14);
  EXPECT_NEAR(alone.sums[alone.height * alone.width + place], squares, 7 * 0x1p-11);
}

INSTANTIATE_TEST_SUITE_P(engines, kept_search, all_engines(), engine_name);

}  // namespace
