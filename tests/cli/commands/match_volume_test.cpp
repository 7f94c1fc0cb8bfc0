// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// `wingbeat match-volume` finds planted projections, which are sums of Gaussians here, and a search
// in parts, or one that goes on, writes the bytes of one that does not stop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // find, max
#include <array>
#include <cmath>  // exp, sqrt
#include <complex>
#include <numbers>  // pi
#include <sstream>
#include <string>
#include <vector>

#include "cli/images.hpp"               // image_file, images_in
#include "cli/program.hpp"              // workplace
#include "formats/files/hdf5.hpp"       // hdf5_dataset
#include "formats/signals/signal.hpp"   // read_signal
#include "microscopy/optics.hpp"        // ctf_of
#include "microscopy/orientations.hpp"  // projected, rotation_of
#include "support/signal.hpp"           // fill_noise

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using microscopy::euler_angles;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

constexpr std::size_t n = 24, height = 70, width = 96;
constexpr double pixel = 3, defocus = 9000;
constexpr std::array<std::array<double, 3>, 5> points{
    {{5, 1, -3}, {-4, 4, 1}, {0, -6, 2}, {3, -1, 6}, {-2, 0, -5}}};  // (x, y, z) from the centre
constexpr double width2 = 2 * 1.3 * 1.3;

struct planted {
  std::size_t y, x;
  euler_angles angles;
  double relative_defocus;
};
const std::vector<planted> all_planted{{5, 60, {72, 60, 120}, 0}, {40, 11, {108, 120, 300}, 900}};

double at(double x) {
  return x - n / 2.0;
}

std::vector<float> volume() {
  std::vector<float> values;
  for (std::size_t i = 0; i < n * n * n; ++i) {
    const double z = at(i / n / n), y = at(i / n % n), x = at(i % n);
    double sum = 0;
    for (const auto& p : points) {
      const double r2 = (x - p[0]) * (x - p[0]) + (y - p[1]) * (y - p[1]) + (z - p[2]) * (z - p[2]);
      sum += std::exp(-r2 / width2);
    }
    values.push_back(static_cast<float>(sum));
  }
  return values;
}

/// The projection as the microscope shows it: dark, and through its transfer function. Norm 1.
std::vector<double> image_of(const planted& particle) {
  const microscopy::rotation turned = microscopy::rotation_of(particle.angles);
  std::vector<double> sharp(n * n);
  for (const auto& p : points) {
    const auto place = microscopy::projected(turned, p);
    for (std::size_t i = 0; i < n * n; ++i) {
      const double y = at(i / n) - place[1], x = at(i % n) - place[0];
      sharp[i] -= std::exp(-(x * x + y * y) / width2);
    }
  }
  const std::vector<float> ctf = microscopy::ctf_of(
      {.pixel_size_angstrom = pixel, .defocus_u_angstrom = defocus, .defocus_v_angstrom = defocus},
      n, particle.relative_defocus, 2.7);
  const auto turn = [](std::size_t turns) {
    return std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(turns % n) / n);
  };
  std::vector<double> image(n * n);
  double squares = 0;
  for (std::size_t bin = 1; bin < ctf.size(); ++bin) {
    const std::size_t ky = bin / (n / 2 + 1), kx = bin % (n / 2 + 1);
    std::complex<double> z = 0;
    for (std::size_t i = 0; i < n * n; ++i)
      z += sharp[i] * std::conj(turn(ky * (i / n) + kx * (i % n)));
    const double weight = kx == 0 || kx == n / 2 ? 1 : 2;
    for (std::size_t i = 0; i < n * n; ++i) {
      image[i] += weight * ctf[bin] * (z * turn(ky * (i / n) + kx * (i % n))).real();
    }
  }
  for (const double value : image) squares += value * value;
  for (double& value : image) value /= std::sqrt(squares);
  return image;
}

class match_volume : public ::testing::Test {
 protected:
  match_volume() {
    std::vector<float> pixels(height * width);
    fill_noise(pixels.data(), pixels.size(), 5);
    for (const planted& particle : all_planted) {
      const auto image = image_of(particle);
      for (std::size_t i = 0; i < n * n; ++i) {
        pixels[(particle.y + i / n) * width + particle.x + i % n] +=
            static_cast<float>(14 * image[i]);
      }
    }
    image_file(at_, "m.npy", {.samples = pixels, .height = height, .width = width});
    image_file(at_, "v.npy",
               {.samples = volume(), .n_images = n, .height = n, .width = n, .is_stack = true});
  }

