// SPDX-License-Identifier: Apache-2.0
// Oracle: of every place the scores one by one; at the image's rim, a template's sum over the
// elements that are inside it.
#include "wingbeat/device/functors/score.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // copy, reverse, rotate
#include <latch>
#include <limits>
#include <thread>
#include <vector>

#include "device/functors/named.hpp"  // names_numbers, names_operands

namespace {

using namespace wingbeat::device;
using functors::score_key_of;
using functors::score_numbers;
using functors::score_windows;
using functor = functors::score<float, double>;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// One axis of length `image`, in which a window of `length` stands at all places that meet it.
score_windows everywhere(size image, size length) {
  return {.places = image + length - 1,
          .length = length,
          .image_begin = length - 1,
          .image_end = length - 1 + image};
}

TEST(functors_score, has_keys_in_the_order_of_scores_and_then_of_templates) {
  const std::vector<float> ascending{-infinity, -2, -1, -1e-30F, 0, 1e-30F, 1, 2, infinity};
  for (size i = 0; i + 1 < ascending.size(); ++i) {
    EXPECT_LT(score_key_of(ascending[i], 0), score_key_of(ascending[i + 1], 7));
    EXPECT_GT(score_key_of(ascending[i], 6), score_key_of(ascending[i], 7));
    EXPECT_GT(score_key_of(ascending[i], 6), 0U);
  }
  EXPECT_EQ(score_key_of(-0.0F, 3), score_key_of(0.0F, 3));
  EXPECT_EQ(score_key_of(1.0F, 5), 0xbf800000fffffffaU);
}

constexpr float norms_of_places[] = {0.25F, 2, 0.5F};

/// The functor's memory for so many places.
struct kept_memory {
  std::vector<size> keys;
  std::vector<double> moments;
  std::vector<unsigned> counts;
  std::vector<size> histogram;

