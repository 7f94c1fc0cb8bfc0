// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// `wingbeat match`: peaks and their documents, numbering of templates, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cli/images.hpp"   // image_file, images_in, expect_refusal
#include "cli/program.hpp"  // workplace, json_of

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::Not;
using words = std::vector<std::string>;

formats::image_stack grey(std::size_t height, std::size_t width, std::vector<float> samples) {
  return {.samples = std::move(samples), .height = height, .width = width};
}

/// An image of zeros with the template {1, 0.5; 0.5, 0} at (12, 7), and half of it at (3, 15): the
/// highest scores are 1.5 and 0.75.
class match : public ::testing::Test {
 protected:
  match() {
    const std::vector<float> corner{1, 0.5, 0.5, 0};
    std::vector<float> samples(20 * 24, 0);
    for (std::size_t i = 0; i < 4; ++i) {
      samples[(12 + i / 2) * 24 + 7 + i % 2] = corner[i];
      samples[(3 + i / 2) * 24 + 15 + i % 2] = corner[i] / 2;
    }
    image_file(at_, "f.npy", grey(20, 24, samples));
    image_file(at_, "t.npy", grey(2, 2, corner));
    image_file(at_, "other.npy", grey(2, 2, {0, 0, 0, 0.25}));
    image_file(at_, "three.npy",
               {.samples = std::vector<float>{0, 0, 0, 0.25, 1, 0.5, 0.5, 0, 0, 0.25, 0, 0},
                .n_images = 3,
                .height = 2,
                .width = 2,
                .is_stack = true});
  }