  static words search(const words& more) {
    words arguments{
        "match-volume", "m.npy",        "v.npy", "--pixel-size",    "3",   "--defocus",
        "9000",         "--theta-step", "30",    "--defocus-range", "900", "--defocus-step",
        "900",          "--device",     "host",  "--no-whitening"};
    if (std::ranges::find(more, "--psi-step") == more.end()) {
      arguments.insert(arguments.end(), {"--psi-step", "30"});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  finished run(const words& more) const {
    finished done = at_.run(search(more));
    EXPECT_EQ(done.code, 0) << done.err;
    return done;
  }
  void expect_refusal(const words& more, const std::string& reason) const {
    const finished done = at_.run(search(more));
    EXPECT_EQ(done.code, 2) << reason;
    EXPECT_THAT(done.err, HasSubstr(reason));
  }

  workplace at_;
};

std::vector<std::vector<std::string>> cells_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines{csv};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream{line};
    rows.emplace_back();
    for (std::string cell; std::getline(stream, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

/// So few templates are alike: z, which compares them, says less here than the largest score.
TEST_F(match_volume, finds_planted_particles_at_their_orientation_and_defocus) {
  const finished done = run({"--csv", "f.csv", "--star", "f.star", "--maps", "map", "--z", "z.npy",
                             "--top", "2", "--threshold", "3"});
  const auto z = images_in(at_, "z.npy");
  const auto value = [&](const std::string& name, std::size_t place) {
    return formats::sample_at(images_in(at_, "map_" + name + ".mrc").samples, place);
  };
  double largest = 0;
  for (std::size_t i = 0; i < z.height * z.width; ++i) {
    largest = std::max(largest, formats::sample_at(z.samples, i));
  }
  for (const planted& particle : all_planted) {
    const std::size_t place = particle.y * z.width + particle.x;
    const double mip = value("mip", place);
    EXPECT_GT(mip, 15);
    for (const std::size_t beside : {place - 1, place + 1, place - z.width, place + z.width}) {
      EXPECT_GT(mip, value("mip", beside));
    }
    EXPECT_NEAR(value("orientation_phi", place), particle.angles.phi, 1e-3);
    EXPECT_NEAR(value("orientation_theta", place), particle.angles.theta, 1e-3);
    EXPECT_NEAR(value("orientation_psi", place), particle.angles.psi, 1e-3);
    EXPECT_EQ(value("relative_defocus", place), particle.relative_defocus);
    EXPECT_NEAR(value("scaled_mip", place),
                (mip - value("correlation_average", place)) / value("correlation_variance", place),
                1e-5);
    EXPECT_NEAR(value("scaled_mip", place), formats::sample_at(z.samples, place), 1e-6);
  }
  const auto rows = cells_of(at_.folder().read("f.csv"));
  ASSERT_EQ(rows.size(), 3);
  const auto cell = [&](const std::string& name) {
    const auto column = std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin();
    return std::stod(rows[1].at(static_cast<std::size_t>(column)));
  };
  EXPECT_NEAR(cell("scaled_mip"), largest, 1e-5);
  const auto place =
      static_cast<std::size_t>(cell("pos_y")) * z.width + static_cast<std::size_t>(cell("pos_x"));
  EXPECT_NEAR(formats::sample_at(z.samples, place), largest, 1e-5);
  EXPECT_NEAR(cell("psi"), value("orientation_psi", place), 1e-3);
  EXPECT_NEAR(cell("mip"), value("mip", place), 1e-5);
  EXPECT_EQ(cell("pos_x_img"), cell("pos_x") + n / 2);
  EXPECT_THAT(at_.folder().read("f.star"), HasSubstr("_rlnAnglePsi"));
  EXPECT_THAT(done.out, HasSubstr("theta"));
}

/// That a refinement finds the truth is shown beside the library.
TEST_F(match_volume, refines_particles) {
  run({"--refine", "--csv", "f.csv", "--star", "f.star", "--threshold", "3", "--top", "3"});
  const auto rows = cells_of(at_.folder().read("f.csv"));
  ASSERT_EQ(rows.size(), 4);
  const std::string star = at_.folder().read("f.star");
  for (std::size_t row = 1; row < rows.size(); ++row) {
    const auto cell = [&](const std::string& name) {
      const auto column = std::ranges::find(rows[0], name) - rows[0].begin();
      return rows[row].at(static_cast<std::size_t>(column));
    };
    EXPECT_GT(std::stod(cell("refined_scaled_mip")), std::stod(cell("scaled_mip")) - 0.05);
    EXPECT_NEAR(std::stod(cell("refined_pos_x")), std::stod(cell("pos_x")), 16);
    EXPECT_NEAR(std::stod(cell("refined_relative_defocus")), std::stod(cell("relative_defocus")),
                900 * 1.2);
    std::string line = "m.npy";
    for (const char* const name : {"refined_pos_x_img", "refined_pos_y_img", "refined_phi",
                                   "refined_theta", "refined_psi"}) {
      line += " " + cell(name);
    }
    EXPECT_THAT(star, HasSubstr(line));
  }
}

TEST_F(match_volume, has_refined_columns_also_without_particles) {
  run({"--refine", "--csv", "none.csv", "--threshold", "1000"});
  EXPECT_THAT(at_.folder().read("none.csv"), HasSubstr("refined_"));
}

TEST_F(match_volume, lists_all_scores_above_a_threshold) {
  const finished done = run({"--table", "t.csv", "--table-threshold", "4", "--maps", "map"});
  const auto rows = cells_of(at_.folder().read("t.csv"));
  EXPECT_THAT(done.err, HasSubstr("wrote t.csv: " + std::to_string(rows.size() - 1) + " scores"));
  const auto mip = images_in(at_, "map_mip.mrc"), psi = images_in(at_, "map_orientation_psi.mrc"),
             offset = images_in(at_, "map_relative_defocus.mrc");
  std::vector<double> largest(mip.height * mip.width);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto place = std::stoul(rows[i].at(2)) * mip.width + std::stoul(rows[i].at(1));
    const double score = std::stof(rows[i].at(7));
    EXPECT_GT(score, 4);
    if (score != formats::sample_at(mip.samples, place)) {
      EXPECT_LT(score, formats::sample_at(mip.samples, place));
      continue;
    }
    largest[place] = score;
    EXPECT_NEAR(std::stod(rows[i].at(5)), formats::sample_at(psi.samples, place), 1e-3);
    EXPECT_EQ(std::stod(rows[i].at(6)), formats::sample_at(offset.samples, place));
  }
  for (std::size_t i = 0; i < largest.size(); ++i) {
    const double score = formats::sample_at(mip.samples, i);
    EXPECT_EQ(largest[i], score > 4 ? score : 0) << i;
  }
}

TEST_F(match_volume, counts_all_scores_also_of_parts) {
  run({"--histogram", "h.csv"});
  const auto rows = cells_of(at_.folder().read("h.csv"));
  ASSERT_EQ(rows.size(), 513);
  std::size_t total = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) total += std::stoul(rows[i].at(2));
  EXPECT_EQ(total, 552 * 3 * (height - n + 1) * (width - n + 1));
  for (const std::string part : {"0", "1"}) {
    run({"--state", "h" + part, "--shard", part + "/2", "--histogram", "none.csv"});
  }
  run({"--merge", "h1,h0", "--histogram", "merged.csv"});
  EXPECT_EQ(at_.folder().read("merged.csv"), at_.folder().read("h.csv"));
  run({"--state", "s0", "--shard", "0/2"});
  expect_refusal({"--merge", "s0,h1"}, "one of them without a histogram");
  run({"--state", "s"});
  expect_refusal({"--merge", "s", "--histogram", "x.csv"}, "search with --histogram");
}

TEST_F(match_volume, writes_maps_and_particles_into_one_file) {
  if (!formats::has_hdf5_library()) GTEST_SKIP() << "this build has no libhdf5";
  const auto numbers_of = [&](const std::string& dataset) {
    return formats::read_signal((at_.folder().path() / "o.h5").string() + ":/" + dataset).samples;
  };
  run({"--hdf5", "o.h5", "--csv", "f.csv", "--maps", "map", "--threshold", "3"});
  const auto rows = cells_of(at_.folder().read("f.csv"));
  ASSERT_GT(rows.size(), 1);
  for (const std::string name : {"mip", "orientation_theta", "correlation_variance"}) {
    const auto map = images_in(at_, "map_" + name + ".mrc");
    const std::string dataset = (at_.folder().path() / "o.h5").string() + ":/tensors/" + name;
    const formats::hdf5_dataset found{formats::byte_source{dataset, std::size_t{1} << 30}};
    ASSERT_EQ(found.lengths(), (std::vector{map.height, map.width}));
    std::vector<double> values(map.height * map.width);
    found.read(std::vector<std::size_t>(2), found.lengths(), values);
    EXPECT_EQ(values, formats::to_doubles(map.samples)) << name;
    const char* const total[] = {"total_defocus"};
    EXPECT_EQ(found.attribute(total), 3);
  }
  for (std::size_t column = 0; column < rows[0].size(); ++column) {
    if (rows[0][column] != "theta" && rows[0][column] != "pos_x") continue;
    const auto values = numbers_of("particles/" + rows[0][column]);
    ASSERT_EQ(values.size(), rows.size() - 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i].real(), std::stod(rows[i + 1][column]), 1e-3);
    }
  }
  run({"--hdf5", "none.h5", "--threshold", "1000"});
}

