// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// `wingbeat convolve` against sums by definition: modes, borders, colours, stacks, formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // ldexp, pow, sqrt
#include <set>
#include <string>
#include <utility>  // pair
#include <variant>  // get
#include <vector>

#include "cli/images.hpp"        // random_images, direct_sums, expect_near
#include "cli/program.hpp"       // workplace, json_of
#include "support/full_run.hpp"  // is_full_run

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

constexpr double single = 2e-3, exact = 1e-10;  // sums are up to a few thousand

words operator+(words left, const words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// Runs `wingbeat convolve` and returns the images it wrote.
formats::image_stack convolved(const workplace& place, const words& arguments,
                               const std::string& output = "out.npy") {
  const finished run = place.run(words{"convolve"} + arguments + words{"--output", output});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  if (run.code != 0) return {};
  EXPECT_THAT(run.err, HasSubstr("wrote " + output));
  return images_in(place, output);
}

TEST(convolve, is_full_with_zeros_outside_unless_told_otherwise) {
  const workplace place;
  const auto image = random_images({7, 10}, 1), kernel = random_images({3, 4}, 2);
  image_file(place, "f.npy", image);
  image_file(place, "k.npy", kernel);
  expect_near(convolved(place, {"f.npy", "k.npy"}), direct_sums(image, kernel, {}), single);
  for (const std::string mode : {"full", "same", "valid"}) {
    expect_near(convolved(place, {"f.npy", "k.npy", "--mode", mode}),
                direct_sums(image, kernel, {mode}), single);
  }
}

TEST(convolve, takes_every_mode_border_and_direction_in_both_precisions) {
  const workplace place;
  // A kernel wider than the image reaches across it more than once.
  for (const image_shape shape : {image_shape{2, 5}, image_shape{4, 3}, image_shape{9, 13}}) {
    const auto image = random_images({6, 8}, 1), kernel = random_images(shape, 2);
    image_file(place, "f.npy", image);
    image_file(place, "k.npy", kernel);
    for (const std::string mode : {"full", "same", "valid"}) {
      if (mode == "valid" && shape.height > 6) continue;
      for (const std::string border : {"zero", "mirror", "repeat", "clamp"}) {
        if (mode == "valid" && border != "zero") continue;  // refused, as it has no effect
        for (const bool correlates : {false, true}) {
          const auto expected = direct_sums(image, kernel, {mode, border, correlates});
          const words arguments =
              words{"f.npy", "k.npy", "--mode", mode, "--border", border, "--device", "host"} +
              (correlates ? words{"--correlate"} : words{});
          SCOPED_TRACE(mode + " " + border);
          if (!correlates || is_full_run()) {
            expect_near(convolved(place, arguments), expected, single);
          }
          if (correlates || is_full_run()) {
            expect_near(convolved(place, arguments + words{"--precision", "fp64"}), expected,
                        exact);
          }
        }
      }
    }
  }
}

TEST(convolve, writes_fp64_where_it_was_computed_and_a_npy_holds_it) {
  const workplace place;
  image_file(place, "f.npy", random_images({5, 5}, 1));
  image_file(place, "k.npy", random_images({2, 2}, 2));
  (void)convolved(place, {"f.npy", "k.npy", "--precision", "fp64"}, "double.npy");
  (void)convolved(place, {"f.npy", "k.npy"}, "single.npy");
  EXPECT_THAT(place.folder().read("double.npy"), HasSubstr("'<f8'"));
  EXPECT_THAT(place.folder().read("single.npy"), HasSubstr("'<f4'"));
}

TEST(convolve, reads_stdin_and_writes_stdout) {
  const workplace place;
  const auto image = random_images({7, 10}, 1), kernel = random_images({3, 4}, 2);
  image_file(place, "f.npy", image);
  image_file(place, "k.npy", kernel);
  const words common{"--engine", "host", "--output"};
  const finished file = place.run(words{"convolve", "f.npy", "k.npy"} + common + words{"g.npy"});
  EXPECT_EQ(file.code, 0) << file.err;
  place.file("-", "a file of this name is not stdin");
  for (const std::string out : {"-", "/dev/stdout"}) {
    const finished pipe = run_with_stdin(
        place, words{"convolve", "-", "k.npy"} + common + words{out}, place.folder().read("f.npy"));
    EXPECT_EQ(pipe.code, 0) << pipe.err;
    EXPECT_EQ(pipe.out, place.folder().read("g.npy"));
  }
}

TEST(convolve, runs_on_every_engine_that_is_here) {
  const workplace place;
  const auto image = random_images({9, 12}, 1), kernel = random_images({4, 3}, 2);
  image_file(place, "f.npy", image);
  image_file(place, "k.npy", kernel);
  std::set<std::string> engines;
  const auto document = json_of(place.run({"devices", "--json"}));
  for (const auto& device : document["devices"]) engines.insert(device["engine"]);
  for (const std::string& engine : engines) {
    SCOPED_TRACE(engine);
    expect_near(convolved(place, {"f.npy", "k.npy", "--mode", "same", "--border", "mirror",
                                  "--engine", engine}),
                direct_sums(image, kernel, {"same", "mirror"}), single);
  }
}

TEST(convolve, takes_colours_each_by_itself_and_leaves_alpha) {
  const workplace place;
  const auto image = random_images({6, 7, 1, 4}, 1), kernel = random_images({3, 3, 1, 3}, 2);
  image_file(place, "f.npy", image);
  image_file(place, "k.npy", kernel);
  image_file(place, "grey.npy", random_images({3, 3}, 3));
  image_file(place, "rgba.npy", random_images({3, 3, 1, 4}, 4));
  for (const std::string precision : {"fp32", "fp64"}) {
    for (const std::string file : {"k.npy", "grey.npy"}) {
      auto expected = direct_sums(image, images_in(place, file), {"same", "clamp"});
      auto samples = formats::to_doubles(expected.samples);
      for (std::size_t i = 3; i < samples.size(); i += 4) {
        samples[i] = formats::sample_at(image.samples, i);
      }
      expected.samples = samples;
      expect_near(convolved(place, {"f.npy", file, "--mode", "same", "--border", "clamp",
                                    "--precision", precision}),
                  expected, single);
    }
  }
  expect_refusal(place, {"convolve", "grey.npy", "k.npy", "-o", "x.npy"}, 2, "give a grey kernel");
  EXPECT_EQ(place.run({"convolve", "f.npy", "rgba.npy", "-o", "x.npy"}).code, 0);  // less its alpha
}

TEST(convolve, stores_narrow_numbers_between_launches_of_images_of_any_range) {
  const workplace place;
  for (const double factor : {1.0, 1e-20, 1e20}) {
    auto image = random_images({20, 30, 1, 4}, 1);
    for (float& value : std::get<std::vector<float>>(image.samples)) {
      value *= static_cast<float>(factor);
    }
    const auto kernel = random_images({3, 4}, 2);
    image_file(place, "f.npy", image);
    image_file(place, "k.npy", kernel);
    const words arguments{"f.npy", "k.npy", "--mode", "same"};
    const auto wide = formats::to_doubles(convolved(place, arguments).samples);
    for (const auto& [storage, digits] : {std::pair{"fp16", 11}, std::pair{"bf16", 8}}) {
      const auto narrow =
          formats::to_doubles(convolved(place, arguments + words{"--storage", storage}).samples);
      ASSERT_EQ(narrow.size(), wide.size());
      double errors = 0, squares = 0;
      for (std::size_t i = 0; i < wide.size(); ++i) {
        if (i % 4 == 3) {
          EXPECT_EQ(narrow[i], wide[i]) << "alpha";
        } else {
          errors += std::pow((narrow[i] - wide[i]) / factor, 2);
          squares += std::pow(wide[i] / factor, 2);
        }
      }
      EXPECT_GT(errors, 0);
      EXPECT_LT(std::sqrt(errors / squares), std::ldexp(5, -digits)) << storage << " " << factor;
    }
  }
}

TEST(convolve, takes_stacks_image_by_image_in_every_format) {
  const workplace place;
  const auto stack = random_images({5, 6, 3}, 1);
  const auto kernel = random_images({2, 3}, 2);
  image_file(place, "f.mrc", stack);
  image_file(place, "f.tif", stack);
  image_file(place, "f.npy", stack);
  image_file(place, "k.tif", kernel);
  for (const std::string in : {"f.mrc", "f.tif", "f.npy"}) {
    for (const std::string out : {"o.mrc", "o.tiff", "o.npy"}) {
      const auto result = convolved(place, {in, "k.tif", "--mode", "same"}, out);
      ASSERT_EQ(result.n_images, 3U) << in << " " << out;
      for (std::size_t n = 0; n < 3; ++n) {
        formats::image_stack image = random_images({5, 6}, 1);
        std::vector<double> samples(30);
        for (std::size_t i = 0; i < 30; ++i) {
          samples[i] = formats::sample_at(stack.samples, 30 * n + i);
        }
        image.samples = samples;
        expect_near(result, direct_sums(image, kernel, {"same"}), single, n);
      }
    }
  }
  expect_refusal(place, {"convolve", "f.npy", "k.tif", "-o", "o.png"}, 2, "cannot hold");
  expect_refusal(place, {"convolve", "k.tif", "f.npy", "-o", "x.npy"}, 2, "holds 3 images");
}

TEST(convolve, writes_an_mrc_file_where_its_input_is) {
  const workplace place;
  formats::image_stack image = random_images({.height = 6, .width = 7, .n_images = 2}, 3);
  image.pixel_angstrom = {.z = 1, .y = 2, .x = 2};
  formats::file_placement placement{.lengths = {7, 6, 2}};
  placement.words = {5, 6, 7, 7, 6, 2};
  for (const std::size_t i : {6, 7, 8}) placement.words[i] = 0x41400000;  // a cell of 12 angstrom
  for (const std::size_t i : {12, 13, 14}) placement.words[i] = static_cast<std::uint32_t>(i - 11);
  placement.words[15] = 1;  // a volume
  image.placement = placement;
  image_file(place, "f.mrc", image);
  image_file(place, "k.npy", {.samples = std::vector<float>(15, 1), .height = 3, .width = 5});
  const auto placed = [&](const std::string& mode) {
    return convolved(place, {"f.mrc", "k.npy", "--mode", mode}, "o.mrc").placement.value().words;
  };
  EXPECT_EQ(placed("same"), placement.words);
  const auto full = placed("full"), valid = placed("valid");
  EXPECT_EQ(full[0], 3U);
  EXPECT_EQ(full[1], 5U);
  EXPECT_EQ(full[2], 7U);
  EXPECT_EQ(full[3], 11U) << "intervals grow with the samples";
  EXPECT_EQ(full[15], 1U);
  EXPECT_EQ(valid[0], 7U);
  EXPECT_EQ(valid[1], 7U);
}

TEST(convolve, writes_a_png_in_the_range_given) {
  if (!formats::has_image_libraries()) GTEST_SKIP() << "built without PNG";
  const workplace place;
  const formats::image_stack image{
      .samples = std::vector<float>{0, 9, 3, 4, 5, 6, 7, 8}, .height = 2, .width = 4};
  image_file(place, "f.png", image, {.range = formats::value_range{0, 255}});
  image_file(place, "one.npy", {.samples = std::vector<float>{1}, .height = 1, .width = 1});
  expect_near(convolved(place, {"f.png", "one.npy", "--white", "255"}, "o.png"), image, 0);
  expect_near(convolved(place, {"f.png", "one.npy", "--black", "0"}, "o.png"), image, 0);
  const auto finer = convolved(place, {"f.png", "one.npy", "--bits", "16"}, "o.png");
  image_file(place, "deep.png", image,
             {.type = formats::number_type::uint16, .range = formats::value_range{0, 65535}});
  const auto deep = convolved(place, {"deep.png", "one.npy"}, "o.png");
  expect_near(deep, image, 0);
  EXPECT_EQ(deep.full_scale, 65535) << "the depth of the image stays";
  EXPECT_EQ(convolved(place, {"deep.png", "one.npy", "--bits", "8"}, "o.png").full_scale, 255);
  image_file(place, "f.npy", image);
  const auto stretched = convolved(place, {"f.npy", "one.npy", "--bits", "16"}, "o.png");
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(formats::sample_at(finer.samples, i), 257 * formats::sample_at(image.samples, i))
        << "8 bits are from 0 to 255";
    EXPECT_EQ(formats::sample_at(stretched.samples, i),
              std::round(65535 * formats::sample_at(image.samples, i) / 9));
  }
  const auto raised =
      convolved(place, {"f.npy", "one.npy", "--black", "-9", "--white", "9"}, "o.png");
  EXPECT_EQ(formats::sample_at(raised.samples, 0), 128);
  expect_refusal(place, {"convolve", "f.png", "one.npy", "--bits", "9", "-o", "p.png"}, 2,
                 "choose 8 or 16");
  expect_refusal(place,
                 {"convolve", "f.png", "one.npy", "--black", "8", "--white", "7", "-o", "p.png"}, 2,
                 "is not below");
  expect_refusal(place, {"convolve", "f.png", "one.npy", "--white", "7", "-o", "p.npy"}, 2,
                 "drop them");
  expect_refusal(place, {"convolve", "f.png", "one.npy", "--bits", "16", "-o", "p.jpg"}, 2,
                 "holds 8 bits");
  expect_near(convolved(place, {"deep.png", "one.npy", "--bits", "16"}, "o.tif"), image, 0);
  const formats::image_stack level{
      .samples = std::vector<float>(64, 7), .height = 8, .width = 8, .full_scale = 255};
  image_file(place, "level.png", level, {.range = formats::value_range{0, 255}});
  expect_near(convolved(place, {"level.png", "one.npy"}, "o.jpg"), level, 1);
}

