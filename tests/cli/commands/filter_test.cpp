// SPDX-License-Identifier: Apache-2.0
// Label: cli
// `wingbeat filter` against sums by definition: modes, complex samples, rows, recordings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>  // int16_t
#include <string>
#include <tuple>
#include <vector>

#include "cli/images.hpp"                // expect_refusal
#include "cli/program.hpp"               // workplace
#include "convolving/direct_sum.hpp"     // direct_sum
#include "formats/files/npy_header.hpp"  // npy_prefix
#include "formats/signals/signal.hpp"    // read_signal, write_signal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

/// Returns rows of whole numbers from -4 to 5.
formats::signal random_rows(std::size_t n_rows, std::size_t length, bool is_real, unsigned seed) {
  std::minstd_rand bits{seed};
  const auto number = [&] { return static_cast<double>(bits() / 64 % 10) - 4; };
  formats::signal rows{
      .n_rows = n_rows, .row_length = length, .is_real = is_real, .is_single_precision = true};
  for (std::size_t i = 0; i < n_rows * length; ++i) {
    const double re = number();
    rows.samples.emplace_back(re, is_real ? 0 : number());
  }
  return rows;
}

std::string signal_file(const workplace& place, const std::string& name,
                        const formats::signal& rows) {
  formats::write_signal(place.folder().path() / name, rows);
  return name;
}

exact_map row_of(const formats::signal& rows, std::size_t row) {
  const auto first = rows.samples.begin() + static_cast<std::ptrdiff_t>(row * rows.row_length);
  return {first, first + static_cast<std::ptrdiff_t>(rows.row_length)};
}

/// Expects each row of `actual` to be the convolution of the rows with the taps, or their only row.
void expect_sums(const formats::signal& actual, const formats::signal& signal,
                 const formats::signal& taps, extent mode, double tolerance) {
  ASSERT_EQ(actual.n_rows, signal.n_rows);
  for (std::size_t row = 0; row < signal.n_rows; ++row) {
    const auto expected = direct_sum(row_of(signal, row), {signal.row_length},
                                     row_of(taps, taps.n_rows > 1 ? row : 0), {taps.row_length},
                                     operation::convolve, mode);
    ASSERT_EQ(actual.row_length, expected.size());
    const auto values = row_of(actual, row);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(std::abs(values[i] - expected[i]), 0, tolerance) << "row " << row << ", " << i;
    }
  }
}

formats::signal filtered(const workplace& place, const words& arguments,
                         const std::string& output) {
  words command{"filter"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), {"-o", output});
  const finished run = place.run(command);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  if (run.code != 0) return {};
  EXPECT_THAT(run.err, HasSubstr("wrote " + output));
  return formats::read_signal(place.folder().path() / output);
}

TEST(filter, takes_modes_and_complex_samples_in_both_precisions) {
  const workplace place;
  for (const bool is_real : {true, false}) {
    for (const bool has_real_taps : {true, false}) {
      const auto signal = random_rows(1, 37, is_real, 1),
                 taps = random_rows(1, 6, has_real_taps, 2);
      signal_file(place, "x.txt", signal);
      signal_file(place, "t.npy", taps);
      for (const auto& [name, mode] :
           {std::pair{"full", extent::full}, {"same", extent::same}, {"valid", extent::valid}}) {
        for (const auto& [precision, tolerance] : {std::pair{"fp32", 1e-4}, {"fp64", 1e-12}}) {
          const auto result = filtered(
              place, {"x.txt", "t.npy", "--mode", name, "--precision", precision}, "y.npy");
          EXPECT_EQ(result.is_real, is_real && has_real_taps);
          EXPECT_EQ(result.is_single_precision, precision == std::string{"fp32"});
          expect_sums(result, signal, taps, mode, tolerance);
        }
      }
    }
  }
}

TEST(filter, is_full_unless_told_otherwise_and_longer_than_the_signal) {
  const workplace place;
  const auto signal = random_rows(1, 3, true, 1), taps = random_rows(1, 8, true, 2);
  signal_file(place, "x.txt", signal);
  signal_file(place, "t.txt", taps);
  expect_sums(filtered(place, {"x.txt", "t.txt"}, "y.txt"), signal, taps, extent::full, 1e-4);
}

TEST(filter, takes_rows_each_by_itself) {
  const workplace place;
  const auto signal = random_rows(3, 20, true, 1);
  signal_file(place, "x.npy", signal);
  for (const std::size_t n_rows : {1U, 3U}) {
    const auto taps = random_rows(n_rows, 5, true, 2);
    signal_file(place, "t.npy", taps);
    for (const std::string engine : {"host", "reference"}) {
      expect_sums(
          filtered(place, {"x.npy", "t.npy", "--mode", "same", "--engine", engine}, "y.npy"),
          signal, taps, extent::same, 1e-4);
    }
  }
  signal_file(place, "two.npy", random_rows(2, 5, true, 2));
  expect_refusal(place, {"filter", "x.npy", "two.npy", "-o", "z.npy"}, 2,
                 "as many rows as the signal");
}

