// SPDX-License-Identifier: Apache-2.0
// Counters, and the text that Prometheus reads: by its rules, line for line.
#include "control/metrics.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "control/engine_metrics.hpp"
#include "control/fake_engine.hpp"

namespace {

using namespace wingbeat::control;

TEST(metrics, text_is_that_of_the_format) {
  metric_registry registry;
  registry.add("b_total", "Bees, \"all\"\nof \\ them").add(3);
  registry.add("a_total", "As", {{"pol", "0"}}).add();
  registry.add("a_total", "As", {{"pol", "1"}, {"stream", "x\"\\\ny"}}).add(18446744073709551615u);
  EXPECT_EQ(registry.text(),
            "# HELP b_total Bees, \"all\"\\nof \\\\ them\n"
            "# TYPE b_total counter\n"
            "b_total 3\n"
            "# HELP a_total As\n"
            "# TYPE a_total counter\n"
            "a_total{pol=\"0\"} 1\n"
            "a_total{pol=\"1\",stream=\"x\\\"\\\\\\ny\"} 18446744073709551615\n");
}

TEST(metrics, the_same_name_and_labels_are_one_counter) {
  metric_registry registry;
  counter& first = registry.add("a_total", "As", {{"pol", "0"}});
  EXPECT_EQ(&registry.add("a_total", "As", {{"pol", "0"}}), &first);
  EXPECT_NE(&registry.add("a_total", "As", {{"pol", "1"}}), &first);
}

TEST(metrics, gauges_are_read_when_the_text_is_made) {
  metric_registry registry;
  double degrees = 1.5;
  registry.add_gauge("heat", "Degrees", {{"pol", "0"}}, [&] { return degrees; });
  registry.add_gauge("heat", "Degrees", {{"pol", "1"}}, [] { return 1e9; });
  degrees = -2.25;
  EXPECT_EQ(registry.text(),
            "# HELP heat Degrees\n# TYPE heat gauge\n"
            "heat{pol=\"0\"} -2.25\nheat{pol=\"1\"} 1000000000\n");
  EXPECT_THROW(registry.add_gauge("heat_total", "", {}, [] { return 0.0; }), std::invalid_argument);
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
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      counter& own = registry.add("a_total", "As");
      for (int i = 0; i < 10000; ++i) own.add();
    });
  }
  for (int i = 0; i < 100; ++i) (void)registry.text();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(registry.add("a_total", "As").value(), 40000u);
}

TEST(metrics, the_engine_has_the_names_of_dashboards) {
  const wingbeat::test::fake_engine engine;
  metric_registry registry;
  engine_metrics counters(registry, engine.streams(), 2);
  counters.inputs[1].losses[0]->add(5);
  counters.inputs[0].losses[1]->add(9);
  counters.outputs[1].clipped_samples[0]->add(7);
  const std::string text = registry.text();

  std::set<std::string> expected;
  for (const char* name : {"chunks", "metadata_heaps", "socket_drops"}) {
    expected.insert(std::string("fgpu_input_") + name + "_total");
  }
  for (const std::string pol : {"0", "1"}) {
    for (const char* name :
         {"heaps", "samples", "bytes", "missing_heaps", "clipped_samples", "too_old_heaps",
          "bad_timestamp_heaps", "duplicate_heaps", "implausible_heaps", "engine_late_heaps"}) {
      expected.insert(std::string("fgpu_input_") + name + "_total{pol=\"" + pol + "\"}");
    }
    expected.insert("fgpu_input_age_seconds{pol=\"" + pol + "\"}");
    for (const std::string stream : {"wideband", "narrow"}) {
      expected.insert("fgpu_output_clipped_samples_total{stream=\"" + stream + "\",pol=\"" + pol +
                      "\"}");
      for (const char* name : {"heaps", "bytes", "samples", "skipped_heaps", "failed_heaps"}) {
        expected.insert(std::string("fgpu_output_") + name + "_total{stream=\"" + stream + "\"}");
      }
    }
  }
  std::set<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    if (line[0] != '#') names.insert(line.substr(0, line.rfind(' ')));
    begin = end + 1;
  }
  EXPECT_EQ(names, expected);
  EXPECT_NE(text.find("fgpu_input_missing_heaps_total{pol=\"1\"} 5\n"), std::string::npos);
  EXPECT_NE(text.find("_clipped_samples_total{stream=\"narrow\",pol=\"0\"} 7\n"),
            std::string::npos);
  EXPECT_NE(text.find("fgpu_input_too_old_heaps_total{pol=\"0\"} 9\n"), std::string::npos);
}

}  // namespace
