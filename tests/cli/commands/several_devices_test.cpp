// SPDX-License-Identifier: Apache-2.0
// Label: cli
// `wingbeat bench` and `plan` over several devices: ranks of the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/images.hpp"   // expect_refusal
#include "cli/program.hpp"  // workplace, json_of

namespace {

using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

TEST(several_devices, are_compared_with_one) {
  const workplace place;
  for (const std::string kind : {"c2c", "r2c", "c2r", "c2c-inverse"}) {
    const finished run =
        place.run({"bench", "--devices", "host,host,host", "--all-devices", "--kind", kind,
                   "--lengths", "12x10,6x8x10", "--rounds", "3", "--json", "-"});
    ASSERT_EQ(run.code, 0) << run.err;
    const auto document = json_of(run);
    EXPECT_EQ(document["schema"], "wingbeat.bench_devices/1");
    EXPECT_EQ(document["devices"].size(), 3U);
    ASSERT_EQ(document["results"].size(), 2U);
    for (const auto& result : document["results"]) {
      EXPECT_LT(result["difference"].get<double>(), 1e-6);
      EXPECT_GT(result["sent_bytes"], 0);
      EXPECT_FALSE(result["uses_one_device"]);
      EXPECT_GT(result["several_s"].get<double>(), 0);
    }
  }
  const finished one_axis = place.run({"bench", "--devices", "host,host", "--all-devices",
                                       "--lengths", "240", "--precision", "fp64", "--rounds", "3"});
  EXPECT_EQ(one_axis.code, 0) << one_axis.err;
  EXPECT_THAT(one_axis.out, HasSubstr("2 ranks"));
}

TEST(several_devices, are_not_used_where_one_is_as_quick) {
  const workplace place;
  const words plan{"plan", "--devices", "host,host", "--lengths", "16x16"};
  EXPECT_THAT(place.run(plan).out, HasSubstr("rank 0 makes it alone"));
  words forced = plan;
  forced.insert(forced.end(), {"--all-devices", "--natural-bins", "--json"});
  const auto planned = json_of(place.run(forced))["plans"][0];
  EXPECT_EQ(planned["sent_bytes"], 2 * 16 * 16 / 2 * 8) << "two exchanges of half of all";
  EXPECT_THAT(planned["plan"].get<std::string>(), HasSubstr("bytes over links"));
}

TEST(several_devices, refuse_what_is_of_one) {
  const workplace place;
  expect_refusal(place, {"bench", "--devices", "host,host", "--peer", "fftw"}, 2, "leave out");
  expect_refusal(place, {"plan", "--devices", "host,nothing"}, 2, "nothing");
  expect_refusal(place, {"plan", "--devices", "host,host", "--lengths", "8x8", "--kind", "dct2"}, 2,
                 "over several devices choose");
}

}  // namespace