  explicit kept_memory(size places)
      : keys(places),
        moments(2 * places),
        counts(places),
        histogram(4 * functors::histogram_copies) {}
  functor::operands operands() {
    functor::operands result{};
    result.first = 10;
    result.moments = moments.data();
    result.counts = counts.data();
    result.threshold = 1.5F;
    result.inverse_norms = norms_of_places;
    result.histogram = histogram.data();
    result.histogram_begin = 0;
    result.bins_per_score = 2;
    return result;
  }
};

constexpr size n_templates = 4, n_places = 3;
constexpr float scores[n_templates][n_places] = {
    {1, 2, -1}, {3, 2, -4}, {std::numeric_limits<float>::quiet_NaN(), -5, -2}, {0, 6, -0.5F}};

/// Checks all but the place where one score is no number.
void expect_kept(const kept_memory& memory) {
  EXPECT_EQ(memory.keys[0], score_key_of(3, 11));
  EXPECT_EQ(memory.keys[1], score_key_of(6, 13));
  EXPECT_EQ(memory.keys[2], score_key_of(-0.5F, 13));
  EXPECT_EQ(memory.moments[1], 5);
  EXPECT_EQ(memory.moments[n_places + 1], 4 + 4 + 25 + 36);
  EXPECT_EQ(memory.moments[2], -7.5);
  EXPECT_EQ(memory.moments[n_places + 2], 1 + 16 + 4 + 0.25);
  EXPECT_EQ(memory.counts, (std::vector<unsigned>{1, 3, 0}));
}

TEST(functors_score, keeps_the_largest_and_adds_up_sums_and_counts) {
  score_numbers n{.y = {.places = 1}, .x = {.places = n_places}};
  n.has_sums = n.has_counts = true;
  kept_memory memory{n_places};
  for (size row = 0; row < n_templates; ++row) {
    for (size i = 0; i < n_places; ++i) {
      functor{n, memory.keys.data(), memory.operands(), row}.store(i, scores[row][i]);
    }
  }
  expect_kept(memory);
}

/// Has the functor keep what it stores in the test above, in runs of so many templates.
void keep_in_runs_of(size n_of_run, const score_numbers& n, kept_memory& memory) {
  for (size first = 0; first < n_templates; first += n_of_run) {
    functor::operands given = memory.operands();
    given.first += static_cast<unsigned>(first);
    for (size i = 0; i < n_places; ++i) {
      const functor of_run{n, memory.keys.data(), given, 0};
      functor::kept state = of_run.started(i);
      for (size row = 0; row < n_of_run && first + row < n_templates; ++row) {
        const functor each{n, memory.keys.data(), given, row};
        const float score = scores[first + row][i];
        if (each.changes(state, i, score)) each.keep(state, i, score);
      }
      of_run.finish(i, state, of_run.before(i));
    }
  }
}

TEST(functors_score, keeps_over_a_run_what_it_stores_one_by_one) {
  for (const size n_of_run : {1, 2, 3, 4}) {
    score_numbers n{.y = {.places = 1}, .x = {.places = n_places}};
    kept_memory alone{n_places};
    keep_in_runs_of(n_of_run, n, alone);
    n.has_sums = n.has_counts = true;
    kept_memory memory{n_places};
    keep_in_runs_of(n_of_run, n, memory);
    expect_kept(memory);
    EXPECT_EQ(alone.keys, memory.keys);
    EXPECT_EQ(alone.counts, std::vector<unsigned>(n_places)) << "which are not kept";
  }
}

TEST(functors_score, counts_scores_in_bins_of_which_the_outer_take_those_beyond) {
  score_numbers n{.y = {.places = 1}, .x = {.places = n_places}};
  n.histogram_bins = 4;
  kept_memory stored{n_places}, kept{n_places};
  for (size row = 0; row < n_templates; ++row) {
    for (size i = 0; i < n_places; ++i) {
      functor{n, stored.keys.data(), stored.operands(), row}.store(i, scores[row][i]);
    }
  }
  keep_in_runs_of(2, n, kept);
  EXPECT_EQ(kept.histogram, stored.histogram);
  std::vector<size> bins(4);
  for (size i = 0; i < stored.histogram.size(); ++i) bins[i % 4] += stored.histogram[i];
  EXPECT_EQ(bins, (std::vector<size>{6, 0, 1, 4}));
  EXPECT_EQ(stored.histogram[3], 1) << "a place has counters of its own";
}

TEST(functors_score, keeps_the_same_with_norms_that_it_reads_once) {
  score_numbers n{.y = {.places = 1}, .x = {.places = n_places}};
  n.is_normalised = true;
  for (const size n_of_run : {1, 2, 4}) {
    kept_memory expected{n_places}, memory{n_places};
    n.keeps_norms = false;
    keep_in_runs_of(n_of_run, n, expected);
    n.keeps_norms = true;
    keep_in_runs_of(n_of_run, n, memory);
    EXPECT_EQ(memory.keys, expected.keys);
    EXPECT_EQ(memory.keys[0], score_key_of(3 * norms_of_places[0], 11));
  }
}

TEST(functors_score, keeps_the_lowest_score_and_the_first_of_equals_but_no_nan) {
  const score_numbers n{.y = {.places = 1}, .x = {.places = 1}};
  const auto kept_of = [&](size key, const std::vector<float>& list) {
    const functor::operands given{};
    const functor of_run{n, &key, given, 0};
    functor::kept state = of_run.started(0);
    for (size row = 0; row < list.size(); ++row) {
      const functor each{n, &key, given, row};
      if (each.changes(state, 0, list[row])) each.keep(state, 0, list[row]);
    }
    of_run.finish(0, state, of_run.before(0));
    return key;
  };
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(kept_of(0, {nan, -infinity, -infinity}), score_key_of(-infinity, 1));
  EXPECT_EQ(kept_of(0, {nan, nan}), 0U) << "none";
  EXPECT_EQ(kept_of(0, {-0.0F, 0.0F}), score_key_of(0, 0));
  EXPECT_EQ(kept_of(score_key_of(2, 7), {1, 2, nan}), score_key_of(2, 1)) << "a run before";
  EXPECT_EQ(kept_of(score_key_of(2, 0), {1, 2, 2}), score_key_of(2, 0));
  EXPECT_EQ(kept_of(score_key_of(-3, 7), {-3, -2.5F, -2.5F}), score_key_of(-2.5F, 1));
}

TEST(functors_score, shares_places_between_threads) {
  score_numbers n{.y = {.places = 1}, .x = {.places = 1}, .is_shared = true};
  n.has_sums = n.has_counts = true;
  constexpr size n_scores = 100000;  // of each thread, to the same place
  kept_memory memory{1};
  std::latch start{n_templates};
  {
    std::vector<std::jthread> threads;
    for (size row = 0; row < n_templates; ++row) {
      threads.emplace_back([&, row] {
        start.arrive_and_wait();
        const functor store{n, memory.keys.data(), memory.operands(), row};
        for (size i = 0; i < n_scores; ++i) store.store(0, static_cast<float>(i));
      });
    }
  }
  EXPECT_EQ(memory.keys[0], score_key_of(n_scores - 1, 10)) << "of equals, the first template";
  EXPECT_EQ(memory.moments[0], n_templates * (n_scores * (n_scores - 1) / 2));
  EXPECT_EQ(memory.counts[0], n_templates * (n_scores - 2));
}

TEST(functors_score, sums_coefficients_in_any_order) {
  using of_units = functors::score<float, size>;
  score_numbers n{.y = {.places = 1}, .x = {.places = 1}};
  n.has_sums = true;
  std::vector<float> coefficients{1.5F, -1, -3, std::numeric_limits<float>::quiet_NaN(), 0};
  for (int i = -400; i < 400; ++i) coefficients.push_back(static_cast<float>(i) / 900);
  double sum = -1, squares = 3;  // of the first five, cut to -1 .. 1
  for (std::size_t i = 5; i < coefficients.size(); ++i) {
    sum += double{coefficients[i]};
    squares += double{coefficients[i]} * double{coefficients[i]};
  }
  size first[2] = {};
  for (int order = 0; order < 3; ++order) {
    size key = 0, sums[2] = {};
    of_units::operands given{};
    given.moments = sums;
    for (const float value : coefficients) of_units{n, &key, given, 0}.store(0, value);
    if (order == 0) std::copy(sums, sums + 2, first);
    EXPECT_EQ(sums[0], first[0]);
    EXPECT_EQ(sums[1], first[1]);
    std::rotate(coefficients.begin(), coefficients.begin() + 131, coefficients.end());
    std::reverse(coefficients.begin(), coefficients.begin() + 77);
  }
  const auto units = static_cast<double>(static_cast<long long>(first[0]));
  EXPECT_NEAR(units / (1U << functors::coefficient_log2), sum, 1e-6);
  EXPECT_NEAR(static_cast<double>(first[1]) / 4294967296.0, squares, 1e-6);
}

TEST(functors_score, touches_nothing_that_is_not_kept) {
  size key = 0;
  functor::operands given{};
  given.first = 2;
  functor{{}, &key, given, 1}.store(0, -1.0F);
  EXPECT_EQ(key, score_key_of(-1, 3));
}

TEST(functors_score, adds_the_mean_that_the_image_lost_under_a_template) {
  constexpr size height = 3, width = 2, image_height = 4, image_width = 5;
  constexpr float mean = 3;
  const score_numbers n{.y = everywhere(image_height, height),
                        .x = everywhere(image_width, width),
                        .is_normalised = true,
                        .has_rim = true};
  // The second of two templates, whose elements add up to 0.
  const float elements[height][width] = {{1, -4}, {2, 5}, {-7, 3}};
  std::vector<float> rim(2 * (height + 1) * (width + 1));
  float* const sums = rim.data() + (height + 1) * (width + 1);
  for (size y = 0; y < height; ++y) {
    for (size x = 0; x < width; ++x) {
      sums[(y + 1) * (width + 1) + x + 1] = elements[y][x] + sums[y * (width + 1) + x + 1] +
                                            sums[(y + 1) * (width + 1) + x] -
                                            sums[y * (width + 1) + x];
    }
  }
  for (size i = 0; i < n.y.places * n.x.places; ++i) {
    float inside = 0;
    for (size y = 0; y < height; ++y) {
      for (size x = 0; x < width; ++x) {
        const size row = i / n.x.places + y, column = i % n.x.places + x;
        const bool is_inside = row >= n.y.image_begin && row < n.y.image_end &&
                               column >= n.x.image_begin && column < n.x.image_end;
        if (is_inside) inside += elements[y][x];
      }
    }
    std::vector<size> keys(n.y.places * n.x.places);
    const std::vector<float> inverse_norms(keys.size(), 0.5F);
    functor::operands given{};
    given.inverse_norms = inverse_norms.data();
    given.rim = rim.data();
    given.mean = mean;
    functor{n, keys.data(), given, 1}.store(i, 100.0F);
    EXPECT_EQ(keys[i], score_key_of((100 + mean * inside) / 2, 1)) << "place " << i;
  }
}

TEST(functors_score, names_its_members) {
  EXPECT_TRUE((ends::has_members<score_numbers, 12>));
  EXPECT_TRUE((ends::has_members<score_windows, 4>));
  EXPECT_TRUE(wingbeat::test::names_numbers(score_numbers{}, 10 + 2 * 4));
  score_numbers n{};
  n.has_sums = n.has_counts = n.is_normalised = n.has_rim = true;
  n.rounds_sums = n.has_table = n.may_end_early = true;
  n.histogram_bins = 4;
  EXPECT_TRUE((wingbeat::test::names_operands<functor, 16>(n)));
}

}  // namespace