TEST_F(match_volume, goes_on_and_merges_to_the_same_bytes) {
  run({"--state", "whole", "--maps", "a"});
  EXPECT_THAT(run({"--state", "cut", "--shard", "1/3", "--csv", "cut.csv"}).err,
              HasSubstr("are written by --merge"));
  EXPECT_NE(at_.folder().read("cut"), at_.folder().read("whole"));
  EXPECT_THAT(run({"--state", "cut", "--maps", "b", "--every", "0"}).err,
              HasSubstr("continues cut"));
  EXPECT_EQ(at_.folder().read("cut"), at_.folder().read("whole"));
  words parts;
  for (const std::string part : {"2", "0", "1"})
    run({"--state", "p" + part, "--shard", part + "/3"});
  run({"--merge", "p1,p2,p0", "--maps", "c"});
  for (const std::string name : {"mip", "scaled_mip", "orientation_phi", "relative_defocus",
                                 "correlation_average", "correlation_variance"}) {
    const std::string expected = at_.folder().read("a_" + name + ".mrc");
    EXPECT_EQ(at_.folder().read("b_" + name + ".mrc"), expected) << name;
    EXPECT_EQ(at_.folder().read("c_" + name + ".mrc"), expected) << name;
  }
  expect_refusal({"--merge", "p1,p0"}, "in none of the parts");
  expect_refusal({"--merge", "p1,p1"}, "give every part once");
  for (const words& other :
       {words{"--cs", "2"}, words{"--zernikes", "Z44c=1000"},
        words{"--magnification", "1,0,0,1.01"}, words{"--high-cutoff", "0.4"}}) {
    words arguments{"--state", "cut"};
    arguments.insert(arguments.end(), other.begin(), other.end());
    expect_refusal(arguments, "different searches, of different");
  }
  expect_refusal({"--state", "cut", "--histogram", "h.csv"}, "keeps no histogram");
}

