// SPDX-License-Identifier: Apache-2.0
// Label: cli
// The program as a whole: help, version, devices, and an output that cannot be written.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>  // system
#include <set>
#include <string>

#include "cli/program.hpp"       // workplace, json_of
#include "wingbeat/version.hpp"  // WINGBEAT_VERSION_MAJOR

namespace {

using namespace wingbeat::test;
using ::testing::HasSubstr;

TEST(program, helps_with_examples_for_every_command) {
  const workplace place;
  const finished top = place.run({"--help"});
  EXPECT_EQ(top.code, 0);
  EXPECT_THAT(top.out, HasSubstr("Exit codes"));
  for (const std::string command :
       {"devices", "order", "transform", "speedtest", "verify", "bench", "plan", "convolve",
        "filter", "match", "simulate", "channelise"}) {
    EXPECT_THAT(top.out, HasSubstr("\n  " + command));
    const finished help = place.run({command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_THAT(help.out, HasSubstr("Examples:\n  wingbeat " + command)) << command;
    EXPECT_EQ(help.err, "") << command;
  }
}

TEST(program, tells_its_version) {
  const workplace place;
  EXPECT_EQ(place.run({"--version"}).out,
            fmt::format("wingbeat {}.{}.{}\n", WINGBEAT_VERSION_MAJOR, WINGBEAT_VERSION_MINOR,
                        WINGBEAT_VERSION_PATCH));
}

TEST(program, lists_each_engine_as_here_or_absent) {
  const workplace place;
  const finished run = place.run({"devices", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto document = json_of(run);
  EXPECT_EQ(document["schema"], "wingbeat.devices/1");
  std::set<std::string> told;
  for (const auto& device : document["devices"]) {
    told.insert(device["engine"]);
    EXPECT_NE(device["name"], "");
    EXPECT_GT(device["memory_bytes"], 0);
    EXPECT_GE(device["max_cluster"], 1);
    EXPECT_EQ(device["capability_major"] > 0, device["engine"] == "cuda");
  }
  for (const auto& absent : document["absent"]) {
    EXPECT_TRUE(told.insert(absent["engine"]).second) << absent;
    EXPECT_NE(absent["why"], "");
  }
  EXPECT_EQ(told, (std::set<std::string>{"reference", "host", "opencl", "cuda"}));

  const finished table = place.run({"devices"});
  for (const std::string& engine : told) EXPECT_THAT(table.out, HasSubstr(engine));
}

TEST(program, notices_that_stdout_is_full) {
  const int status = std::system(WINGBEAT_PROGRAM " devices > /dev/full 2> /dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST(program, survives_a_closed_stderr) {
  const int status = std::system(WINGBEAT_PROGRAM " nonsense 2>&-");
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

}  // namespace
