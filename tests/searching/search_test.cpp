// SPDX-License-Identifier: Apache-2.0
// Searches on several queues at once, and of images of which some pixels are not there.
#include "searching/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // min
#include <cmath>      // NAN

#include "support/dice.hpp"     // dice
#include "support/refusal.hpp"  // refusal
#include "wingbeat/error.hpp"   // file_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using searching::search;
using searching::template_batch;
using ::testing::HasSubstr;

constexpr std::size_t n_templates = 23, points = 5 * 6, pixels = 19 * 24;

std::vector<double> noise(std::size_t count, std::uint64_t seed) {
  dice roll{seed};
  std::vector<double> values(count);
  for (double& value : values) value = static_cast<double>(roll.below(1000)) / 500 - 1;
  return values;
}

const std::vector<double> templates = noise(n_templates * points, 1);

/// Hands out templates from `first` on, before `end`.
class source {
 public:
  source(std::size_t first, std::size_t end) : first_(first), end_(end) {}

  template_batch operator()(std::size_t max_count) {
    const std::size_t first = first_, count = std::min(max_count, end_ - first);
    first_ += count;
    const auto begin = templates.begin() + static_cast<std::ptrdiff_t>(first * points);
    return {{begin, begin + static_cast<std::ptrdiff_t>(count * points)}, first, count};
  }

 private:
  std::size_t first_, end_;
};

searching::search_request request_of(bool is_masked) {
  return {.search = {.image = {19, 24},
                     .templates = {5, 6},
                     .is_normalised = true,
                     .keeps_sums = true,
                     .keeps_counts = true,
                     .threshold = 0.2,
                     .templates_at_once = 3},
          .is_masked = is_masked};
}

std::vector<double> image_of(bool is_masked) {
  std::vector<double> image = noise(pixels, 2);
  for (std::size_t i = 0; is_masked && i < pixels; i += 7) image[i] = NAN;
  return image;
}

std::vector<queue> host_queues(std::size_t count) {
  std::vector<queue> queues;
  for (std::size_t i = 0; i < count; ++i) queues.emplace_back(first_device(engine::host));
  return queues;
}

class searches : public ::testing::TestWithParam<bool> {};

TEST_P(searches, keep_the_same_bits_on_several_queues) {
  const auto searched = [](std::size_t n_queues) {
    search dealt{host_queues(n_queues), request_of(GetParam())};
    dealt.begin(image_of(GetParam()));
    EXPECT_EQ(dealt.add(source{5, n_templates}), n_templates - 5);
    EXPECT_EQ(dealt.add(source{0, 5}), 5U);
    EXPECT_EQ(dealt.added(), n_templates);
    return dealt.state();
  };
  const search_state expected = searched(1), state = searched(3);
  EXPECT_EQ(state.templates, n_templates);
  EXPECT_EQ(state.keys, expected.keys);
  EXPECT_EQ(state.unit_sums, expected.unit_sums);
  EXPECT_EQ(state.counts, expected.counts);
}

TEST_P(searches, reduce_the_maps_of_all_templates) {
  std::vector<std::uint32_t> counts;
  std::vector<float> largest;
  auto request = request_of(GetParam());
  request.take_map = [&](std::size_t height, std::size_t width, const auto& map) {
    const auto& scores = std::get<std::vector<float>>(map);
    ASSERT_EQ(scores.size(), height * width);
    counts.resize(scores.size());
    largest.resize(scores.size(), -2);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      counts[i] += scores[i] > 0.2F ? 1 : 0;
      largest[i] = std::max(largest[i], scores[i]);
    }
  };
  search dealt{host_queues(1), request};
  dealt.begin(image_of(GetParam()));
  (void)dealt.add(source{0, n_templates});
  const search_state state = dealt.state();
  const std::vector<float> map = state.map(score_map::largest);
  std::size_t n_others = 0;  // of which fp32 decides otherwise than what was computed
  for (std::size_t i = 0; i < map.size(); ++i) {
    ASSERT_NEAR(map[i], largest[i], 1e-5);
    n_others += state.counts[i] != counts[i] ? 1 : 0;
  }
  EXPECT_LE(n_others, 1U);
  EXPECT_NE(counts, std::vector<std::uint32_t>(map.size()));
}

TEST_P(searches, forget_all_scores_and_take_other_images) {
  search dealt{host_queues(2), request_of(GetParam())};
  dealt.begin(noise(pixels, 3));
  (void)dealt.add(source{0, n_templates});
  dealt.begin(image_of(GetParam()));
  (void)dealt.add(source{0, 9});
  const search_state expected = dealt.state();
  (void)dealt.add(source{9, n_templates});
  EXPECT_NE(dealt.state().keys, expected.keys);
  dealt.restart();
  EXPECT_EQ(dealt.added(), 0U);
  (void)dealt.add(source{0, 9});
  EXPECT_EQ(dealt.state().keys, expected.keys);
  EXPECT_EQ(dealt.state().templates, 9U);
}

TEST_P(searches, that_failed_refuse_to_go_on) {
  search dealt{host_queues(3), request_of(GetParam())};
  dealt.begin(image_of(GetParam()));
  source given{0, n_templates};
  const auto failing = [&](std::size_t max_count) {
    template_batch batch = given(max_count);
    if (batch.first > 8) throw file_error("a file ends");
    return batch;
  };
  EXPECT_THROW((void)dealt.add(failing), file_error);
  const auto sentence = HasSubstr("this search failed while it took templates");
  EXPECT_THAT(refusal([&] { (void)dealt.state(); }), sentence);
  EXPECT_THAT(refusal([&] { (void)dealt.add(source{0, 1}); }), sentence);
  dealt.restart();
  EXPECT_EQ(dealt.add(source{0, n_templates}), n_templates);
  EXPECT_EQ(dealt.state().templates, n_templates);
}