TEST_F(match_volume, replaces_no_file_of_its_own) {
  expect_refusal({"--state", "s_mip.mrc", "--maps", "s"}, "both write s_mip.mrc");
  expect_refusal({"--z", "s_scaled_mip.mrc", "--maps", "s"}, "both write s_scaled_mip.mrc");
  image_file(at_, "q_mip.mrc", {.samples = volume(), .height = n * n, .width = n});
  const std::string before = at_.folder().read("q_mip.mrc");
  const finished done = at_.run({"match-volume", "q_mip.mrc", "v.npy", "--pixel-size", "3",
                                 "--defocus", "9000", "--maps", "q"});
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.err, HasSubstr("MICROGRAPH q_mip.mrc is an input, and --maps"));
  EXPECT_EQ(at_.folder().read("q_mip.mrc"), before);
  const finished nowhere = at_.run(search({"--maps", "nowhere/x"}));
  EXPECT_EQ(nowhere.code, 4);
  EXPECT_THAT(nowhere.err, HasSubstr("nowhere/x_mip.mrc"));
  EXPECT_THAT(nowhere.err, ::testing::Not(HasSubstr("searching")));
}

TEST_F(match_volume, refuses_what_it_cannot_do) {
  expect_refusal({"--shard", "0/2"}, "add --state FILE");
  expect_refusal({"--merge", "a,b", "--state", "c"}, "leave out --state");
  expect_refusal({"--picture", "x.jpg"}, "must end in .png");
  expect_refusal({"--symmetry", "Q"}, "Q");
  expect_refusal({"--table-threshold", "5"}, "add --table FILE");
  expect_refusal({"--table", "t.csv", "--state", "s"}, "leave out one of the two");
  expect_refusal({"--every", "5"}, "add --state FILE");
  expect_refusal({"--threshold", "3", "--false-positives", "4"}, "leave out one of the two");
  expect_refusal({"--zernikes", "Z44c"}, "give NAME=NUMBER");
  expect_refusal({"--zernikes", "Z44c=1,Z44c=2"}, "Z44c twice");
  expect_refusal({"--max-device-memory", "0.000001"}, "one orientation at a time takes");
  const auto code_of = [&](const words& arguments, const std::string& reason) {
    const finished done = at_.run(arguments);
    EXPECT_THAT(done.err, HasSubstr(reason));
    return done.code;
  };
  EXPECT_EQ(code_of({"match-volume", "m.npy", "v.npy", "--defocus", "1"}, "add --pixel-size"), 2);
  EXPECT_EQ(
      code_of({"match-volume", "m.npy", "m.npy", "--defocus", "1", "--pixel-size", "3"}, "cube"),
      2);
  EXPECT_EQ(code_of({"match-volume", "m.npy", "v.npy", "--defocus", "1,2,3", "--pixel-size", "3"},
                    "give U or U,V"),
            2);
}

}  // namespace
