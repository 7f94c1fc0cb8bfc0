// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Searches over templates against scores by their definitions, on every engine that is here.
#include "wingbeat/template_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // ldexp, round
#include <limits>
#include <utility>  // pair

#include "convolving/search_check.hpp"  // check_search
#include "support/on_engine.hpp"        // on_engine, all_engines, engine_name
#include "support/refusal.hpp"          // refusal
#include "tuning/compiled_engines.hpp"  // compiles_kernels

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::Each;
using ::testing::HasSubstr;

class template_search_on : public on_engine {
 protected:
  /// Returns a search of an image, with all templates added.
  template_search searched(const search_spec& spec, const std::vector<float>& image,
                           const std::vector<float>& templates) {
    template_search search{*on, spec};
    const buffer in = filled(*on, image), batch = filled(*on, templates);
    search.begin(*on, in.view());
    search.add(*on, batch.view(), templates.size() / (spec.templates[0] * spec.templates[1]));
    on->wait();
    return search;
  }
};

/// A search of each sort that takes kernels of its own; random_searches draws all others.
TEST_P(template_search_on, keeps_what_it_is_asked_for) {
  search_spec spec{.image = {13, 17},
                   .templates = {4, 5},
                   .mode = extent::same,
                   .keeps_sums = true,
                   .keeps_counts = true,
                   .threshold = 0.5,
                   .templates_at_once = 3};
  check_search<float>(*on, spec, {3, 1, 5, 6});
  spec.mode = extent::full;
  spec.is_normalised = true;
  spec.threshold = 0.1;
  check_search<float>(*on, spec, {1, 4}, 3);
  spec.templates_at_once = 1;
  spec.threshold = -0.2;
  spec.is_normalised = false;
  check_search<float>(*on, spec, {1, 4});
  if (!on->device().has_fp64) GTEST_SKIP() << on->device().name << " has no fp64";
  spec.real = precision::fp64;
  check_search<double>(*on, spec, {3});
}

TEST_P(template_search_on, keeps_the_same_bits_however_many_templates_a_run_takes) {
  const search_spec base{.image = {21, 18},
                         .templates = {4, 5},
                         .is_normalised = true,
                         .keeps_sums = true,
                         .keeps_counts = true,
                         .threshold = 0.1};
  const auto image = noise_of<float>(21 * 18, 1), templates = noise_of<float>(7 * 20, 2);
  const template_search alone = searched(base, image, templates);
  for (const std::size_t at_once : {3, 7}) {
    search_spec spec = base;
    spec.templates_at_once = at_once;
    const template_search several = searched(spec, image, templates);
    EXPECT_EQ(several.scores(*on), alone.scores(*on));
    EXPECT_EQ(several.numbers(*on), alone.numbers(*on));
    EXPECT_EQ(several.counts(*on), alone.counts(*on));
    EXPECT_EQ(several.mean(*on), alone.mean(*on));
    EXPECT_EQ(several.variance(*on), alone.variance(*on));
  }
}

TEST_P(template_search_on, keeps_the_same_bits_on_queues_that_alternate) {
  const bool is_late = compiles_kernels(GetParam());
  const std::size_t side = is_late ? 150 : 20, tile = 7, count = 3, n_adds = 6;
  const buffer image = filled(*on, noise_of<float>(side * side, 1));
  queue other_queue{on->device()};
  const auto kept_by = [&](const search_spec& spec, std::vector<queue*> queues) {
    template_search search{*on, spec};
    std::vector<buffer> batches;
    for (const queue* each : queues) batches.emplace_back(*each, count * tile * tile * 4);
    search.begin(*queues.back(), image.view());
    for (std::size_t i = 0; i < n_adds; ++i) {
      const auto templates = noise_of<float>(count * tile * tile, static_cast<unsigned>(i));
      buffer& batch = batches[i % queues.size()];
      batch.write(templates.data(), batch.size_bytes());
      search.add(*queues[i % queues.size()], batch.view(), count);
      if (i == 1) search.restart(*queues.front());
    }
    return search.state(*queues.front());
  };
  for (const std::size_t at_once : cases<std::size_t>({1}, {2})) {
    const search_spec spec{.image = {side, side},
                           .templates = {tile, tile},
                           .mode = extent::same,
                           .is_normalised = true,
                           .keeps_sums = true,
                           .keeps_counts = true,
                           .templates_at_once = at_once};
    const search_state alone = kept_by(spec, {on.get()}),
                       shared = kept_by(spec, {on.get(), &other_queue});
    EXPECT_EQ(shared.templates, (n_adds - 2) * count);
    EXPECT_EQ(shared.keys, alone.keys);
    EXPECT_EQ(shared.unit_sums, alone.unit_sums);
    EXPECT_EQ(shared.counts, alone.counts);
  }
}

