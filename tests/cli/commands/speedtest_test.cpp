// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// `wingbeat speedtest`: complete tables, break-evens that follow from the times, charts, CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // count
#include <string>

#include "cli/program.hpp"  // workplace, json_of

namespace {

using namespace wingbeat::test;
using ::testing::HasSubstr;

TEST(speedtest, times_every_length_on_every_engine) {
  const workplace place;
  const finished run = place.run({"speedtest", "--min-log2", "3", "--max-log2", "6", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto document = json_of(run);
  EXPECT_EQ(document["schema"], "wingbeat.speedtest/1");
  EXPECT_GE(document["engines"].size(), 2);
  for (const auto& engine : document["engines"]) {
    ASSERT_EQ(engine["lengths"].size(), 4);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto& at_length = engine["lengths"][i];
      EXPECT_EQ(at_length["length"], 8 << i);
      EXPECT_EQ(at_length["runs"], 5);
      EXPECT_TRUE(at_length["agrees"]);
      for (const char* const kind : {"execution_s", "transfer_s", "total_s"}) {
        EXPECT_GT(at_length[kind]["min"], 0) << kind;
        EXPECT_LE(at_length[kind]["min"], at_length[kind]["mean"]) << kind;
        EXPECT_LE(at_length[kind]["mean"], at_length[kind]["max"]) << kind;
      }
    }
  }
}

TEST(speedtest, times_the_lengths_that_are_listed) {
  const workplace place;
  const finished run =
      place.run({"speedtest", "--engine", "reference,host", "--lengths", "1000,75,1000", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const auto& engine : json_of(run)["engines"]) {
    ASSERT_EQ(engine["lengths"].size(), 2);
    EXPECT_EQ(engine["lengths"][0]["length"], 75);
    EXPECT_EQ(engine["lengths"][1]["length"], 1000);
  }
  EXPECT_THAT(place.run({"speedtest", "--engine", "host", "--lengths", "75"}).out,
              HasSubstr("6.23"));
}

nlohmann::json engine_of(const nlohmann::json& document, const std::string& name) {
  for (const auto& engine : document["engines"]) {
    if (engine["engine"] == name) return engine["lengths"];
  }
  return {};
}

TEST(speedtest, break_even_is_where_the_faster_engine_starts_to_stay_ahead) {
  const workplace place;
  const auto document = json_of(place.run({"speedtest", "--max-log2", "10", "--json"}));
  ASSERT_FALSE(document["break_even"].empty());
  for (const auto& pair : document["break_even"]) {
    const auto faster = engine_of(document, pair["faster"]);
    const auto slower = engine_of(document, pair["slower"]);
    const std::size_t n = faster.size();
    ASSERT_EQ(n, 10) << pair;
    std::size_t first_ahead = n;
    while (first_ahead > 0 && faster[first_ahead - 1]["total_s"]["mean"] <=
                                  slower[first_ahead - 1]["total_s"]["mean"]) {
      --first_ahead;
    }
    ASSERT_LT(first_ahead, n) << "not the faster one at the largest length: " << pair;
    if (first_ahead == 0) {
      EXPECT_TRUE(pair["length"].is_null()) << pair;
    } else {
      EXPECT_EQ(pair["length"], faster[first_ahead]["length"]) << pair;
    }
    EXPECT_EQ(pair["largest_length"], 1024);
  }
}

TEST(speedtest, writes_csv_and_both_charts) {
  const workplace place;
  const finished run = place.run({"speedtest", "--engine", "host,reference", "--max-log2", "5",
                                  "--runs", "2", "--csv", "s.csv", "--plot", "s"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("break-even"));
  const std::string csv = place.folder().read("s.csv");
  EXPECT_EQ(n_lines(csv), 1 + 2 * 5);
  const std::string head = csv.substr(0, csv.find('\n'));
  const auto n_commas = std::count(head.begin(), head.end(), ',');
  EXPECT_EQ(std::count(csv.begin(), csv.end(), ','), n_commas * (1 + 2 * 5));
  EXPECT_EQ(place.folder().read("s-time.png").substr(1, 3), "PNG");
  EXPECT_EQ(place.folder().read("s-per-element.png").substr(1, 3), "PNG");
  EXPECT_EQ(place.folder().n_files(), 3);
  const finished vectors = place.run(
      {"speedtest", "--engine", "host", "--max-log2", "2", "--runs", "1", "--plot", "./v.svg"});
  ASSERT_EQ(vectors.code, 0) << vectors.err;
  EXPECT_THAT(place.folder().read("v-time.svg"), HasSubstr("<svg"));
  EXPECT_THAT(place.folder().read("v-per-element.svg"), HasSubstr("<svg"));
}

TEST(speedtest, checks_fp64_too) {
  const workplace place;
  const finished run =
      place.run({"speedtest", "--precision", "fp64", "--max-log2", "12", "--runs", "1"});
  EXPECT_EQ(run.code, 0) << run.err << run.out;
}

}  // namespace
