// SPDX-License-Identifier: Apache-2.0
// Oracle: the definitions, summed in long double.
#include "wingbeat/template_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>    // sqrt
#include <cstdint>  // uint8_t
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "wingbeat/error.hpp"  // plan_error

namespace {

using wingbeat::score_kind;
using wingbeat::scores_spec;
using wingbeat::template_scores;

constexpr score_kind kinds[] = {score_kind::sqdiff, score_kind::ccorr, score_kind::ccoeff};

/// A score by definition, and what its error is measured by.
struct expected_score {
  long double value = 0, scale = 0;
};

template <class Pixel>
expected_score expected_at(const scores_spec& spec, const std::vector<Pixel>& image,
                           const std::vector<Pixel>& part, std::size_t y, std::size_t x) {
  const std::size_t n = spec.templates[0] * spec.templates[1];
  long double sum = 0, of_part = 0, of_window = 0;
  for (std::size_t c = 0; c < spec.channels; ++c) {
    const auto pixel = [&](std::size_t i) -> long double {
      const std::size_t row = y + i / spec.templates[1], column = x + i % spec.templates[1];
      return image[(row * spec.image[1] + column) * spec.channels + c];
    };
    const auto tap = [&](std::size_t i) -> long double { return part[i * spec.channels + c]; };
    long double mean = 0, mean_tap = 0;
    for (std::size_t i = 0; i < n && spec.kind == score_kind::ccoeff; ++i) {
      mean += pixel(i) / n;
      mean_tap += tap(i) / n;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const long double t = tap(i) - mean_tap, v = pixel(i) - mean;
      sum += spec.kind == score_kind::sqdiff ? (t - v) * (t - v) : t * v;
      of_part += t * t;
      of_window += v * v;
    }
  }
  const long double scale = std::sqrt(of_part * of_window);
  if (!spec.is_normalised) return {sum, spec.kind == score_kind::sqdiff ? sum : scale};
  if (scale == 0) return {spec.kind == score_kind::sqdiff ? 1.0L : 0.0L, 1};
  return {spec.kind == score_kind::sqdiff ? std::min(sum / scale, 1.0L) : sum / scale, 1};
}

template <class Pixel>
using score_of = std::conditional_t<std::is_same_v<Pixel, double>, double, float>;

template <class Pixel>
std::vector<score_of<Pixel>> scores_of(const scores_spec& spec, const std::vector<Pixel>& image,
                                       const std::vector<Pixel>& part) {
  std::vector<score_of<Pixel>> scores((spec.image[0] - spec.templates[0] + 1) *
                                      (spec.image[1] - spec.templates[1] + 1));
  template_scores{spec}.run(image.data(), part.data(), scores.data());
  return scores;
}

template <class Pixel>
double largest_error(const scores_spec& spec, const std::vector<Pixel>& image,
                     const std::vector<Pixel>& part) {
  const auto scores = scores_of(spec, image, part);
  const std::size_t width = spec.image[1] - spec.templates[1] + 1;
  double largest = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto [value, scale] = expected_at(spec, image, part, i / width, i % width);
    const long double error = std::abs(scores[i] - value);
    if (!(error <= 0)) largest = std::max(largest, double(error / scale));
  }
  return largest;
}

/// Noise of this mean and deviation; the template is a part of it, with one pixel of another.
template <class Pixel>
struct search_problem {
  scores_spec spec;
  std::vector<Pixel> image, part;

  search_problem(const scores_spec& shape, double mean, double deviation)
      : spec(shape),
        image(shape.image[0] * shape.image[1] * shape.channels),
        part(shape.templates[0] * shape.templates[1] * shape.channels) {
    std::mt19937 random{7};
    std::normal_distribution<double> normal{mean, deviation};
    for (Pixel& each : image) each = static_cast<Pixel>(normal(random));
    const std::size_t row = spec.templates[1] * spec.channels;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::size_t y = i / row + (spec.image[0] - spec.templates[0]) / 2;
      part[i] = image[y * spec.image[1] * spec.channels + i % row];
    }
    part[0] = part[part.size() - 1];
  }
};

template <class Pixel>
void expect_scores(double mean, double deviation, double tolerance) {
  const scores_spec shapes[] = {{{20, 30}, {3, 5}},    {{64, 64}, {2, 1}},    {{90, 70}, {7, 40}},
                                {{40, 41}, {40, 41}},  {{30, 200}, {5, 150}}, {{50, 60}, {6, 7}, 3},
                                {{150, 200}, {20, 11}}};
  for (scores_spec spec : shapes) {
    for (const score_kind kind : kinds) {
      for (const bool is_normalised : {false, true}) {
        spec.kind = kind;
        spec.is_normalised = is_normalised;
        const search_problem<Pixel> problem{spec, mean, deviation};
        EXPECT_LE(largest_error(spec, problem.image, problem.part), tolerance)
            << spec.image[0] << " x " << spec.image[1] << " kind " << int(kind) << is_normalised;
      }
    }
  }
}