TEST_P(template_search_on, normalises_small_contrasts_on_large_offsets) {
  // Noise of 1 on 1e4: floats there are 1e-3 apart, and the definition takes them as they are.
  for (const extent mode : cases<extent>({extent::valid}, {extent::full})) {
    check_search<float>(
        *on, {.image = {40, 33}, .templates = {8, 9}, .mode = mode, .is_normalised = true}, {2},
        1e4);
  }
}

TEST_P(template_search_on, gives_coefficients_of_images_of_every_magnitude) {
  for (const extent mode : cases<extent>({extent::valid}, {extent::full, extent::same})) {
    const search_spec spec{
        .image = {13, 17}, .templates = {4, 5}, .mode = mode, .is_normalised = true};
    std::vector<float> image(13 * 17), templates(2 * 20);
    fill_noise(image.data(), image.size(), 1);
    fill_noise(templates.data(), templates.size(), 2);
    for (float& value : image) value = std::round(64 * value);  // exact as a subnormal, too
    const std::vector<float> expected =
        searched(spec, image, templates).map(*on, score_map::largest);
    for (const int exponent : {-140, -100, 60, 115}) {
      std::vector<float> scaled;
      for (const float value : image) scaled.push_back(std::ldexp(value, exponent));
      EXPECT_EQ(searched(spec, scaled, templates).map(*on, score_map::largest), expected)
          << exponent;
    }
  }
}

TEST_P(template_search_on, gives_equal_scores_to_the_first_template) {
  const std::vector<float> image = noise_of<float>(12 * 10, 5), zeros(5 * 6);
  const template_search search =
      searched({.image = {12, 10}, .templates = {2, 3}, .templates_at_once = 2}, image, zeros);
  EXPECT_THAT(search.scores(*on), Each(0));
  EXPECT_THAT(search.numbers(*on), Each(0U));
  EXPECT_EQ(search.added(), 5U);
}

TEST_P(template_search_on, scores_constants_as_zero) {
  const search_spec spec{.image = {9, 11},
                         .templates = {3, 4},
                         .mode = extent::same,
                         .is_normalised = true,
                         .keeps_sums = true};
  search_spec inside = spec;
  inside.mode = extent::valid;
  const std::vector<float> flat(9 * 11, 1234.567F), flat_template(3 * 4, 0.1F);
  const auto image = noise_of<float>(9 * 11, 1), tile = noise_of<float>(3 * 4, 2);
  EXPECT_THAT(searched(inside, flat, tile).scores(*on), Each(0));
  EXPECT_THAT(searched(inside, flat, tile).variance(*on), Each(0));
  EXPECT_THAT(searched(spec, image, flat_template).scores(*on), Each(0));
  EXPECT_THAT(searched(spec, std::vector<float>(9 * 11), tile).scores(*on), Each(0));
  // One part of an image may be constant, on any offset.
  auto half = image;
  for (std::size_t i = 0; i < 6 * 11; ++i) half[i] = 77.7F;
  const auto scores = searched(inside, half, tile).scores(*on);
  for (std::size_t i = 0; i < 4 * 8; ++i) EXPECT_EQ(scores[i], 0) << i;
  for (std::size_t i = 4 * 8; i < scores.size(); ++i) EXPECT_NE(scores[i], 0) << i;
}

TEST_P(template_search_on, scores_what_narrow_storage_hides_as_zero) {
  // The right half is 10,000 times as loud: what is stored of it is rounded by more than the left.
  constexpr std::size_t height = 24, width = 60;
  auto image = noise_of<float>(height * width, 1);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] *= i % width < width / 2 ? 1 : 1e4F;
  const auto tile = noise_of<float>(5 * 7, 2);
  search_spec spec{.image = {height, width}, .templates = {5, 7}, .is_normalised = true};
  const auto expected = searched(spec, image, tile).scores(*on);
  for (const auto& [between, error] :
       {std::pair{precision::fp16, 0.004F}, {precision::bf16, 0.03F}}) {
    spec.between = between;
    spec.image_peak = between == precision::fp16 ? 1e5 : 0;
    const auto scores = searched(spec, image, tile).scores(*on);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const std::size_t x = i % (width - 6);
      if (x + 7 <= width / 2) EXPECT_EQ(scores[i], 0) << i;
      if (x >= width / 2) EXPECT_NEAR(scores[i], expected[i], error) << i;
    }
  }
}

