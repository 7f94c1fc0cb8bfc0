// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// The maps of `wingbeat match` against sums by definition: scores, their largest, mean, variance.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>  // mkfifo

#include <cmath>  // sqrt
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/images.hpp"   // random_images, direct_sums, expect_near
#include "cli/program.hpp"  // workplace

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

constexpr std::size_t n_templates = 5;

/// Returns image `n` of a stack.
formats::image_stack image_of(const formats::image_stack& stack, std::size_t n) {
  const std::size_t points = stack.height * stack.width;
  std::vector<double> samples;
  for (std::size_t i = 0; i < points; ++i) {
    samples.push_back(formats::sample_at(stack.samples, n * points + i));
  }
  return {.samples = samples, .height = stack.height, .width = stack.width};
}

/// Returns the part of the image under the template at a place of the map, zeros outside.
std::vector<double> window_of(const formats::image_stack& image, std::ptrdiff_t y, std::ptrdiff_t x,
                              std::size_t height, std::size_t width) {
  std::vector<double> window;
  for (std::size_t i = 0; i < height * width; ++i) {
    const std::ptrdiff_t row = y + static_cast<std::ptrdiff_t>(i / width);
    const std::ptrdiff_t column = x + static_cast<std::ptrdiff_t>(i % width);
    const bool is_inside = row >= 0 && row < static_cast<std::ptrdiff_t>(image.height) &&
                           column >= 0 && column < static_cast<std::ptrdiff_t>(image.width);
    const auto place =
        static_cast<std::size_t>(row) * image.width + static_cast<std::size_t>(column);
    window.push_back(is_inside ? formats::sample_at(image.samples, place) : 0);
  }
  return window;
}

/// Returns the correlation coefficient; 0 where one of the two is constant.
double coefficient(const std::vector<double>& a, const std::vector<double>& b) {
  double mean_a = 0, mean_b = 0, product = 0, square_a = 0, square_b = 0;
  const auto n = static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / n;
    mean_b += b[i] / n;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += (a[i] - mean_a) * (b[i] - mean_b);
    square_a += (a[i] - mean_a) * (a[i] - mean_a);
    square_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  const double scale = std::sqrt(square_a * square_b);
  return scale < 1e-9 ? 0 : product / scale;
}

class match_maps : public ::testing::Test {
 protected:
  match_maps() {
    image_file(at_, "f.npy", image_);
    image_file(at_, "t.npy", templates_);
    image_file(at_, "t.mrc", image_of(templates_, 0));
    for (std::size_t n = 0; n < n_templates; ++n) {
      image_file(at_, "t" + std::to_string(n) + ".npy", image_of(templates_, n));
    }
  }

