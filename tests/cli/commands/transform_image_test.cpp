// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// `transform --axes 2`: images and 2D arrays there and back, against the definition of both axes;
// and recordings out of `transform`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "cli/transform_runs.hpp"      // noise_rows, transform_runs
#include "formats/charts/chart.hpp"    // draws_charts
#include "formats/images/image.hpp"    // write_images
#include "formats/signals/signal.hpp"  // read_signal, write_signal
#include "support/oracle.hpp"          // dft, relative_l2

namespace {

using namespace wingbeat::test;
using ::testing::HasSubstr;
using namespace wingbeat::formats;
using samples = std::vector<std::complex<double>>;
using file_signal = wingbeat::formats::signal;

file_signal noise(std::size_t height, std::size_t width, bool is_real) {
  file_signal image = noise_rows(height, width, is_real, /*seed=*/3);
  image.is_table = true;
  return image;
}

/// Returns the transform over both axes, padded with zeros.
samples spectrum_of(const file_signal& image, std::size_t height, std::size_t width) {
  samples result(height * width);
  for (std::size_t y = 0; y < image.n_rows; ++y) {
    samples row(width);
    for (std::size_t x = 0; x < image.row_length; ++x) {
      row[x] = image.samples[y * image.row_length + x];
    }
    const auto bins = dft(row, direction::forward);
    for (std::size_t x = 0; x < width; ++x) {
      result[y * width + x] = std::complex<double>(bins[x]);
    }
  }
  for (std::size_t x = 0; x < width; ++x) {
    samples column(height);
    for (std::size_t y = 0; y < height; ++y) column[y] = result[y * width + x];
    const auto bins = dft(column, direction::forward);
    for (std::size_t y = 0; y < height; ++y) {
      result[y * width + x] = std::complex<double>(bins[y]);
    }
  }
  return result;
}

samples samples_between(const std::vector<float>& numbers, std::size_t begin, std::size_t end) {
  return {numbers.begin() + static_cast<std::ptrdiff_t>(begin),
          numbers.begin() + static_cast<std::ptrdiff_t>(end)};
}

using transform_image = transform_runs;

TEST_F(transform_image, every_engine_transforms_both_axes_and_back) {
  const auto devices = json_of(at_.run({"devices", "--json"}));
  for (const bool is_real : {true, false}) {
    const file_signal in = noise(12, 15, is_real);
    write_signal(path("in.npy"), in);
    for (const auto& device : devices["devices"]) {
      const std::string engine = device["engine"];
      run({"in.npy", "--axes", "2", "--output", "out.npy", "--engine", engine, "--pad", "none"});
      const file_signal got = read_signal(path("out.npy"));
      ASSERT_EQ(got.n_rows, 12U);
      EXPECT_LE(relative_l2(got.samples, spectrum_of(in, 12, 15)), 3e-7) << engine;
      run({"out.npy", "--axes", "2", "--inverse", "--output", "back.npy", "--engine", engine});
      EXPECT_LE(relative_l2(read_signal(path("back.npy")).samples, in.samples), 3e-7) << engine;
    }
  }
}

TEST_F(transform_image, halves_and_padding) {
  const file_signal in = noise(17, 20, true);
  write_signal(path("in.npy"), in);
  const finished forward = run({"in.npy", "--axes", "2", "--half", "--output", "half.npy",
                                "--engine", "host", "--pad", "good"});
  EXPECT_THAT(forward.err, HasSubstr("17 x 20 padded with zeros to 18 x 20"));
  const samples whole = spectrum_of(in, 18, 20);
  const file_signal half = read_signal(path("half.npy"));
  ASSERT_EQ(half.row_length, 11U);
  for (std::size_t y = 0; y < 18; ++y) {
    for (std::size_t x = 0; x < 11; ++x) {
      EXPECT_LE(std::abs(half.samples[y * 11 + x] - whole[y * 20 + x]), 1e-5);
    }
  }
  run({"half.npy", "--axes", "2", "--half", "--inverse", "--output", "back.npy"});
  const file_signal back = read_signal(path("back.npy"));
  EXPECT_TRUE(back.is_real);
  ASSERT_EQ(back.samples.size(), 18U * 20);
  EXPECT_LE(relative_l2(samples(back.samples.begin(), back.samples.begin() + 17 * 20), in.samples),
            3e-7);
}

TEST_F(transform_image, takes_images_as_grey_and_draws_the_magnitude) {
  wingbeat::formats::image_stack image{.n_images = 1, .height = 8, .width = 16};
  image.samples = std::vector<float>(128, 2);
  wingbeat::formats::write_images(path("in.tif"), image);
  std::vector<std::string> words{"in.tif", "--axes", "2", "--output", "out.npy"};
  if (draws_charts()) words.insert(words.end(), {"--plot", "out.png"});
  run(words);
  EXPECT_NEAR(read_signal(path("out.npy")).samples[0].real(), 256, 1e-4);
  EXPECT_NEAR(std::abs(read_signal(path("out.npy")).samples[17]), 0, 1e-4);
  if (draws_charts()) EXPECT_EQ(at_.folder().read("out.png").substr(1, 3), "PNG");
  image.n_images = 2;
  image.samples = std::vector<float>(256, 2);
  wingbeat::formats::write_images(path("in.tif"), image);
  EXPECT_THAT(run({"in.tif", "--axes", "2"}, 2).err, HasSubstr("holds 2 images"));
  EXPECT_THAT(run({"in.tif", "--axes", "2", "--frame", "2"}, 2).err, HasSubstr("has no image 2"));
  EXPECT_THAT(run({"in.tif", "--frame", "1"}, 2).err, HasSubstr("--frame is for --axes 2"));
  at_.file("row.txt", "1\n2\n3\n");
  EXPECT_THAT(run({"row.txt", "--axes", "2", "--frame", "0"}, 2).err, HasSubstr("drop --frame"));
  EXPECT_THAT(run({"row.txt", "--axes", "2"}, 4).err, HasSubstr("row.txt holds one row"));
  for (const std::string option : {"--top", "--channel", "--length", "--sample-rate"}) {
    EXPECT_THAT(run({"row.txt", "--axes", "2", option, "3"}, 2).err,
                HasSubstr(option + " is of no use with --axes 2"));
  }
}

TEST_F(transform_image, takes_one_image_of_a_stack) {
  wingbeat::formats::image_stack stack{.n_images = 3, .height = 4, .width = 5};
  std::vector<float> numbers(60);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * i % 17);
  stack.samples = numbers;
  const file_signal second{
      .samples = samples_between(numbers, 20, 40), .n_rows = 4, .row_length = 5, .is_table = true};
  for (const std::string name : {"in.mrc", "in.npy", "in.fits"}) {
    if (name == "in.fits" && !has_cfitsio()) continue;
    wingbeat::formats::write_images(path(name), stack);
    run({name, "--axes", "2", "--frame", "1", "--engine", "host", "--output", "out.npy"});
    EXPECT_LE(relative_l2(read_signal(path("out.npy")).samples, spectrum_of(second, 4, 5)), 3e-7)
        << name;
  }
}