  /// Runs `wingbeat match` in fp64, whose scores round to the floats expected.
  [[nodiscard]] finished matched(const words& arguments) const {
    words command{"match"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--precision", "fp64"});
    finished run = at_.run(command);
    EXPECT_EQ(run.code, 0) << run.err;
    return run;
  }

  workplace at_;
};

TEST_F(match, prints_json_that_scripts_rely_on) {
  EXPECT_EQ(matched({"f.npy", "t.npy", "--top", "1", "--json"}).out,
            "{\"peaks\": [{\"template\": 0, \"y\": 12, \"x\": 7, \"score\": 1.5, "
            "\"y_subpixel\": 12, \"x_subpixel\": 7}]}\n");
  EXPECT_EQ(matched({"f.npy", "t.npy", "--mode", "full", "--top", "1", "--json"}).out,
            "{\"peaks\": [{\"template\": 0, \"y\": 13, \"x\": 8, \"score\": 1.5, "
            "\"y_subpixel\": 13, \"x_subpixel\": 8}]}\n");
  EXPECT_EQ(matched({"f.npy", "t.npy", "--mode", "same", "--top", "1", "--json"}).out,
            "{\"peaks\": [{\"template\": 0, \"y\": 13, \"x\": 8, \"score\": 1.5, "
            "\"y_subpixel\": 13, \"x_subpixel\": 8}]}\n");
  EXPECT_EQ(matched({"f.npy", "t.npy", "--threshold", "9", "--json"}).out, "{\"peaks\": []}\n");
}

TEST_F(match, finds_the_same_in_fp32_on_every_engine_that_is_here) {
  std::set<std::string> engines;
  const auto document = json_of(at_.run({"devices", "--json"}));
  for (const auto& device : document["devices"]) engines.insert(device["engine"]);
  for (const std::string& engine : engines) {
    for (const words& more : {words{}, words{"--normalised"}}) {
      words command{"match", "f.npy", "t.npy", "--top", "1", "--json", "--engine", engine};
      command.insert(command.end(), more.begin(), more.end());
      const finished run = at_.run(command);
      ASSERT_EQ(run.code, 0) << engine << run.err;
      const auto peaks = json_of(run)["peaks"];
      ASSERT_EQ(peaks.size(), 1U);
      // Half the template is at (3, 15): its coefficient is 1 as well, but for rounding.
      const bool is_half = !more.empty() && peaks[0]["y"] == 3;
      EXPECT_EQ(peaks[0]["y"], is_half ? 3 : 12) << engine;
      EXPECT_EQ(peaks[0]["x"], is_half ? 15 : 7) << engine;
      EXPECT_NEAR(peaks[0]["score"].get<double>(), more.empty() ? 1.5 : 1, 1e-5) << engine;
    }
  }
}

TEST_F(match, stores_spectra_in_16_bits) {
  const auto score_of = [&](const words& more) {
    words command{"match", "f.npy", "t.npy", "--top", "1", "--json", "--engine", "host"};
    command.insert(command.end(), more.begin(), more.end());
    return json_of(at_.run(command))["peaks"][0]["score"].get<double>();
  };
  const double unit = score_of({"--normalised", "--storage", "fp16"});
  EXPECT_NEAR(unit, 1, 0.01);
  EXPECT_NE(unit, score_of({"--normalised"}));
  const double plain = score_of({"--storage", "bf16"});
  EXPECT_NEAR(plain, 1.5, 0.05);
  EXPECT_NE(plain, 1.5);
  EXPECT_EQ(score_of({"--storage", "fp32"}), score_of({}));
  const finished refused = at_.run({"match", "f.npy", "t.npy", "--storage", "fp16"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("add --normalised"));
  EXPECT_THAT(at_.run({"match", "f.npy", "t.npy", "--storage", "fp64"}).err,
              HasSubstr("choose fp32, fp16 or bf16"));
  for (const std::string storage : {"fp32", "fp16", "bf16"}) {
    const finished wide = at_.run(
        {"match", "f.npy", "t.npy", "--normalised", "--precision", "fp64", "--storage", storage});
    EXPECT_EQ(wide.code, 2);
    EXPECT_THAT(wide.err, HasSubstr("--storage " + storage + " does not go with --precision fp64"));
  }
}

TEST_F(match, names_the_option_where_an_image_leaves_the_range_of_fp16) {
  for (const double scale : {1e9, 1e-9}) {
    auto image = random_images({21, 30}, 1);
    std::vector<double> samples = formats::to_doubles(image.samples);
    for (double& sample : samples) sample *= scale;
    image.samples = samples;
    image_file(at_, "g.npy", image);
    const words arguments{"match", "g.npy", "t.npy", "--normalised", "--storage"};
    for (const auto& [storage, code] : {std::pair{"fp16", 2}, {"bf16", 0}}) {
      words command = arguments;
      command.emplace_back(storage);
      const finished run = at_.run(command);
      EXPECT_EQ(run.code, code) << run.err;
      if (code == 0) continue;
      EXPECT_THAT(run.err, HasSubstr("--storage fp16 takes images whose largest magnitude is"));
      EXPECT_THAT(run.err, Not(HasSubstr("image_peak")));
    }
  }
}

TEST_F(match, writes_csv_and_a_table_of_the_highest_peaks_first) {
  const std::string csv =
      "template,y,x,score,y_subpixel,x_subpixel\n0,12,7,1.5,12,7\n0,3,15,0.75,3,15\n";
  for (const std::string output : {"-", "/dev/stdout"}) {
    EXPECT_EQ(matched({"f.npy", "t.npy", "--threshold", "0.7", "--csv", output}).out, csv);
  }
  const finished run = matched({"f.npy", "t.npy", "--threshold", "0.7", "--csv", "p.csv"});
  EXPECT_EQ(at_.folder().read("p.csv"), csv);
  EXPECT_EQ(n_lines(run.out), 3U) << run.out;
  EXPECT_THAT(run.out, HasSubstr("rank  template   y   x  score\n"));
  EXPECT_THAT(matched({"f.npy", "t.npy", "--threshold", "8"}).out, HasSubstr("no peak"));
  EXPECT_EQ(n_lines(matched({"f.npy", "t.npy", "--csv", "-"}).out), 11U);  // 10 without --top
}

TEST_F(match, keeps_peaks_apart) {
  // Scores of at least 0.4: 1.5 with 0.5 above, below and on both sides of it, and 0.75.
  const auto count = [&](const words& more) {
    words arguments{"f.npy", "t.npy", "--threshold", "0.4", "--csv", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return n_lines(matched(arguments).out) - 1;
  };
  EXPECT_EQ(count({"--min-distance", "1"}), 6U);
  EXPECT_EQ(count({"--min-distance", "2"}), 2U);
  EXPECT_EQ(count({"--min-distance", "9"}), 2U);
  EXPECT_EQ(count({"--min-distance", "10"}), 1U);  // (12, 7) and (3, 15) are 9 and 8 apart
  EXPECT_EQ(count({"--top", "1"}), 1U);
}

TEST_F(match, numbers_templates_over_files_and_stacks) {
  for (const auto& [templates, number] :
       std::vector<std::pair<words, int>>{{{"t.npy", "other.npy"}, 0},
                                          {{"other.npy", "t.npy"}, 1},
                                          {{"three.npy"}, 1},
                                          {{"other.npy", "three.npy", "other.npy"}, 2}}) {
    words arguments{"f.npy"};
    arguments.insert(arguments.end(), templates.begin(), templates.end());
    arguments.insert(arguments.end(), {"--top", "1", "--csv", "-"});
    EXPECT_EQ(matched(arguments).out, "template,y,x,score,y_subpixel,x_subpixel\n" +
                                          std::to_string(number) + ",12,7,1.5,12,7\n");
  }
}

TEST_F(match, normalises_away_brightness_and_contrast) {
  const auto image = random_images({30, 40}, 1);
  auto samples = formats::to_doubles(image.samples);
  std::vector<double> part;
  for (std::size_t i = 0; i < 7 * 9; ++i) part.push_back(samples[(11 + i / 9) * 40 + 21 + i % 9]);
  for (double& value : part) value = 100 - 0.25 * value;  // the negative, of less contrast
  std::vector<double> positive;
  for (const double value : part) positive.push_back(50 - 3 * value);
  image_file(at_, "g.npy", image);
  image_file(at_, "p.npy", {.samples = positive, .height = 7, .width = 9});
  const auto peak = json_of(
      at_.run({"match", "g.npy", "p.npy", "--normalised", "--top", "1", "--json"}))["peaks"][0];
  EXPECT_EQ(peak["y"], 11);
  EXPECT_EQ(peak["x"], 21);
  EXPECT_NEAR(peak["score"].get<double>(), 1, 1e-5);
}

TEST_F(match, marks_the_part_of_the_image_in_every_mode) {
  if (!formats::has_image_libraries()) GTEST_SKIP() << "built without PNG";
  image_file(at_, "f.tif", random_images({60, 80}, 1));
  const auto image = formats::to_doubles(images_in(at_, "f.tif").samples);
  std::vector<double> part;
  for (std::size_t i = 0; i < 16 * 20; ++i) part.push_back(image[(30 + i / 20) * 80 + 40 + i % 20]);
  image_file(at_, "p.tif", {.samples = part, .height = 16, .width = 20});
  std::string first;
  for (const std::string mode : {"valid", "same", "full"}) {
    const finished run = matched({"f.tif", "p.tif", "--normalised", "--mode", mode, "--top", "1",
                                  "--picture", "marked.png"});
    EXPECT_THAT(run.err, HasSubstr("wrote marked.png: 1 peak marked"));
    const std::string picture = at_.folder().read("marked.png");
    if (first.empty()) first = picture;
    EXPECT_EQ(picture, first) << mode;
  }
  const auto marked = images_in(at_, "marked.png");
  ASSERT_EQ(marked.n_channels, 3U);
  const auto is_coloured = [&](std::size_t y, std::size_t x) {
    const std::size_t i = 3 * (y * 80 + x);
    return formats::sample_at(marked.samples, i) != formats::sample_at(marked.samples, i + 1);
  };
  for (const auto& [y, x] : {std::pair{30, 40}, {30, 59}, {45, 40}, {45, 59}}) {
    EXPECT_TRUE(is_coloured(y, x)) << y << " " << x;
  }
  EXPECT_FALSE(is_coloured(46, 50));
  EXPECT_FALSE(is_coloured(38, 50));
}

TEST_F(match, takes_the_grey_of_colours_and_one_image_of_a_stack) {
  const auto stack = random_images({12, 14, 3, 3}, 5);
  auto samples = formats::to_doubles(stack.samples);
  std::vector<double> part;
  for (std::size_t i = 0; i < 5 * 4 * 3; ++i) {
    const std::size_t y = 6 + i / 12, x = 8 + i / 3 % 4;
    part.push_back(samples[((2 * 12 + y) * 14 + x) * 3 + i % 3]);
  }
  image_file(at_, "s.npy", stack);
  image_file(at_, "p.npy", {.samples = part, .height = 5, .width = 4, .n_channels = 3});
  const finished run =
      matched({"s.npy", "p.npy", "--frame", "2", "--normalised", "--top", "1", "--csv", "-"});
  EXPECT_THAT(run.out, HasSubstr("0,6,8,"));
  EXPECT_THAT(run.err, HasSubstr("s.npy has colours; its grey is searched"));
  EXPECT_THAT(run.err, HasSubstr("templates have colours; their grey"));
  expect_refusal(at_, {"match", "s.npy", "p.npy"}, 2, "choose it with --frame");
  expect_refusal(at_, {"match", "s.npy", "p.npy", "--frame", "3"}, 2, "has no image 3");
}

TEST_F(match, leaves_alpha_out) {
  image_file(at_, "la.npy", random_images({12, 14, 1, 2}, 5));
  image_file(at_, "rgba.npy", random_images({4, 5, 1, 4}, 6));
  const finished run = matched({"la.npy", "rgba.npy", "--top", "1"});
  EXPECT_THAT(run.err, HasSubstr("la.npy has alpha; its grey is searched"));
  EXPECT_THAT(run.err, HasSubstr("templates have colours and alpha; their grey"));
}

TEST_F(match, takes_either_spelling_of_normalised) {
  const words british{"f.npy", "t.npy", "--normalised", "--csv", "-"};
  const words american{"f.npy", "t.npy", "--normalized", "--csv", "-"};
  EXPECT_EQ(matched(american).out, matched(british).out);
}

TEST_F(match, refuses_in_a_sentence_and_writes_nothing) {
  image_file(at_, "large.npy", grey(21, 2, std::vector<float>(42, 1)));
  image_file(at_, "wide.npy", grey(2, 3, {1, 2, 3, 4, 5, 6}));
  image_file(at_, "huge.npy", grey(2, 2, {2e38f, 1, 1, 1}));
  image_file(at_, "beyond.npy", grey(2, 2, {3e38f, 1, 1, 1}));
  at_.file("text.txt", "no image at all");
  for (const auto& [arguments, code, sentence] : std::vector<std::tuple<words, int, std::string>>{
           {{"f.npy"}, 2, "TEMPLATE is required; see wingbeat match --help"},
           {{"f.npy", "large.npy"}, 2, "do not lie within"},
           {{"f.npy", "t.npy", "wide.npy"}, 2, "give templates of one size"},
           {{"f.npy", "huge.npy"}, 2, "a search in fp32 keeps scores as fp32 from"},
           {{"f.npy", "beyond.npy", "--precision", "fp64"}, 2, "in fp64 keeps scores as fp32"},
           {{"f.npy", "t.npy", "--mode", "wide"}, 2, "--mode is 'wide'; choose full"},
           {{"f.npy", "t.npy", "--json", "--csv", "-"}, 2, "both print on stdout"},
           {{"f.npy", "t.npy", "--picture", "p.tif"}, 2, "must end in .png"},
           {{"f.npy", "t.npy", "--picture", "p.jpg"}, 2, "draw p.jpg; its name must end in .png"},
           {{"f.npy", "t.npy", "--map", "p.gif"}, 2, "must end in .npy"},
           {{"f.npy", "t.npy", "t.npy", "--map", "p.png"}, 2, "cannot hold"},
           {{"f.npy", "t.npy", "--map", "p.npy", "--mean", "./p.npy"}, 2, "both write"},
           {{"f.npy", "t.npy", "--top", "0"}, 2, "--top 0"},
           {{"f.npy", "t.npy", "--device", "all"}, 2, "takes one"},
           {{"none.npy", "t.npy"}, 4, "none.npy"},
           {{"f.npy", "t.npy", "none.npy", "--csv", "p.csv"}, 4, "none.npy"},
           {{"f.npy", "text.txt"}, 4, "no file of .npy, .png"},
           {{"f.npy", "t.npy", "--csv", "no/p.csv"}, 4, "no/p.csv"}}) {
    SCOPED_TRACE(sentence);
    words command{"match"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    expect_refusal(at_, command, code, sentence);
  }
}

}  // namespace
