// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// `wingbeat match` of images with pixels that are not there, against sums over the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // isnan, NAN, sqrt
#include <string>
#include <vector>

#include "cli/images.hpp"   // image_file, images_in, random_images
#include "cli/program.hpp"  // workplace, json_of

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

/// Returns the score of a template at a place by its definition; NaN where less than half of its
/// pixels are there.
double score_by_definition(const formats::image_stack& image, const formats::image_stack& particle,
                           std::ptrdiff_t y, std::ptrdiff_t x, bool is_normalised) {
  std::vector<double> f, t;
  for (std::size_t i = 0; i < particle.height * particle.width; ++i) {
    const auto row = y + static_cast<std::ptrdiff_t>(i / particle.width);
    const auto column = x + static_cast<std::ptrdiff_t>(i % particle.width);
    const auto height = static_cast<std::ptrdiff_t>(image.height);
    const auto width = static_cast<std::ptrdiff_t>(image.width);
    if (row < 0 || row >= height || column < 0 || column >= width) continue;
    const double value =
        formats::sample_at(image.samples, static_cast<std::size_t>(row * width + column));
    if (std::isnan(value)) continue;
    f.push_back(value);
    t.push_back(formats::sample_at(particle.samples, i));
  }
  const auto n = static_cast<double>(f.size());
  if (2 * n < static_cast<double>(particle.height * particle.width)) return NAN;
  double sum = 0, f_mean = 0, t_mean = 0, f_squares = 0, t_squares = 0, product = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    sum += f[i] * t[i];
    f_mean += f[i] / n;
    t_mean += t[i] / n;
  }
  if (!is_normalised) return sum;
  for (std::size_t i = 0; i < f.size(); ++i) {
    product += (f[i] - f_mean) * (t[i] - t_mean);
    f_squares += (f[i] - f_mean) * (f[i] - f_mean);
    t_squares += (t[i] - t_mean) * (t[i] - t_mean);
  }
  return product / std::sqrt(f_squares * t_squares);
}

/// An image of which a part and the first rows are NaN, the same with a mask, and two templates.
class match_absent : public ::testing::Test {
 protected:
  match_absent() {
    auto samples = formats::to_doubles(whole_.samples);
    std::vector<float> mask(samples.size(), 1);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::size_t y = i / whole_.width, x = i % whole_.width;
      if (y >= 2 && !(y >= 9 && y < 14 && x >= 11 && x < 20)) continue;
      samples[i] = NAN;
      mask[i] = 0;
    }
    holed_.samples = samples;
    image_file(at_, "whole.npy", whole_);
    image_file(at_, "holed.npy", holed_, {.type = formats::number_type::float64});
    image_file(at_, "mask.npy", {.samples = mask, .height = 24, .width = 31});
    image_file(at_, "t0.npy", particles_[0]);
    image_file(at_, "t1.npy", particles_[1]);
  }

  [[nodiscard]] finished run(const words& arguments) const {
    words command{"match"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const finished done = at_.run(command);
    EXPECT_EQ(done.code, 0) << done.err;
    return done;
  }

  workplace at_;
  formats::image_stack whole_ = random_images({24, 31}, 1), holed_ = whole_;
  formats::image_stack particles_[2] = {random_images({5, 6}, 2), random_images({5, 6}, 3)};
};

TEST_F(match_absent, scores_the_pixels_that_are_there_in_every_mode) {
  for (const std::string mode : {"valid", "same", "full"}) {
    const auto first = [&](std::size_t length) {
      const auto n = static_cast<std::ptrdiff_t>(length);
      return mode == "full" ? 1 - n : mode == "same" ? (n - 1) / 2 - (n - 1) : 0;
    };
    for (const bool is_normalised : {false, true}) {
      words arguments{"holed.npy", "t0.npy", "--mode", mode, "--map", "m.npy"};
      if (is_normalised) arguments.push_back("--normalised");
      (void)run(arguments);
      const auto map = images_in(at_, "m.npy");
      for (std::size_t i = 0; i < map.height * map.width; ++i) {
        const auto y = static_cast<std::ptrdiff_t>(i / map.width) + first(5);
        const auto x = static_cast<std::ptrdiff_t>(i % map.width) + first(6);
        const double expected = score_by_definition(holed_, particles_[0], y, x, is_normalised);
        const double actual = formats::sample_at(map.samples, i);
        ASSERT_EQ(std::isnan(actual), std::isnan(expected)) << mode << " " << y << " " << x;
        if (!std::isnan(expected)) {
          ASSERT_NEAR(actual, expected, is_normalised ? 1e-6 : 1e-3) << mode << y << " " << x;
        }
      }
    }
  }
}