TEST(filter, takes_all_channels_of_a_recording_and_writes_one) {
  const workplace place;
  auto signal = random_rows(2, 30, true, 1);
  signal.sample_rate_hz = 48000;
  signal_file(place, "x.wav", signal);
  const auto taps = random_rows(1, 4, true, 2);
  signal_file(place, "t.txt", taps);

  expect_sums(filtered(place, {"x.wav", "t.txt", "--mode", "same"}, "y.npy"), signal, taps,
              extent::same, 1e-4);
  const auto written = filtered(place, {"x.wav", "t.txt", "--mode", "same"}, "y.wav");
  EXPECT_EQ(written.n_channels, 2U);
  EXPECT_EQ(written.sample_rate_hz, 48000);
  for (const std::size_t channel : {0U, 1U}) {
    const std::string number = std::to_string(channel);
    const auto only = filtered(place, {"x.wav", "t.txt", "--channel", number}, "y.npy");
    auto row = signal;
    row.n_rows = 1;
    row.samples = {signal.samples.begin() + static_cast<std::ptrdiff_t>(30 * channel),
                   signal.samples.begin() + static_cast<std::ptrdiff_t>(30 * channel + 30)};
    expect_sums(only, row, taps, extent::full, 1e-4);
  }
}

/// Writes a .npy array of int16.
void int16_file(const workplace& place, const std::string& name,
                const std::vector<std::int16_t>& samples) {
  std::string content = formats::npy_prefix("<i2", {samples.size()});
  content.append(reinterpret_cast<const char*>(samples.data()), samples.size() * 2);
  place.file(name, content);
}

TEST(filter, takes_integers_as_real_numbers) {
  const workplace place;
  int16_file(place, "x.npy", {32767, -32768, 5, 0, -1});
  int16_file(place, "t.npy", {2, -1});
  for (const std::string precision : {"fp32", "fp64"}) {
    const auto result = filtered(place, {"x.npy", "t.npy", "--precision", precision}, "y.npy");
    EXPECT_TRUE(result.is_real);
    EXPECT_EQ(result.is_single_precision, precision == "fp32");
    const std::vector<double> expected{65534, -98303, 32778, -5, -2, 1};
    ASSERT_EQ(result.samples.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(result.samples[i].real(), expected[i], precision == "fp32" ? 0.05 : 1e-9) << i;
    }
  }
}

TEST(filter, cuts_rows_that_are_longer_than_a_piece) {
  const workplace place;
  constexpr std::size_t piece = std::size_t{1} << 22, length = piece + 1000;
  std::vector<std::int16_t> samples(length);
  std::minstd_rand bits{7};
  for (auto& sample : samples) sample = static_cast<std::int16_t>(bits() % 21) - 10;
  int16_file(place, "x.npy", samples);
  const std::vector<std::int16_t> taps{3, -2, 1, 5};
  int16_file(place, "t.npy", taps);
  for (const auto& [mode, first, count] :
       {std::tuple{"full", 0, length + 3}, {"same", 1, length}, {"valid", 3, length - 3}}) {
    const auto result =
        filtered(place, {"x.npy", "t.npy", "--mode", mode, "--engine", "host"}, "y.npy");
    ASSERT_EQ(result.samples.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      double expected = 0;
      for (std::size_t j = 0; j < taps.size(); ++j) {
        const std::size_t n = i + static_cast<std::size_t>(first) - j;  // wraps below 0
        if (n < length) expected += taps[j] * samples[n];
      }
      ASSERT_NEAR(result.samples[i].real(), expected, 1e-3) << mode << ", " << i;
    }
  }
}

TEST(filter, takes_every_channel_of_a_pipe) {
  const workplace place;
  auto recording = random_rows(2, 500, true, 3);
  recording.sample_rate_hz = 8000;
  signal_file(place, "x.wav", recording);
  place.file("t.txt", "1\n2\n-1\n");
  const std::string wav = place.folder().read("x.wav");
  const auto expected = filtered(place, {"x.wav", "t.txt"}, "y.npy");
  EXPECT_EQ(expected.n_rows, 2U);
  for (const std::string input : {"-", "/dev/stdin"}) {
    const finished run = run_with_stdin(place, {"filter", input, "t.txt", "-o", "z.npy"}, wav);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(place.folder().read("z.npy"), place.folder().read("y.npy"));
  }
}

TEST(filter, writes_text_to_stdout) {
  const workplace place;
  place.file("t.txt", "1\n2\n");
  for (const std::string output : {"-", "/dev/stdout"}) {
    const finished run = run_with_stdin(
        place, {"filter", "-", "t.txt", "--mode", "same", "-o", output}, "1\n2\n3\n");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.out, "1\n4\n7\n");
  }
  EXPECT_EQ(place.folder().n_files(), 1);
}

