// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// `wingbeat match`: places between pixels, and particles in the formats of RELION and EMAN.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // exp
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/images.hpp"   // expect_refusal, image_file, random_images
#include "cli/program.hpp"  // workplace, json_of

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using words = std::vector<std::string>;

struct spot {
  double y, x, sigma = 3;
};

/// Returns a Gaussian spot, or the sum of several.
formats::image_stack spots(std::size_t height, std::size_t width,
                           const std::vector<spot>& particles) {
  std::vector<double> samples(height * width, 0);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (const spot& each : particles) {
      const double y = static_cast<double>(i / width) - each.y;
      const double x = static_cast<double>(i % width) - each.x;
      samples[i] += std::exp(-(y * y + x * x) / (2 * each.sigma * each.sigma));
    }
  }
  return {.samples = samples, .height = height, .width = width};
}

/// The one block of a STAR file: each column by its name.
struct star_table {
  std::string block;
  std::map<std::string, std::vector<std::string>> columns;
};

/// Parses a block with one loop; a word in quotes may have blanks.
star_table parse_star(const std::string& text) {
  star_table table;
  std::vector<std::string> names;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("data_")) table.block = line;
    if (line.starts_with("_")) names.push_back(line.substr(0, line.find(' ')));
    if (line.empty() || line[0] == '_' || line == "loop_" || line.starts_with("data_")) continue;
    std::istringstream rest{line};
    for (const std::string& name : names) {
      std::string word;
      rest >> word;
      while (word.starts_with('\'') && (word.size() < 2 || !word.ends_with('\''))) {
        std::string more;
        if (!(rest >> more)) break;
        word += ' ' + more;
      }
      table.columns[name].push_back(word);
    }
  }
  return table;
}

