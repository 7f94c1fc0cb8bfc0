// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// `wingbeat transform --kind`: transforms from reals to reals, and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>  // pi

#include "cli/transform_runs.hpp"      // noise_rows, transform_runs
#include "formats/signals/signal.hpp"  // read_signal, write_signal

namespace {

using namespace wingbeat::test;
using namespace wingbeat::formats;
using ::testing::HasSubstr;
using file_signal = wingbeat::formats::signal;
using transform_kinds = transform_runs;

void expect_near(const file_signal& got, const file_signal& expected, double bound) {
  ASSERT_EQ(got.n_rows, expected.n_rows);
  ASSERT_EQ(got.row_length, expected.row_length);
  EXPECT_TRUE(got.is_real);
  for (std::size_t i = 0; i < got.samples.size(); ++i) {
    EXPECT_NEAR(got.samples[i].real(), expected.samples[i].real(), bound) << i;
  }
}

TEST_F(transform_kinds, are_the_sums_that_define_them_and_are_undone) {
  const file_signal in = noise_rows(2, 30, true, 1);
  write_signal(path("in.npy"), in);
  run({"in.npy", "--kind", "dct2", "--precision", "fp64", "--output", "out.npy"});
  file_signal expected = in;
  for (std::size_t i = 0; i < 60; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 30; ++j) {
      sum += 2 * in.samples[i / 30 * 30 + j].real() *
             std::cos(std::numbers::pi * (static_cast<double>(j) + 0.5) *
                      static_cast<double>(i % 30) / 30);
    }
    expected.samples[i] = sum;
  }
  expect_near(read_signal(path("out.npy")), expected, 1e-12);
  run({"out.npy", "--kind", "dct2", "--inverse", "--precision", "fp64", "--output", "back.npy"});
  expect_near(read_signal(path("back.npy")), in, 1e-14);
}

TEST_F(transform_kinds, are_one_for_each_axis_of_an_image) {
  const file_signal in = noise_rows(6, 8, true, 2);
  write_signal(path("in.npy"), in);
  const finished got = run({"in.npy", "--axes", "2", "--kind", "dct1,dst2", "--scale",
                            "by_sqrt_length", "--orthogonalize", "--output", "out.npy"});
  EXPECT_THAT(got.out, HasSubstr("dct1 x dst2 of length 6 x 8"));
  run({"out.npy", "--axes", "2", "--kind", "dct1,dst2", "--inverse", "--scale", "by_sqrt_length",
       "--orthogonalize", "--output", "back.npy"});
  expect_near(read_signal(path("back.npy")), in, 1e-5);
}

TEST_F(transform_kinds, are_padded_to_lengths_that_are_quick_for_them) {
  write_signal(path("row.npy"), noise_rows(1, 37, true, 6));
  EXPECT_THAT(run({"row.npy", "--kind", "dct1", "--pad", "good", "--engine", "host"}).out,
              HasSubstr("of length 37"));  // 36 = 2^2 3^2
  EXPECT_THAT(run({"row.npy", "--kind", "dst1", "--pad", "good", "--engine", "host"}).err,
              HasSubstr("37 samples padded with 1 zero, for length 38"));  // 39 = 3 x 13
  write_signal(path("image.npy"), noise_rows(38, 38, true, 7));
  EXPECT_THAT(
      run({"image.npy", "--axes", "2", "--kind", "dct1,dst1", "--pad", "good", "--engine", "host"})
          .err,
      HasSubstr("38 x 38 padded with zeros to 40 x 38"));
}

TEST_F(transform_kinds, are_checked_by_a_sample_of_long_rows) {
  write_signal(path("in.npy"), noise_rows(1, 1 << 17, true, 3));
  const finished got = run({"in.npy", "--kind", "dst4", "--engine", "host"});
  EXPECT_THAT(got.out, HasSubstr("values against the definition"));
  EXPECT_THAT(got.out, HasSubstr("agrees"));
}

TEST_F(transform_kinds, refuse_what_is_of_spectra) {
  write_signal(path("in.npy"), noise_rows(1, 8, true, 4));
  EXPECT_THAT(run({"in.npy", "--kind", "dct2", "--half"}, 2).err,
              HasSubstr("--half is of no use with --kind; drop one"));
  EXPECT_THAT(run({"in.npy", "--kind", "r2c"}, 2).err, HasSubstr("--kind is r2c, which --inverse"));
  EXPECT_THAT(run({"in.npy", "--kind", "dct2,dct2"}, 2).err,
              HasSubstr("--kind has 2 kinds and --axes is 1"));
  EXPECT_THAT(run({"in.npy", "--orthogonalize"}, 2).err,
              HasSubstr("--orthogonalize is for --kind"));
  write_signal(path("complex.npy"), noise_rows(1, 8, false, 5));
  EXPECT_THAT(run({"complex.npy", "--kind", "dht"}, 2).err,
              HasSubstr("holds complex samples, and dht takes real ones"));
}

}  // namespace
