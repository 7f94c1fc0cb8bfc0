// SPDX-License-Identifier: Apache-2.0
// Counters, and the text that Prometheus reads: by its rules, line for line.
#include "control/metrics.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace wingbeat::control;

TEST(metrics, text_is_that_of_the_format) {
  metric_registry registry;
  registry.add("b_total", "Bees, \"all\"\nof \\ them").add(3);
  registry.add("a_total", "As", {{"pol", "0"}}).add();
  registry.add("a_total", "As", {{"pol", "1"}, {"stream", "x\"\\\ny"}}).add(9007199254740992u);
  EXPECT_EQ(registry.text(),
            "# HELP b_total Bees, \"all\"\\nof \\\\ them\n"
            "# TYPE b_total counter\n"
            "b_total 3\n"
            "# HELP a_total As\n"
            "# TYPE a_total counter\n"
            "a_total{pol=\"0\"} 1\n"
            "a_total{pol=\"1\",stream=\"x\\\"\\\\\\ny\"} 9007199254740992\n");
}

TEST(metrics, gauges_are_read_when_the_text_is_made) {
  metric_registry registry;
  double degrees = 1.5;
  registry.add("heat", "Degrees", {{"pol", "0"}}, [&] { return degrees; });
  registry.add("heat", "Degrees", {{"pol", "1"}}, [] { return 1e9; });
  degrees = -2.25;
  EXPECT_EQ(registry.text(),
            "# HELP heat Degrees\n# TYPE heat gauge\n"
            "heat{pol=\"0\"} -2.25\nheat{pol=\"1\"} 1000000000\n");
}

TEST(metrics, refuse_wrong_names) {
  metric_registry registry;
  for (const char* name : {"", "a", "1a_total", "a-b_total", "a b_total", "a_totals"}) {
    EXPECT_THROW(registry.add(name, ""), std::invalid_argument) << name;
  }
  EXPECT_THROW(registry.add("a_total", "", {{"p-l", "0"}}), std::invalid_argument);
}

TEST(metrics, threads_count_and_read_at_once) {
  metric_registry registry;
  counter& counted = registry.add("a_total", "As");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10000; ++i) counted.add();
    });
  }
  for (int i = 0; i < 100; ++i) (void)registry.text();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counted.value(), 40000u);
}

}  // namespace