TEST(convolve, leaves_a_picture_s_level_and_its_alpha) {
  if (!formats::has_image_libraries()) GTEST_SKIP() << "built without PNG";
  const workplace place;
  formats::image_stack image{
      .samples = std::vector<float>(7 * 8 * 4, 100), .height = 7, .width = 8, .n_channels = 4};
  auto& samples = std::get<std::vector<float>>(image.samples);
  for (std::size_t i = 3; i < samples.size(); i += 4) samples[i] = i % 3 == 0 ? 255 : 51;
  image.full_scale = 255;
  image_file(place, "f.png", image, {.range = formats::value_range{0, 255}});
  image_file(place, "box.npy", {.samples = std::vector<float>(9, 1), .height = 3, .width = 3});
  const auto blurred = convolved(
      place, {"f.png", "box.npy", "--mode", "same", "--border", "mirror", "--normalise", "sum"},
      "o.png");
  expect_near(blurred, image, 0);
}

TEST(convolve, divides_the_kernel_by_its_sum) {
  const workplace place;
  image_file(
      place, "f.npy",
      {.samples = std::vector<float>(3 * 5 * 6, 7), .height = 5, .width = 6, .n_channels = 3});
  image_file(place, "k.npy", random_images({3, 2, 1, 3}, 2));
  for (const std::string precision : {"fp32", "fp64"}) {
    const std::string spelling = precision == "fp32" ? "--normalise" : "--normalize";
    const auto sum = convolved(
        place, {"f.npy", "k.npy", "--mode", "valid", spelling, "sum", "--precision", precision});
    for (std::size_t i = 0; i < formats::size_of(sum.samples); ++i) {
      EXPECT_NEAR(formats::sample_at(sum.samples, i), 7, 1e-5);
    }
    const auto tinted = convolved(place, {"f.npy", "k.npy", "--mode", "valid", "--normalise",
                                          "luminance", "--precision", precision});
    const auto channel = [&](std::size_t c) { return formats::sample_at(tinted.samples, c); };
    EXPECT_NEAR(0.212639 * channel(0) + 0.715169 * channel(1) + 0.072192 * channel(2), 7, 1e-5);
    EXPECT_GT(std::abs(channel(0) - channel(1)), 0.01);
  }
  image_file(place, "zero.npy", {.samples = std::vector<float>(4, 0), .height = 2, .width = 2});
  expect_refusal(place, {"convolve", "f.npy", "zero.npy", "--normalise", "sum", "-o", "x.npy"}, 2,
                 "by which nothing can be divided");
}