TEST(template_scores, are_their_sums) {
  expect_scores<float>(0, 1, 0x1p-16);
  expect_scores<double>(0, 1, 1e-11);
}

TEST(template_scores, keep_their_digits_with_a_large_mean) {
  expect_scores<float>(1e4, 1, 0x1p-16);
  expect_scores<float>(1e6, 0.3, 0x1p-16);
  expect_scores<double>(1e8, 1, 1e-9);
}

TEST(template_scores, of_equal_parts_are_no_difference_at_all) {
  scores_spec spec{{60, 70}, {9, 8}, 1, score_kind::sqdiff};
  for (const bool is_normalised : {false, true}) {
    spec.is_normalised = is_normalised;
    search_problem<float> problem{spec, 10, 3};
    problem.part[0] = problem.image[25 * 70];
    EXPECT_EQ(scores_of(spec, problem.image, problem.part)[25 * 63], 0);
  }
}

TEST(template_scores, a_spike_concerns_its_own_windows) {
  scores_spec spec{{70, 80}, {6, 7}, 1, score_kind::ccoeff, true};
  search_problem<float> problem{spec, 0, 1};
  const auto before = scores_of(spec, problem.image, problem.part);
  problem.image[0] = 1e7F;
  const auto after = scores_of(spec, problem.image, problem.part);
  for (std::size_t i = 1; i < after.size(); ++i) {
    ASSERT_NEAR(after[i], before[i], 1e-5) << i;
  }
}

TEST(template_scores, keep_their_digits_in_a_small_bright_part) {
  scores_spec spec{{70, 80}, {6, 7}, 1, score_kind::ccoeff, true};
  for (const score_kind kind : kinds) {
    spec.kind = kind;
    search_problem<float> problem{spec, 0, 1};
    for (std::size_t i = 0; i < 20 * 20; ++i) problem.image[i / 20 * 80 + i % 20] += 1000;
    EXPECT_LE(largest_error(spec, problem.image, problem.part), 0x1p-16) << int(kind);
  }
}

TEST(template_scores, of_bytes_are_those_of_the_same_floats) {
  for (scores_spec spec :
       {scores_spec{{70, 90}, {5, 6}}, {{90, 80}, {20, 23}}, {{30, 31}, {4, 5}, 3}}) {
    for (const score_kind kind : kinds) {
      for (const bool is_normalised : {false, true}) {
        spec.kind = kind;
        spec.is_normalised = is_normalised;
        const search_problem<std::uint8_t> problem{spec, 128, 30};
        const std::vector<float> image(problem.image.begin(), problem.image.end());
        const std::vector<float> part(problem.part.begin(), problem.part.end());
        const std::vector<float> expected = scores_of(spec, image, part);
        std::vector<float> scores(expected.size());
        template_scores{spec}.run(problem.image.data(), part.data(), scores.data());
        EXPECT_EQ(scores, expected) << int(kind) << is_normalised;
      }
    }
  }
}

TEST(template_scores, of_what_does_not_vary_are_0) {
  scores_spec spec{{40, 50}, {5, 7}, 1, score_kind::ccoeff, true};
  for (const float value : {0.1F, 1 / 3.F, 100000.1F}) {
    const search_problem<float> noise{spec, 0, 1};
    const std::vector<float> part(35, value);
    for (const float score : scores_of(spec, noise.image, part)) ASSERT_EQ(score, 0);
    std::vector<float> image(40 * 50, value);
    image[0] *= 4;
    const auto scores = scores_of(spec, image, noise.part);
    for (std::size_t i = 5 * 44; i < scores.size(); ++i) ASSERT_EQ(scores[i], 0);
  }
  spec.kind = score_kind::sqdiff;
  const search_problem<float> noise{spec, 0, 1};
  EXPECT_EQ(scores_of(spec, std::vector<float>(40 * 50), noise.part)[3], 1);
}

TEST(template_scores, of_what_is_no_number_are_none) {
  for (const score_kind kind : kinds) {
    const scores_spec spec{{70, 70}, {4, 4}, 1, kind, true};
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      search_problem<float> problem{spec, 0, 1};
      problem.image[3] = value;
      for (const float score : scores_of(spec, problem.image, problem.part)) {
        ASSERT_TRUE(std::isnan(score));
      }
    }
  }
}

TEST(template_scores, refuse_what_does_not_fit) {
  EXPECT_THROW(template_scores({{4, 4}, {5, 1}}), wingbeat::plan_error);
  EXPECT_THROW(template_scores({{4}, {1}}), wingbeat::plan_error);
  EXPECT_THROW(template_scores({{4, 4}, {1, 1}, 0}), wingbeat::plan_error);
  EXPECT_THROW(template_scores({{4, 4}, {1, 1}, 1, static_cast<score_kind>(7)}),
               wingbeat::plan_error);
}

}  // namespace