TEST_F(transform_image, takes_complex_images) {
  // MRC's mode 4, of 3 columns and 2 rows.
  std::string file(1024, '\0');
  file[0] = 3;
  file[4] = 2;
  file[8] = 1;
  file[12] = 4;
  file.replace(208, 6, "MAP DD");
  const file_signal image = noise(2, 3, false);
  for (const auto& sample : image.samples) {
    for (const double part : {sample.real(), sample.imag()}) {
      const float number = static_cast<float>(part);
      file.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
  }
  at_.file("in.mrc", file);
  run({"in.mrc", "--axes", "2", "--engine", "host", "--output", "out.npy"});
  EXPECT_LE(relative_l2(read_signal(path("out.npy")).samples, spectrum_of(image, 2, 3)), 3e-7);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"match", "in.mrc", "in.mrc"},
        {"convolve", "in.mrc", "in.mrc", "-o", "out.npy"}}) {
    EXPECT_THAT(at_.run(command).err, HasSubstr("its samples are complex"));
  }
}

TEST_F(transform_image, is_drawn_against_angstrom_where_the_file_has_them) {
  if (!draws_charts()) GTEST_SKIP() << "this build draws no charts";
  wingbeat::formats::image_stack image{
      .samples = std::vector<float>{1, 2, 3, 4, 5, 6}, .height = 2, .width = 3};
  const auto drawn = [&](double pixel_angstrom) {
    image.pixel_angstrom = {.z = 0, .y = pixel_angstrom, .x = pixel_angstrom};
    static_cast<void>(wingbeat::formats::write_images(path("in.mrc"), image));
    run({"in.mrc", "--axes", "2", "--engine", "host", "--plot", "out.png"});
    return at_.folder().read("out.png");
  };
  EXPECT_TRUE(drawn(0) == drawn(0));
  EXPECT_FALSE(drawn(0) == drawn(1)) << "cycles/pixel and 1/angstrom";
  EXPECT_FALSE(drawn(2) == drawn(1));
}

TEST_F(transform_image, may_have_one_row) {
  const file_signal row = noise(1, 5, true);
  write_signal(path("row.npy"), row);
  run({"row.npy", "--axes", "2", "--engine", "host", "--output", "out.npy"});
  std::complex<double> sum = 0;
  for (const auto& sample : row.samples) sum += sample;
  EXPECT_NEAR(read_signal(path("out.npy")).samples[0].real(), sum.real(), 1e-5);
}

TEST_F(transform_image, csv_goes_there_and_back) {
  const file_signal in = noise(3, 20, true);
  write_signal(path("in.csv"), in);
  run({"in.csv", "--half", "--precision", "fp64", "--output", "half.csv"});
  run({"half.csv", "--half", "--inverse", "--precision", "fp64", "--output", "back.csv"});
  const file_signal back = read_signal(path("back.csv"));
  EXPECT_EQ(back.n_rows, 3U);
  EXPECT_LE(relative_l2(back.samples, in.samples), 1e-15);
}

TEST_F(transform_image, recordings_come_out_of_the_inverse) {
  const file_signal in = noise(2, 64, true);
  write_signal(path("in.npy"), in);
  run({"in.npy", "--half", "--output", "half.npy"});
  const finished back = run({"half.npy", "--half", "--inverse", "--scale", "none", "--sample-rate",
                             "8000", "--output", "back.wav"});
  EXPECT_THAT(back.err, HasSubstr("samples at 8000 Hz, unscaled and unclipped"));
  EXPECT_THAT(back.err, HasSubstr("exceed full scale, and players clip them"));
  for (const std::string channel : {"0", "1"}) {
    run({"back.wav", "--channel", channel, "--output", "again.npy"});
  }
  const file_signal second = read_signal(path("back.wav"), {.channel = 1});
  EXPECT_EQ(second.sample_rate_hz, 8000);
  EXPECT_EQ(second.n_channels, 2U);
  samples expected(in.samples.begin() + 64, in.samples.end());
  for (auto& sample : expected) sample *= 64;
  EXPECT_LE(relative_l2(second.samples, expected), 3e-7);
  EXPECT_THAT(run({"in.npy", "--output", "x.wav"}, 2).err, HasSubstr("--inverse --half makes"));
  EXPECT_THAT(run({"half.npy", "--inverse", "--half", "--output", "x.wav"}, 2).err,
              HasSubstr("give one by --sample-rate"));
}

}  // namespace