TEST_F(match_absent, takes_a_mask_as_NaN) {
  (void)run({"holed.npy", "t0.npy", "--normalised", "--map", "a.npy"});
  (void)run({"whole.npy", "t0.npy", "--normalised", "--map", "b.npy", "--mask", "mask.npy"});
  EXPECT_EQ(at_.folder().read("a.npy"), at_.folder().read("b.npy"));
  const finished done = run({"holed.npy", "t0.npy", "--normalised", "--top", "1", "--json"});
  EXPECT_THAT(done.err, HasSubstr("107 pixels not there"));
}

TEST_F(match_absent, reduces_the_maps_of_templates) {
  (void)run({"holed.npy", "t0.npy", "t1.npy", "--normalised", "--map", "m.npy", "--projection",
             "best.npy", "--numbers", "n.npy", "--mean", "mean.npy", "--variance", "v.npy"});
  const auto maps = images_in(at_, "m.npy"), best = images_in(at_, "best.npy");
  const auto numbers = images_in(at_, "n.npy"), mean = images_in(at_, "mean.npy");
  const auto variance = images_in(at_, "v.npy");
  const std::size_t points = best.height * best.width;
  for (std::size_t i = 0; i < points; ++i) {
    const double a = formats::sample_at(maps.samples, i);
    const double b = formats::sample_at(maps.samples, points + i);
    if (std::isnan(a)) {
      EXPECT_EQ(formats::sample_at(numbers.samples, i), -1);
      EXPECT_TRUE(std::isnan(formats::sample_at(mean.samples, i)));
      continue;
    }
    ASSERT_EQ(formats::sample_at(best.samples, i), std::max(a, b));
    ASSERT_EQ(formats::sample_at(numbers.samples, i), b > a ? 1 : 0);
    ASSERT_NEAR(formats::sample_at(mean.samples, i), (a + b) / 2, 1e-6);
    ASSERT_NEAR(formats::sample_at(variance.samples, i), (a - b) * (a - b) / 4, 1e-6);
  }
}

TEST_F(match_absent, reports_no_peak_where_too_few_pixels_are_there) {
  const auto n_peaks = [&](const std::string& least) {
    return json_of(run({"holed.npy", "t0.npy", "--normalised", "--threshold", "-1", "--json",
                        "--min-distance", "1", "--min-valid", least}))["peaks"]
        .size();
  };
  EXPECT_EQ(n_peaks("0"), 20U * 26U - 4U) << "windows that lie in the hole";
  EXPECT_LT(n_peaks("100"), n_peaks("50"));
  EXPECT_LT(n_peaks("50"), n_peaks("0"));
}

TEST_F(match_absent, says_that_no_place_has_a_score_where_a_mask_leaves_nothing) {
  image_file(at_, "none.npy", {.samples = std::vector<float>(24 * 31), .height = 24, .width = 31});
  const finished done = run({"whole.npy", "t0.npy", "--mask", "none.npy"});
  EXPECT_THAT(done.out, HasSubstr("no place has a score: everywhere too few"));
  EXPECT_THAT(run({"whole.npy", "t0.npy", "--normalised", "--threshold", "1"}).out,
              HasSubstr("no peak reaches the threshold"));
}

TEST_F(match_absent, refuses_masks_of_other_sizes_and_stored_precisions) {
  expect_refusal(at_, {"match", "whole.npy", "t0.npy", "--mask", "t1.npy"}, 2,
                 "give one mask of its size");
  expect_refusal(at_, {"match", "holed.npy", "t0.npy", "--storage", "bf16"}, 2,
                 "leave out --storage bf16");
  auto infinite = whole_;
  infinite.samples = std::vector<float>(24 * 31, INFINITY);
  image_file(at_, "inf.npy", infinite);
  expect_refusal(at_, {"match", "inf.npy", "t0.npy"}, 4, "row 0, column 0 is infinite");
}

}  // namespace
