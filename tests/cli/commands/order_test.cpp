// SPDX-License-Identifier: Apache-2.0
// Label: cli
// `wingbeat order`: the two printed tables of Nabla's 16 points, the laws of longer ones read back
// from stdout, and what is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // sort
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"                       // workplace
#include "support/full_run.hpp"                  // is_full_run
#include "wingbeat/device/workgroup/advise.hpp"  // advised_elements

namespace {

using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using words = std::vector<std::string>;
using indices = std::vector<unsigned>;

words operator+(words a, const words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class order : public ::testing::Test {
 protected:
  // Runs `wingbeat order` and returns its values; the indices must count from 0.
  indices values(const words& arguments) const {
    const finished run = at_.run(words{"order"} + arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    std::istringstream lines(run.out);
    indices found;
    for (std::string line; std::getline(lines, line);) {
      unsigned value = 0;
      const std::string expected = fmt::format("{} ", found.size());
      EXPECT_THAT(line, StartsWith(expected));
      std::istringstream(line.substr(expected.size())) >> value;
      EXPECT_EQ(line, fmt::format("{} {}", found.size(), value));
      found.push_back(value);
    }
    return found;
  }

  void expect_laws(const words& arguments, unsigned length) const {
    const indices bins = values(arguments), places = values(arguments + words{"--inverse"});
    const indices mirrors = values(arguments + words{"--mirror"});
    const indices opposite = values(arguments + words{"--mirror", "--inverse"});
    ASSERT_EQ(bins.size(), length);
    ASSERT_EQ(places.size(), length);
    ASSERT_EQ(mirrors.size(), length);
    ASSERT_EQ(opposite.size(), length);
    for (unsigned i = 0; i < length; ++i) {
      ASSERT_LT(bins[i], length);
      EXPECT_EQ(places[bins[i]], i);
      EXPECT_EQ((bins[i] + bins.at(mirrors[i])) % length, 0u);
      EXPECT_EQ((i + opposite[i]) % length, 0u);
    }
  }

  workplace at_;
};

TEST_F(order, nabla_of_eight_threads) {
  const words options{"--order", "nabla", "--elements-log2", "1", "--workgroup-log2", "3"};
  const indices bins{0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15};
  EXPECT_EQ(values(options), bins);
  EXPECT_EQ(values(options + words{"--inverse"}), bins);
  EXPECT_EQ(values(options + words{"--mirror"}),
            (indices{0, 9, 11, 10, 15, 14, 13, 12, 8, 1, 3, 2, 7, 6, 5, 4}));
}

TEST_F(order, nabla_of_four_threads) {
  const words options{"--order", "nabla", "--elements-log2", "2", "--workgroup-log2", "2"};
  EXPECT_EQ(values(options), (indices{0, 4, 2, 6, 8, 12, 10, 14, 1, 5, 3, 7, 9, 13, 11, 15}));
  EXPECT_EQ(values(options + words{"--inverse"}),
            (indices{0, 8, 2, 10, 1, 9, 3, 11, 4, 12, 6, 14, 5, 13, 7, 15}));
  EXPECT_EQ(values(options + words{"--mirror"}),
            (indices{0, 5, 7, 6, 4, 1, 3, 2, 15, 14, 13, 12, 11, 10, 9, 8}));
  EXPECT_EQ(values(options + words{"--mirror", "--inverse"}),
            (indices{0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST_F(order, every_order_keeps_the_laws) {
  expect_laws({"--order", "nabla", "--elements-log2", "3", "--workgroup-log2", "9"}, 4096);
  expect_laws({"--order", "scrambled", "--elements-log2", "0", "--workgroup-log2", "4"}, 16);
  expect_laws({"--order", "scrambled", "--length", "8192"}, 8192);
  expect_laws({"--order", "scrambled", "--length", "1"}, 1);
  expect_laws({"--order", "scrambled", "--length", "1000", "--elements", "10"}, 1000);
  expect_laws({"--order", "scrambled", "--length", "3600"}, 3600);
  expect_laws({"--order", "natural", "--length", "64"}, 64);
}

TEST_F(order, scrambled_length_means_the_advised_elements) {
  for (const unsigned length : {4u, 1024u, 4096u, 65536u}) {
    const auto advised = wingbeat::device::workgroup::advised_elements(length, sizeof(float));
    const unsigned elements = wingbeat::device::log2_of(advised);
    const words by_length{"--order", "scrambled", "--length", fmt::format("{}", length)};
    const words with_elements = by_length + words{"--elements-log2", fmt::format("{}", elements)};
    EXPECT_EQ(values(by_length), values(with_elements)) << length;
  }
  EXPECT_EQ(values({"--order", "scrambled", "--length", "16", "--elements-log2", "2"}),
            (indices{0, 2, 1, 3, 8, 10, 9, 11, 4, 6, 5, 7, 12, 14, 13, 15}));
}

TEST_F(order, scrambled_of_two_threads_of_six) {
  EXPECT_EQ(values({"--order", "scrambled", "--length", "12", "--elements", "6"}),
            (indices{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}));
}

/// Of more local memory, or more threads, than a usual workgroup has.
TEST_F(order, scrambled_of_lengths_beyond_a_usual_workgroup) {
  for (const std::size_t length : {14400, 20000, 100000}) {
    indices bins = values({"--order", "scrambled", "--length", std::to_string(length)});
    ASSERT_EQ(bins.size(), length);
    std::sort(bins.begin(), bins.end());
    for (std::size_t i = 0; i < length; ++i) ASSERT_EQ(bins[i], i);
  }
}

TEST_F(order, natural_is_the_identity) {
  EXPECT_EQ(values({"--order", "natural", "--length", "4"}), (indices{0, 1, 2, 3}));
  EXPECT_EQ(values({"--order", "natural", "--length", "4", "--mirror"}), (indices{0, 3, 2, 1}));
  EXPECT_EQ(values({"--order", "natural", "--length", "5", "--mirror"}), (indices{0, 4, 3, 2, 1}));
}

TEST_F(order, prints_a_million_lines_or_in_a_full_run_the_most) {
  const std::size_t length = is_full_run() ? 16777216 : 1048576;
  const finished run = at_.run({"order", "--order", "natural", "--length", std::to_string(length)});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(n_lines(run.out), length);
}

TEST_F(order, refuses_in_one_sentence) {
  const words nabla{"--order", "nabla"}, scrambled{"--order", "scrambled"};
  const words natural{"--order", "natural"};
  const std::vector<std::pair<words, std::string>> refusals{
      {{}, "--order is required"},
      {{"--order", "bruun"}, "--order is 'bruun'; choose natural, nabla or scrambled"},
      {nabla, "needs both --elements-log2 and --workgroup-log2"},
      {nabla + words{"--elements-log2", "1"}, "needs both"},
      {nabla + words{"--length", "64"}, "instead of --length"},
      {nabla + words{"--elements-log2", "0", "--workgroup-log2", "5"}, "choose 1 or more"},
      {nabla + words{"--elements-log2", "1", "--workgroup-log2", "0"}, "choose 1 or more"},
      {nabla + words{"--elements-log2", "20", "--workgroup-log2", "5"}, "make 2^25 lines"},
      {nabla + words{"--elements-log2", "4294967295", "--workgroup-log2", "2"},
       "--elements-log2 4294967295 is not a whole number from 0 to 24; give one"},
      {nabla + words{"--elements-log2", "-1", "--workgroup-log2", "5"},
       "--elements-log2 -1 is not a whole number from 0 to 24; give one"},
      {nabla + words{"--elements-log2", "one", "--workgroup-log2", "5"},
       "--elements-log2 one is not a whole number from 0 to 24; give one"},
      {nabla + words{"--elements-log2", "1", "--workgroup-log2", "99999999999999999999"},
       "--workgroup-log2 99999999999999999999 is not a whole number from 0 to 24"},
      {nabla + words{"--elements-log2", "1", "--workgroup-log2", ""}, "--workgroup-log2"},
      {scrambled, "needs --length, or both"},
      {scrambled + words{"--workgroup-log2", "5"}, "needs --length, or both"},
      {scrambled + words{"--length", "64", "--workgroup-log2", "5"}, "give one of them"},
      {scrambled + words{"--length", "37"}, "--length 37 is no product of primes up to 31"},
      {scrambled + words{"--length", "77"},
       "no number of elements in a thread gives --length 77 a scrambled order"},
      {scrambled + words{"--length", "77"}, "the nearest lengths that have one are 75 and 80"},
      {scrambled + words{"--length", "1000", "--elements", "7"}, "choose --elements from 10, 20"},
      {nabla + words{"--length", "1000"}, "order nabla is that of powers of two"},
      {scrambled + words{"--length", "100", "--elements", "4"},
       "--length 100 with 4 elements in a thread has no scrambled order"},
      {scrambled + words{"--length", "100", "--elements", "10", "--elements-log2", "1"},
       "both set a thread's elements"},
      {nabla + words{"--elements", "2", "--elements-log2", "1", "--workgroup-log2", "5"},
       "instead of --length or --elements"},
      {scrambled + words{"--length", "0"}, "--length 0 is not a whole number"},
      {scrambled + words{"--length", "-8"},
       "--length -8 is not a whole number from 1 to 2^24; give one"},
      {scrambled + words{"--length", "99999999999999999999"},
       "--length 99999999999999999999 is not a whole number from 1 to 2^24; give one"},
      {natural + words{"--length", "16x"}, "--length 16x is not a whole number"},
      {scrambled + words{"--length", "33554432"}, "is not a whole number from 1 to 2^24"},
      {scrambled + words{"--length", "8", "--elements-log2", "4"},
       "16 elements in a thread are more than the 8 there are"},
      {scrambled + words{"--elements-log2", "13", "--workgroup-log2", "12"}, "make 2^25 lines"},
      {natural, "order natural needs --length"},
      {natural + words{"--length", "16", "--elements-log2", "1"}, "give --length alone"}};
  for (const auto& [arguments, says] : refusals) {
    const finished run = at_.run(words{"order"} + arguments);
    const std::string command = fmt::format("order {}", fmt::join(arguments, " "));
    EXPECT_EQ(run.code, 2) << command;
    EXPECT_THAT(run.err, StartsWith("wingbeat: ")) << command;
    EXPECT_THAT(run.err, HasSubstr(says)) << command;
    EXPECT_EQ(n_lines(run.err), 1u) << command << "\n" << run.err;
    EXPECT_EQ(run.out, "") << command;
  }
}

TEST_F(order, of_kinds_with_a_real_side_is_natural) {
  EXPECT_EQ(values({"--order", "natural", "--length", "6", "--kind", "r2c"}),
            (indices{0, 1, 2, 3}));
  EXPECT_EQ(values({"--order", "natural", "--length", "3", "--kind", "dct2"}), (indices{0, 1, 2}));
  const finished scrambled =
      at_.run({"order", "--order", "scrambled", "--length", "16", "--kind", "dst4"});
  EXPECT_NE(scrambled.code, 0);
  EXPECT_THAT(scrambled.err, HasSubstr("--kind dst4 has its elements in natural order alone"));
  const finished opposite =
      at_.run({"order", "--order", "natural", "--length", "16", "--kind", "r2c", "--mirror"});
  EXPECT_THAT(opposite.err, HasSubstr("without opposite bins"));
}

}  // namespace