TEST(filter, shows_a_bar_on_a_terminal_alone) {
  const workplace place;
  signal_file(place, "x.npy", random_rows(3, 40, true, 1));
  place.file("t.txt", "1\n2\n");
  const words arguments{"filter", "x.npy", "t.txt", "-o", "y.npy"};
  const finished shown = place.run_on_terminal(arguments);
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(shown.err, HasSubstr("filter [...")) << "a bar";
  EXPECT_THAT(shown.err, HasSubstr("0 samples"));
  EXPECT_THAT(shown.err, HasSubstr("wrote y.npy: 3 rows of 41 samples"));
  EXPECT_THAT(place.run(arguments).err, ::testing::Not(HasSubstr("filter [")));
}

TEST(filter, takes_recordings_block_by_block) {
  const workplace place;
  auto signal = random_rows(2, 150001, true, 1);  // more than two blocks
  signal.sample_rate_hz = 8000;
  signal_file(place, "x.wav", signal);
  for (const std::size_t n_rows : {1, 2}) {
    const auto taps = random_rows(n_rows, 6, true, 2);
    signal_file(place, "t.npy", taps);
    for (const auto& [name, mode] :
         {std::pair{"full", extent::full}, {"same", extent::same}, {"valid", extent::valid}}) {
      for (const std::string precision : {"fp32", "fp64"}) {
        const finished run = place.run(
            {"filter", "x.wav", "t.npy", "--mode", name, "-o", "y.wav", "--precision", precision});
        ASSERT_EQ(run.code, 0) << run.err;
        formats::signal result;
        for (std::size_t c = 0; c < 2; ++c) {
          const auto row = formats::read_signal(place.folder().path() / "y.wav", {.channel = c});
          EXPECT_EQ(row.n_channels, 2U);
          result.row_length = row.row_length;
          result.samples.insert(result.samples.end(), row.samples.begin(), row.samples.end());
        }
        result.n_rows = 2;
        expect_sums(result, signal, taps, mode, 1e-4);
      }
    }
  }
  const finished single_channel =
      place.run({"filter", "x.wav", "t.npy", "--channel", "1", "-o", "y.wav"});
  EXPECT_THAT(single_channel.err, HasSubstr("2 rows of taps and x.wav 1 row"));
  EXPECT_THAT(place.run({"filter", "x.wav", "t.npy", "--channel", "2", "-o", "y.wav"}).err,
              HasSubstr("x.wav has no channel 2"));
}

TEST(filter, refuses_in_a_sentence_and_writes_nothing) {
  const workplace place;
  place.file("x.txt", "1\n2\n3\n");
  place.file("t.txt", "1\n2\n3\n4\n");
  place.file("complex.txt", "1 2\n3 4\n");
  place.file("nan.txt", "1\nnan\n");
  place.file("large.txt", "3e38\n3e38\n");
  place.file("small.txt", "1e-60\n0\n");
  for (const auto& [arguments, code, sentence] : std::vector<std::tuple<words, int, std::string>>{
           {{"x.txt"}, 2, "TAPS is required"},
           {{"x.txt", "t.txt"}, 2, "--output is required"},
           {{"x.txt", "t.txt", "-o", "y.mp3"}, 2, "must end in"},
           {{"x.txt", "t.txt", "-o", "y.txt", "--mode", "valid"}, 2, "do not lie within"},
           {{"x.txt", "t.txt", "-o", "y.txt", "--mode", "half"},
            2,
            "--mode is 'half'; choose full"},
           {{"x.txt", "t.txt", "-o", "y.wav"}, 2, "x.txt has no sample rate, which y.wav must"},
           {{"complex.txt", "t.txt", "-o", "y.wav"}, 2, "is complex, because complex.txt is"},
           {{"x.txt", "complex.txt", "-o", "y.wav"}, 2, "is complex, because complex.txt is"},
           {{"x.txt", "t.txt", "-o", "y.png"}, 2, "must end in .txt, .csv, .npy, .wav"},
           {{"large.txt", "t.txt", "-o", "y.txt"}, 2, "exceeds the range of fp32"},
           {{"small.txt", "t.txt", "-o", "y.txt"}, 2, "all results are below 1.18e-38"},
           {{"x.txt", "none.txt", "-o", "y.txt"}, 4, "none.txt"},
           {{"x.txt", "nan.txt", "-o", "y.txt"}, 4, "nan.txt"},
           {{"x.txt", "t.txt", "-o", "no/y.txt"}, 4, "no/y.txt"}}) {
    SCOPED_TRACE(sentence);
    words command{"filter"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    expect_refusal(place, command, code, sentence);
  }
}

}  // namespace