  finished run(const words& arguments) const {
    words command{"match", "f.npy"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    finished finished_run = at_.run(command);
    EXPECT_EQ(finished_run.code, 0) << finished_run.err;
    return finished_run;
  }

  [[nodiscard]] formats::image_stack map_of(std::size_t n, const std::string& mode) const {
    return direct_sums(image_, image_of(templates_, n), {mode, "zero", /*correlates=*/true});
  }

  [[nodiscard]] formats::image_stack normalised_map_of(std::size_t n,
                                                       const std::string& mode) const {
    formats::image_stack map = map_of(n, mode);
    const formats::image_stack part = image_of(templates_, n);
    std::vector<double> scores;
    const auto first = [&](std::size_t length) {
      return axis_of(9, length, mode).first - static_cast<std::ptrdiff_t>(length - 1);
    };
    for (std::size_t i = 0; i < map.height * map.width; ++i) {
      const auto window = window_of(
          image_, first(part.height) + static_cast<std::ptrdiff_t>(i / map.width),
          first(part.width) + static_cast<std::ptrdiff_t>(i % map.width), part.height, part.width);
      scores.push_back(coefficient(window, formats::to_doubles(part.samples)));
    }
    map.samples = scores;
    return map;
  }

  workplace at_;
  formats::image_stack image_ = random_images({11, 14}, 1);
  formats::image_stack templates_ = random_images({4, 3, n_templates}, 2);
};

TEST_F(match_maps, are_correlations_in_every_mode_and_precision) {
  for (const std::string mode : {"valid", "same", "full"}) {
    for (const auto& [precision, tolerance] : {std::pair{"fp32", 2e-3}, {"fp64", 1e-10}}) {
      const finished done =
          run({"t.npy", "--mode", mode, "--map", "m.npy", "--precision", precision});
      EXPECT_EQ(done.out, "") << "only maps were asked for";
      const auto maps = images_in(at_, "m.npy");
      ASSERT_EQ(maps.n_images, n_templates);
      for (std::size_t n = 0; n < n_templates; ++n) {
        expect_near(maps, map_of(n, mode), tolerance, n);
      }
    }
  }
}

TEST_F(match_maps, of_one_template_have_two_axes_and_the_default_mode_is_valid) {
  (void)run({"t.mrc", "--map", "m.npy"});
  EXPECT_THAT(at_.folder().read("m.npy"), HasSubstr("'shape': (8, 12)"));
  expect_near(images_in(at_, "m.npy"), map_of(0, "valid"), 2e-3);
  (void)run({"t.mrc", "--map", "m.tif"});
  expect_near(images_in(at_, "m.tif"), map_of(0, "valid"), 2e-3);
}

TEST_F(match_maps, are_coefficients_where_normalised) {
  for (const std::string mode : {"valid", "same", "full"}) {
    (void)run({"t.npy", "--mode", mode, "--normalised", "--map", "m.npy"});
    const auto maps = images_in(at_, "m.npy");
    for (std::size_t n = 0; n < n_templates; ++n) {
      expect_near(maps, normalised_map_of(n, mode), 1e-5, n);
    }
  }
}

TEST_F(match_maps, of_a_constant_image_are_zero_where_normalised) {
  image_file(at_, "f.npy", {.samples = std::vector<float>(99, 3.7f), .height = 9, .width = 11});
  (void)run({"t0.npy", "--normalised", "--map", "m.npy"});
  const auto map = images_in(at_, "m.npy");
  for (std::size_t i = 0; i < formats::size_of(map.samples); ++i) {
    ASSERT_EQ(formats::sample_at(map.samples, i), 0);
  }
}

TEST_F(match_maps, are_reduced_to_largest_number_mean_and_variance) {
  for (const bool is_normalised : {false, true}) {
    words arguments{"t0.npy", "t1.npy",     "t2.npy",       "t3.npy",    "t4.npy",
                    "--mode", "same",       "--projection", "best.npy",  "--mean",
                    "m.npy",  "--variance", "v.npy",        "--numbers", "n.npy"};
    if (is_normalised) arguments.push_back("--normalised");
    EXPECT_EQ(run(arguments).out, "");
    std::vector<formats::image_stack> maps;
    for (std::size_t n = 0; n < n_templates; ++n) {
      maps.push_back(is_normalised ? normalised_map_of(n, "same") : map_of(n, "same"));
    }
    const double tolerance = is_normalised ? 1e-5 : 5e-3;
    const auto best = images_in(at_, "best.npy"), numbers = images_in(at_, "n.npy");
    const auto means = images_in(at_, "m.npy"), variances = images_in(at_, "v.npy");
    ASSERT_EQ(formats::size_of(best.samples), 11U * 14);
    for (std::size_t i = 0; i < 11 * 14; ++i) {
      double largest = -1e30, mean = 0, square = 0;
      for (const auto& map : maps) {
        const double score = formats::sample_at(map.samples, i);
        largest = std::max(largest, score);
        mean += score / n_templates;
        square += score * score / n_templates;
      }
      ASSERT_NEAR(formats::sample_at(best.samples, i), largest, tolerance);
      ASSERT_NEAR(formats::sample_at(means.samples, i), mean, tolerance);
      const double variance = square - mean * mean;
      ASSERT_NEAR(formats::sample_at(variances.samples, i), variance,
                  is_normalised ? 1e-4 : 1e-3 * variance + 0.5);
      const auto number = static_cast<std::size_t>(formats::sample_at(numbers.samples, i));
      ASSERT_LT(number, n_templates);
      ASSERT_NEAR(formats::sample_at(maps[number].samples, i), largest, tolerance);
    }
  }
}

TEST_F(match_maps, of_files_of_several_sizes_are_counted_beforehand) {
  (void)run({"t4.npy", "t.npy", "t0.npy", "--map", "m.npy"});
  const auto maps = images_in(at_, "m.npy");
  ASSERT_EQ(maps.n_images, n_templates + 2);
  expect_near(maps, map_of(4, "valid"), 2e-3, 0);
  for (std::size_t n = 0; n < n_templates; ++n) expect_near(maps, map_of(n, "valid"), 2e-3, n + 1);
  expect_near(maps, map_of(0, "valid"), 2e-3, n_templates + 1);
  for (const std::string name : {"m.mrc", "m.tif"}) {
    (void)run({"t4.npy", "t.npy", "t0.npy", "--map", name});
    if (name == "m.tif" && !formats::has_image_libraries()) continue;
    EXPECT_EQ(formats::to_doubles(images_in(at_, name).samples), formats::to_doubles(maps.samples));
  }
}

TEST_F(match_maps, take_templates_from_a_pipe_which_is_read_once) {
  const auto pipe = at_.folder().path() / "pipe.npy";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer{[&] {
    std::ofstream stream{pipe, std::ios::binary};
    stream << at_.folder().read("t.npy");
  }};
  (void)run({"t3.npy", "pipe.npy", "t0.npy", "--map", "m.npy"});
  writer.join();
  const auto maps = images_in(at_, "m.npy");
  ASSERT_EQ(maps.n_images, n_templates + 2);
  expect_near(maps, map_of(3, "valid"), 2e-3, 0);
  for (std::size_t n = 0; n < n_templates; ++n) expect_near(maps, map_of(n, "valid"), 2e-3, n + 1);
  expect_near(maps, map_of(0, "valid"), 2e-3, n_templates + 1);
}

TEST_F(match_maps, have_the_precision_that_was_computed) {
  const auto type_of = [&](const words& arguments) {
    words command{"t.npy", "--map", "m.npy"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    (void)run(command);
    return at_.folder().read("m.npy").substr(10, 20);
  };
  EXPECT_THAT(type_of({}), HasSubstr("'<f4'"));
  EXPECT_THAT(type_of({"--storage", "bf16"}), HasSubstr("'<f4'"));
  EXPECT_THAT(type_of({"--precision", "fp64"}), HasSubstr("'<f8'"));
  EXPECT_THAT(type_of({"--precision", "fp64", "--normalised"}), HasSubstr("'<f4'"))
      << "scores of a search are fp32";
}

TEST_F(match_maps, are_never_in_memory_together) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "freed memory stays with the sanitizer";
#endif
  constexpr std::size_t side = 512, count = 60;
  image_file(at_, "f.npy", random_images({side, side}, 3));
  image_file(at_, "many.npy", random_images({4, 4, count}, 4));
  for (const words& more : {words{}, words{"--normalised"}}) {
    words arguments{"many.npy", "--mode", "same", "--map", "m.npy", "--engine", "host"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const finished done = run(arguments);
    const std::size_t maps_bytes = std::filesystem::file_size(at_.folder().path() / "m.npy");
    EXPECT_GT(maps_bytes, count * side * side * 4);
    EXPECT_LT(done.peak_bytes, maps_bytes) << "which are doubles while they are computed";
  }
}

TEST_F(match_maps, number_templates_in_int32) {
  (void)run({"t.npy", "--numbers", "n.npy"});
  EXPECT_THAT(at_.folder().read("n.npy"), HasSubstr("'descr': '<i4'"));
  (void)run({"t.npy", "--numbers", "n.mrc"});
  EXPECT_EQ(formats::to_doubles(images_in(at_, "n.mrc").samples),
            formats::to_doubles(images_in(at_, "n.npy").samples));
}

TEST_F(match_maps, can_be_written_beside_peaks) {
  const finished done = run({"t.npy", "--map", "m.npy", "--top", "1", "--json"});
  EXPECT_THAT(done.out, HasSubstr("{\"peaks\": [{\"template\": "));
  EXPECT_EQ(images_in(at_, "m.npy").n_images, n_templates);
}

}  // namespace