TEST_P(template_search_on, finds_the_image_in_itself) {
  const auto image = noise_of<float>(9 * 11, 1);
  const search_spec spec{.image = {9, 11}, .templates = {9, 11}, .is_normalised = true};
  const auto scores = searched(spec, image, image).scores(*on);
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_NEAR(scores[0], 1, 1e-6);
  auto negative = image;
  for (float& value : negative) value = 3 - 2 * value;
  EXPECT_NEAR(searched(spec, image, negative).scores(*on)[0], -1, 1e-6);
  const search_spec point{.image = {9, 11}, .templates = {1, 1}, .is_normalised = true};
  EXPECT_THAT(searched(point, image, {2}).scores(*on), Each(0)) << "a point is constant";
}

TEST_P(template_search_on, begins_again) {
  const search_spec spec{.image = {8, 8},
                         .templates = {3, 3},
                         .keeps_sums = true,
                         .keeps_counts = true,
                         .threshold = -1000};
  const auto image = noise_of<float>(64, 1), tiles = noise_of<float>(3 * 9, 2);
  const float infinity = std::numeric_limits<float>::infinity();
  template_search search = searched(spec, image, tiles);
  EXPECT_THAT(search.counts(*on), Each(3U));
  const buffer other = filled(*on, noise_of<float>(64, 3)), batch = filled(*on, tiles);
  search.begin(*on, other.view());
  EXPECT_EQ(search.added(), 0U);
  EXPECT_THAT(search.scores(*on), Each(-infinity));
  EXPECT_THAT(search.numbers(*on), Each(0xffffffffU));
  EXPECT_THAT(search.mean(*on), Each(0));
  EXPECT_THAT(search.variance(*on), Each(0));
  EXPECT_THAT(search.counts(*on), Each(0U));
  EXPECT_TRUE(search.peaks(*on, 5, -infinity, 1).empty());
  search.add(*on, batch.view(), 2);
  EXPECT_EQ(
      search.scores(*on),
      searched(spec, noise_of<float>(64, 3), {tiles.begin(), tiles.begin() + 18}).scores(*on));
  EXPECT_THAT(search.counts(*on), Each(2U));
}

TEST_P(template_search_on, restarts_with_the_same_image) {
  const auto image = noise_of<float>(64, 1), tiles = noise_of<float>(2 * 9, 2);
  for (const bool is_normalised : {false, true}) {
    const search_spec spec{.image = {8, 8}, .templates = {3, 3}, .is_normalised = is_normalised};
    template_search search = searched(spec, image, {tiles.begin(), tiles.begin() + 9});
    buffer second{*on, 9 * sizeof(float)};
    second.write(tiles.data() + 9, second.size_bytes());
    search.restart(*on);
    EXPECT_EQ(search.added(), 0U);
    search.add(*on, second.view(), 1);
    EXPECT_EQ(search.scores(*on),
              searched(spec, image, {tiles.begin() + 9, tiles.end()}).scores(*on));
  }
  template_search none{*on, {.image = {8, 8}, .templates = {3, 3}}};
  EXPECT_THAT(refusal([&] { none.restart(*on); }), ::testing::HasSubstr("call begin"));
}

TEST_P(template_search_on, passes_over_templates_that_are_no_numbers) {
  const auto image = noise_of<float>(64, 1);
  auto tiles = noise_of<float>(3 * 9, 2);
  tiles[4] = std::numeric_limits<float>::quiet_NaN();
  for (const bool is_normalised : {false, true}) {
    const search_spec spec{.image = {8, 8}, .templates = {3, 3}, .is_normalised = is_normalised};
    const template_search search = searched(spec, image, tiles);
    const auto expected = searched(spec, image, {tiles.begin() + 9, tiles.end()});
    EXPECT_EQ(search.scores(*on), expected.scores(*on));
    for (const std::uint32_t number : search.numbers(*on)) EXPECT_GE(number, 1U);
  }
}