TEST(convolve, refuses_in_a_sentence_and_writes_nothing) {
  const workplace place;
  image_file(place, "f.npy", random_images({4, 5}, 1));
  image_file(place, "k.npy", random_images({5, 2}, 2));
  place.file("text.txt", "no image at all");
  place.file("cut.npy", place.folder().read("f.npy").substr(0, 150));
  image_file(place, "nan.npy",
             {.samples = std::vector<float>{1, 2, NAN, 4}, .height = 2, .width = 2});
  image_file(place, "huge.npy", {.samples = std::vector<double>{1e200}, .height = 1, .width = 1},
             {.type = formats::number_type::float64});
  image_file(place, "tiny.npy", {.samples = std::vector<double>{1e-60}, .height = 1, .width = 1},
             {.type = formats::number_type::float64});
  image_file(place, "small.npy", {.samples = std::vector<float>{1e-40f}, .height = 1, .width = 1});
  image_file(place, "large.npy", {.samples = std::vector<float>{3e38f}, .height = 1, .width = 1});
  for (const auto& [arguments, code, sentence] : std::vector<std::tuple<words, int, std::string>>{
           {{"f.npy"}, 2, "KERNEL is required"},
           {{"f.npy", "k.npy", "-o", "x.gif"}, 2, "must end in .npy"},
           {{"f.npy", "k.npy", "-o", "x.npy", "--mode", "valid"}, 2, "does not lie within"},
           {{"f.npy", "k.npy", "-o", "x.npy", "--mode", "wide"},
            2,
            "--mode is 'wide'; choose full, same or valid"},
           {{"f.npy", "k.npy", "-o", "x.npy", "--border", "wrap"},
            2,
            "--border is 'wrap'; choose zero"},
           {{"f.npy", "k.npy", "-o", "x.npy", "--mode", "valid", "--border", "mirror"},
            2,
            "--border mirror is of no use with --mode valid"},
           {{"f.npy", "k.npy", "-o", "x.npy", "--normalise", "l2"}, 2, "choose none, sum or lum"},
           {{"f.npy", "k.npy", "-o", "x.npy", "--precision", "fp16"}, 2, "choose fp32 or fp64"},
           {{"f.npy", "k.npy", "-o", "x.npy", "--precision", "fp64", "--storage", "bf16"},
            2,
            "--storage bf16 does not go with --precision fp64"},
           {{"f.npy", "k.npy", "-o", "x.npy", "--device", "all"}, 2, "takes one"},
           {{"f.npy", "k.npy", "-o", "x.npy", "--device", "tpu"}, 2, "there is no engine 'tpu'"},
           {{"f.npy", "k.npy", "-o", "x.npy", "--device", "host:9"}, 3, "there is no device"},
           {{"f.npy", "none.npy", "-o", "x.npy"}, 4, "none.npy"},
           {{"text.txt", "k.npy", "-o", "x.npy"}, 4, "no file of .npy, .png"},
           {{"cut.npy", "k.npy", "-o", "x.npy"}, 4, "is truncated"},
           {{"nan.npy", "k.npy", "-o", "x.npy"}, 4, "nan.npy: row 1, column 0 is NaN"},
           {{"f.npy", "huge.npy", "-o", "x.npy"}, 4, "use --precision fp64"},
           {{"f.npy", "large.npy", "-o", "x.npy"}, 2, "exceeds the range of fp32"},
           {{"f.npy", "tiny.npy", "-o", "x.npy"}, 4, "below the range of fp32"},
           {{"f.npy", "small.npy", "-o", "x.npy"}, 2, "all results are below 1.18e-38"},
           {{"f.npy", "k.npy", "-o", "no/x.npy"}, 4, "no/x.npy"}}) {
    SCOPED_TRACE(sentence);
    expect_refusal(place, words{"convolve"} + arguments, code, sentence);
  }
}

}  // namespace