INSTANTIATE_TEST_SUITE_P(, searches, ::testing::Bool(),
                         [](const auto& given) { return given.param ? "masked" : "whole"; });

TEST(search, refuses_requests_that_contradict_themselves) {
  const auto refused = [](std::size_t n_queues, const searching::search_request& request) {
    return refusal([&] { search{host_queues(n_queues), request}; });
  };
  auto request = request_of(false);
  EXPECT_THAT(refused(0, request), HasSubstr("give at least one"));
  request.search.is_normalised = false;
  EXPECT_THAT(refused(2, request), HasSubstr("depend on the order"));
  EXPECT_EQ(search(host_queues(1), request).result(), (std::vector<std::size_t>{15, 19}));
  request = request_of(true);
  request.search.form = operand_form::spectrum;
  EXPECT_THAT(refused(1, request), HasSubstr("take values"));
  request = request_of(true);
  request.search.between = precision::bf16;
  EXPECT_THAT(refused(1, request), HasSubstr("searched in fp64"));
}

TEST(search, refuses_maps_that_exceed_the_precision) {
  auto request = request_of(false);
  request.search.is_normalised = request.search.keeps_sums = request.keeps_state = false;
  request.take_map = [](auto&&...) {};
  request.fp64_name = "doubles";
  search dealt{host_queues(1), request};
  dealt.begin(std::vector<double>(pixels, 1e30));
  const auto large = [](std::size_t) {
    return template_batch{std::vector<double>(points, 1e20), 0, 1};
  };
  EXPECT_THAT(refusal([&] { (void)dealt.add(large); }),
              HasSubstr("the result exceeds the range of fp32; use doubles or smaller values"));
}

TEST(search, keeps_the_inverse_transforms_of_fp32_in_range) {
  auto request = request_of(false);
  request.search.is_normalised = request.search.keeps_sums = false;
  for (const precision real : {precision::fp32, precision::fp64}) {
    request.search.real = real;
    search dealt{host_queues(1), request};
    dealt.begin(std::vector<double>(pixels, 1e18));  // of the norm 2.1e19
    // Of the norm 5.5e17: scores of 1.2e37, and of inverse transforms 720 times as much.
    const template_batch batch{std::vector<double>(points, 1e17), 7, 1};
    const std::string text = refusal([&] { dealt.require_kept(batch); });
    EXPECT_EQ(text.find("scores of template 7 could reach 1.17e+37") == 0, real == precision::fp32)
        << text;
  }
}

TEST(search, takes_arrays_on_the_device_of_its_only_queue) {
  search dealt{host_queues(1), request_of(false)};
  dealt.begin(image_of(false));
  (void)dealt.add(source{0, n_templates});
  const auto floats = [](const std::vector<double>& values) {
    return std::vector<float>(values.begin(), values.end());
  };
  const auto view = [](std::vector<float>& values, std::size_t first, std::size_t count) {
    return buffer_view{values.data() + first, 0, count * sizeof(float)};
  };
  std::vector<float> image = floats(image_of(false)), values = floats(templates);
  std::vector<queue> queues = host_queues(1);
  search resident{queues, request_of(false)};
  resident.begin(queues[0], view(image, 0, pixels));
  resident.add(queues[0], view(values, 9 * points, (n_templates - 9) * points), n_templates - 9, 9);
  resident.add(queues[0], view(values, 0, 9 * points), 9, 0);
  EXPECT_EQ(resident.added(), n_templates);
  EXPECT_EQ(resident.state().keys, dealt.state().keys);
  EXPECT_EQ(resident.state().unit_sums, dealt.state().unit_sums);
  for (const bool is_masked : {false, true}) {
    search other{host_queues(is_masked ? 1 : 2), request_of(is_masked)};
    EXPECT_THAT(refusal([&] { other.begin(queues[0], view(image, 0, pixels)); }),
                HasSubstr("an array on a device is searched there alone"));
  }
}

TEST(search, refuses_plain_scores_that_fp32_does_not_keep) {
  for (const bool is_masked : {false, true}) {
    auto request = request_of(is_masked);
    request.search.real = precision::fp64;
    request.search.is_normalised = request.search.keeps_sums = false;
    search dealt{host_queues(1), request};
    for (const double factor : {1e-25, 1e25}) {
      std::vector<double> image = image_of(is_masked);
      for (double& pixel : image) pixel *= factor;
      dealt.begin(image);
      const auto scaled = [&](std::size_t) {
        return template_batch{std::vector<double>(points, factor), 0, 1};
      };
      EXPECT_THAT(refusal([&] { (void)dealt.add(scaled); }),
                  HasSubstr("keeps scores as fp32 from 1.18e-38 to 3.4e+38; scale"));
    }
  }
}

TEST(search, finds_coefficients_of_any_magnitude) {
  for (const bool is_masked : {false, true}) {
    for (const precision real : {precision::fp32, precision::fp64}) {
      auto request = request_of(is_masked);
      request.search.real = real;
      const auto best_of = [&](double factor) {
        search dealt{host_queues(1), request};
        std::vector<double> image = image_of(is_masked);
        for (double& pixel : image) pixel *= factor;
        dealt.begin(image);
        source dealer{0, n_templates};
        (void)dealt.add([&](std::size_t max_count) {
          template_batch batch = dealer(max_count);
          for (double& value : batch.samples) value *= factor;
          return batch;
        });
        return dealt.state().map(score_map::largest);
      };
      EXPECT_EQ(best_of(0x1p-1000), best_of(1));
      EXPECT_EQ(best_of(0x1p1000), best_of(1));
    }
  }
}

}  // namespace