TEST_P(template_search_on, returns_peaks_of_planted_templates) {
  auto image = noise_of<float>(40 * 50, 1);
  const auto tiles = noise_of<float>(2 * 36, 2);
  for (float& value : image) value *= 0.1F;
  const auto plant = [&](std::size_t number, std::size_t y, std::size_t x) {
    for (std::size_t i = 0; i < 36; ++i) {
      image[(y + i / 6) * 50 + x + i % 6] += tiles[number * 36 + i];
    }
  };
  plant(1, 3, 40);
  plant(0, 30, 7);
  const auto peaks =
      searched(
          {.image = {40, 50}, .templates = {6, 6}, .is_normalised = true, .templates_at_once = 2},
          image, tiles)
          .peaks(*on, 10, 0.9, 3);
  ASSERT_EQ(peaks.size(), 2U);
  for (const peak& each : peaks) {
    EXPECT_EQ(each.y, each.number == 1 ? 3U : 30U);
    EXPECT_EQ(each.x, each.number == 1 ? 40U : 7U);
  }
}

TEST_P(template_search_on, refuses_what_it_cannot_do) {
  const auto refused = [&](search_spec spec) {
    return refusal([&] { (void)template_search(*on, spec); });
  };
  EXPECT_THAT(refused({.image = {8}, .templates = {3, 3}}), HasSubstr("image has the lengths {8}"));
  EXPECT_THAT(refused({.image = {8, 8}, .templates = {3, 0}}),
              HasSubstr("templates has the lengths {3, 0}; give {height, width}"));
  EXPECT_THAT(refused({.image = {8, 8}, .templates = {9, 3}}),
              HasSubstr("templates are 9x3 and the image 8x8"));
  EXPECT_THAT(refused({.image = {8, 8}, .templates = {3, 3}, .templates_at_once = 0}),
              HasSubstr("templates_at_once is 0"));
  EXPECT_THAT(refused({.image = {8, 8}, .templates = {3, 3}, .threshold = 0.5}),
              HasSubstr("threshold is 0.5 and keeps_counts is false, so that no scores are"));
  EXPECT_THAT(refused({.image = {8, 8}, .templates = {3, 3}, .real = precision::fp16}),
              HasSubstr("fp32 or fp64"));
  template_search search{*on, {.image = {8, 8}, .templates = {3, 3}}};
  const buffer image = filled(*on, std::vector<float>(64)), small{*on, 68};
  EXPECT_THAT(refusal([&] { search.add(*on, image.view(), 1); }), HasSubstr("call begin first"));
  EXPECT_THAT(refusal([&] { (void)search.scores(*on); }), HasSubstr("call begin first"));
  EXPECT_THAT(refusal([&] { search.begin(*on, small.view()); }),
              HasSubstr("the image holds 68 bytes; this search needs 256"));
  search.begin(*on, image.view());
  EXPECT_THAT(refusal([&] { search.add(*on, image.view(), 0); }), HasSubstr("0 templates"));
  EXPECT_THAT(refusal([&] { search.add(*on, small.view(), 2); }),
              HasSubstr("the memory of templates holds 68 bytes; this search needs 72"));
  EXPECT_THAT(refusal([&] { search.add(*on, image.view(), std::size_t{1} << 33); }),
              HasSubstr("templates were added to 0"));
  buffer_view within = image.view();
  within.offset_bytes += 2;
  within.size_bytes -= 2;
  EXPECT_THAT(refusal([&] { search.add(*on, within, 1); }), HasSubstr("starts at byte 2"));
  EXPECT_THAT(refusal([&] { (void)search.mean(*on); }), HasSubstr("set keeps_sums"));
  EXPECT_THAT(refusal([&] { (void)search.counts(*on); }), HasSubstr("set keeps_counts"));
  const engine other = GetParam() == engine::host ? engine::reference : engine::host;
  queue elsewhere{first_device(other)};
  EXPECT_THAT(refusal([&] { search.add(elsewhere, image.view(), 1); }),
              HasSubstr("give it a queue of its own device"));
  const template_search moved{std::move(search)};
  EXPECT_THAT(refusal([&] { (void)search.added(); }),  // NOLINT: what a moved one says
              HasSubstr("moved from"));
  EXPECT_THAT(moved.explain(), HasSubstr("search of 8x8 for templates of 3x3"));
}

INSTANTIATE_TEST_SUITE_P(engines, template_search_on, all_engines(), engine_name);

}  // namespace