class match_particles : public ::testing::Test {
 protected:
  [[nodiscard]] finished run(const words& arguments) const {
    words command{"match"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    finished done = at_.run(command);
    EXPECT_EQ(done.code, 0) << done.err;
    return done;
  }

  workplace at_;
};

TEST_F(match_particles, are_found_between_pixels_in_every_mode) {
  for (const double sigma : {2.0, 5.0}) {
    for (const auto& [height, width] : {std::pair{33, 32}, {32, 33}}) {
      const spot centre{static_cast<double>(height / 2), static_cast<double>(width / 2), sigma};
      image_file(
          at_, "t.npy",
          spots(static_cast<std::size_t>(height), static_cast<std::size_t>(width), {centre}));
      for (const double shift : {-0.49, -0.25, 0.0, 0.1, 0.4}) {
        image_file(at_, "f.npy", spots(64, 80, {{30 + shift, 41 - shift, sigma}}));
        for (const std::string mode : {"valid", "same", "full"}) {
          const auto document =
              json_of(run({"f.npy", "t.npy", "--normalised", "--mode", mode, "--top", "1", "--json",
                           "--star", "p.star", "--engine", "host"}));
          const auto peak = document["peaks"][0];
          EXPECT_NEAR(peak["y_subpixel"].get<double>() - peak["y"].get<double>(), shift, 0.01);
          EXPECT_NEAR(peak["x_subpixel"].get<double>() - peak["x"].get<double>(), -shift, 0.01);
          auto star = parse_star(at_.folder().read("p.star"));
          EXPECT_EQ(star.block, "data_particles");
          EXPECT_NEAR(std::stod(star.columns["_rlnCoordinateY"].at(0)), 30 + shift, 0.01) << mode;
          EXPECT_NEAR(std::stod(star.columns["_rlnCoordinateX"].at(0)), 41 - shift, 0.01) << mode;
        }
      }
    }
  }
}

TEST_F(match_particles, have_classes_scores_and_corners) {
  const auto wide = spots(17, 16, {{8, 8, 4}}), narrow = spots(17, 16, {{8, 8, 1}});
  image_file(at_, "wide.npy", wide);
  image_file(at_, "narrow.npy", narrow);
  image_file(at_, "a micrograph.npy", spots(60, 70, {{20, 15, 4}, {40, 50, 1}}));
  const auto peaks = json_of(run({"a micrograph.npy", "wide.npy", "narrow.npy", "--normalised",
                                  "--top", "2", "--star", "p.star", "--box", "p.box", "--json"}));
  auto star = parse_star(at_.folder().read("p.star"));
  EXPECT_THAT(star.columns["_rlnMicrographName"],
              ElementsAre("'a micrograph.npy'", "'a micrograph.npy'"));
  const bool is_wide_first = peaks["peaks"][0]["template"] == 0;
  EXPECT_EQ(star.columns["_rlnClassNumber"].at(0), is_wide_first ? "1" : "2");
  EXPECT_EQ(star.columns["_rlnClassNumber"].at(1), is_wide_first ? "2" : "1");
  EXPECT_NEAR(std::stod(star.columns["_rlnAutopickFigureOfMerit"].at(0)),
              peaks["peaks"][0]["score"].get<double>(), 1e-7);
  const std::string first = "7\t12\t16\t17\n", second = "42\t32\t16\t17\n";
  EXPECT_EQ(at_.folder().read("p.box"), is_wide_first ? first + second : second + first);
}

TEST_F(match_particles, are_compared_with_expected_places) {
  image_file(at_, "t.npy", spots(17, 16, {{8, 8, 3}}));
  image_file(at_, "m.npy", spots(60, 70, {{20.25, 15}, {40, 50}, {40, 20}}));
  at_.file("known.star",
           "data_particles\nloop_\n_rlnCoordinateX #1\n_rlnCoordinateY #2\n_rlnMicrographName #3\n"
           "18 24.25 d/m.mrc\n50 47.5 d/m.mrc\n50 49 d/m.mrc\n3 3 other.mrc\n");
  const words search{"m.npy",      "t.npy",      "--normalised", "--top", "3",
                     "--expected", "known.star", "--engine",     "host"};
  words line = search;
  line.push_back("--json");
  const auto document = json_of(run(line));
  const auto& expected = document["expected"];
  EXPECT_NEAR(expected["recall"].get<double>(), 2.0 / 3, 1e-9);
  EXPECT_NEAR(expected["precision"].get<double>(), 2.0 / 3, 1e-9);
  EXPECT_NEAR(expected["mean_distance"].get<double>(), (5 + 7.5) / 2, 0.02);
  const auto& places = expected["places"];
  ASSERT_EQ(places.size(), 3U);
  const auto& found = document["peaks"][places[0]["rank"].get<std::size_t>() - 1];
  EXPECT_EQ(found["y"], 12);
  EXPECT_NEAR(places[0]["distance"].get<double>(), 5, 0.02);
  EXPECT_TRUE(places[2]["rank"].is_null());
  EXPECT_NE(run(search).err.find("known.star: 2 of 3 places found (recall 0.667), 2 of 3 peaks "
                                 "expected (precision 0.667), mean distance 6.25 pixels"),
            std::string::npos);
  (void)run({"m.npy", "t.npy", "--top", "3", "--normalised", "--star", "p.star", "--box", "p.box"});
  for (const std::string file : {"p.star", "p.box"}) {
    line[6] = file;
    const auto own = json_of(run(line))["expected"];
    EXPECT_EQ(own["recall"], 1) << file;
    EXPECT_LE(own["mean_distance"].get<double>(), file == "p.star" ? 0.002 : 0.3);
  }
  at_.file("known.cs", "\x93NUMPY");
  expect_refusal(at_, {"match", "m.npy", "t.npy", "--expected", "known.cs"}, 4, "csparc2star.py");
}

TEST_F(match_particles, name_the_image_of_a_stack) {
  auto stack = random_images({20, 22, 3}, 1);
  image_file(at_, "s.npy", stack);
  image_file(at_, "t.npy", random_images({5, 5}, 2));
  (void)run({"s.npy", "t.npy", "--frame", "2", "--top", "1", "--star", "p.star"});
  EXPECT_THAT(parse_star(at_.folder().read("p.star")).columns["_rlnMicrographName"],
              ElementsAre("000003@s.npy"));
}

}  // namespace
