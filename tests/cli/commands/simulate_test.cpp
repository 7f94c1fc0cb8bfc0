// SPDX-License-Identifier: Apache-2.0
// Label: cli
// `wingbeat simulate`: the files it writes, read back, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // cos
#include <cstring>
#include <numbers>  // pi

#include "channelising/arithmetic/packed_samples.hpp"  // unpack_samples
#include "cli/program.hpp"                             // workplace
#include "formats/files/npy_header.hpp"                // take_npy_header
#include "formats/files/whole_file.hpp"                // read_whole_file

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using samples = std::vector<std::int16_t>;

samples npy_samples(const workplace& place, const std::string& name) {
  const auto content = formats::read_whole_file(place.folder().path() / name);
  std::span<const std::byte> rest = content;
  const auto header = formats::take_npy_header(rest, name);
  EXPECT_EQ(header.descr, "<i2");
  EXPECT_EQ(header.shape, std::vector<std::size_t>{rest.size() / 2});
  samples all(rest.size() / 2);
  std::memcpy(all.data(), rest.data(), rest.size());
  return all;
}

samples raw_samples(const workplace& place, const std::string& name, unsigned bits, std::size_t n) {
  const auto content = formats::read_whole_file(place.folder().path() / name);
  EXPECT_EQ(content.size(), channelising::packed_bytes(n, bits));
  samples all(n);
  channelising::unpack_samples(content, bits, 0, all);
  return all;
}

TEST(simulate, writes_a_tone) {
  const workplace place;
  const finished run = place.run({"simulate", "nodither(cw(0.5, 200e6))", "--adc-rate", "1600e6",
                                  "--samples", "1000", "--output", "tone.npy"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("wrote tone.npy: 1000 samples as int16, -6.0"));
  const samples x = npy_samples(place, "tone.npy");
  ASSERT_EQ(x.size(), 1000u);
  for (std::size_t t = 0; t < x.size(); ++t) {
    const double turns = static_cast<double>(t % 8) / 8;
    EXPECT_EQ(x[t], std::nearbyint(255.5 * std::cos(2 * std::numbers::pi * turns)));
  }
}

TEST(simulate, writes_the_same_samples_packed_and_as_numbers) {
  const workplace place;
  for (const unsigned bits : {2u, 3u, 10u, 12u, 16u}) {
    const std::string width = std::to_string(bits), raw = "x" + width + ".raw";
    for (const std::string& name : {raw, std::string("x.npy")}) {
      const finished run = place.run({"simulate", "wgn(0.4, 9)", "--adc-rate", "1e6", "--samples",
                                      "300007", "--sample-bits", width, "--seed", "5", "-o", name});
      ASSERT_EQ(run.code, 0) << run.err;
    }
    EXPECT_EQ(raw_samples(place, raw, bits, 300007), npy_samples(place, "x.npy")) << bits;
  }
}

TEST(simulate, writes_two_polarisations) {
  const workplace place;
  const finished run =
      place.run({"simulate", "nodither(wgn(0.1, 1))", "nodither(delay(wgn(0.1, 1), 234))",
                 "--adc-rate", "1712e6", "--samples", "4096", "-o", "a.raw,b.raw"});
  ASSERT_EQ(run.code, 0) << run.err;
  const samples a = raw_samples(place, "a.raw", 10, 4096),
                b = raw_samples(place, "b.raw", 10, 4096);
  for (std::size_t t = 0; t < a.size(); ++t) ASSERT_EQ(b[(t + 234) % 4096], a[t]);
}

TEST(simulate, writes_packed_samples_to_stdout) {
  const workplace place;
  const auto line = [](const std::string& output) {
    return std::vector<std::string>{"simulate",  "cw(0.5, 2e5)", "--adc-rate", "1e6",
                                    "--samples", "1000",         "--output",   output};
  };
  EXPECT_EQ(place.run(line("x.raw")).code, 0);
  const finished run = place.run(line("-"));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, place.folder().read("x.raw"));
}

TEST(simulate, refuses_in_one_sentence) {
  const workplace place;
  const auto why = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"simulate"};
    words.insert(words.end(), more.begin(), more.end());
    for (const char* word : {"--adc-rate", "1e6", "--samples", "100"}) words.emplace_back(word);
    const finished run = place.run(words);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_EQ(n_lines(run.err), 1u) << run.err;
    EXPECT_EQ(place.folder().n_files(), 0);
    return run.err;
  };
  EXPECT_THAT(why({"cw(1, 2", "-o", "x.raw"}), HasSubstr("signal 1, column 8: "));
  EXPECT_THAT(why({"1", "cw(1, 1e6)", "-o", "x.raw,y.raw"}), HasSubstr("signal 2, column 1: "));
  EXPECT_THAT(why({"1", "2", "3", "-o", "x.raw"}), HasSubstr("at most 2 polarisations"));
  EXPECT_THAT(why({"1", "-o", "x.raw,y.raw"}), HasSubstr("1 signal and 2 outputs are given"));
  EXPECT_THAT(why({"1", "2", "-o", "x.raw,x.raw"}), HasSubstr("both write x.raw"));
  EXPECT_THAT(why({"nodither(1)", "-o", "x.raw", "--seed", "3"}),
              HasSubstr("--seed is of the dither, and each signal is nodither(..)"));
  EXPECT_THAT(place.run({"simulate", "1", "-o", "x.raw"}).err, HasSubstr("--adc-rate"));
}

}  // namespace
