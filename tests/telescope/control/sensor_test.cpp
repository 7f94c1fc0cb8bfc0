// SPDX-License-Identifier: Apache-2.0
// Types, status and time of sensors; updates from several threads, for the thread sanitizer.
#include "control/sensor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "control/update_queue.hpp"

namespace {

using namespace wingbeat::control;

TEST(sensor, begins_unknown_and_becomes_nominal) {
  sensor_registry registry;
  sensor& count = registry.add({.name = "count", .kind = sensor_kind::integer});
  EXPECT_EQ(count.latest().status, sensor_status::unknown);
  EXPECT_EQ(count.latest().value, sensor_value(std::int64_t{0}));

  const double before_s = unix_time_s();
  count.set(17);
  const reading latest = count.latest();
  EXPECT_EQ(latest.status, sensor_status::nominal);
  EXPECT_EQ(text_of(latest.value), "17");
  EXPECT_GE(latest.timestamp_s, before_s);
  EXPECT_LE(latest.timestamp_s, unix_time_s());

  count.set(18, sensor_status::warn, 5.5);
  EXPECT_EQ(count.latest().status, sensor_status::warn);
  EXPECT_EQ(count.latest().timestamp_s, 5.5);
  count.set_status(sensor_status::error);
  EXPECT_EQ(count.latest().status, sensor_status::error);
  EXPECT_EQ(text_of(count.latest().value), "18");
  EXPECT_EQ(count.latest().timestamp_s, 5.5);
}

TEST(sensor, has_one_type) {
  sensor_registry registry;
  sensor& text = registry.add({.name = "text", .kind = sensor_kind::string});
  sensor& real = registry.add({.name = "real", .kind = sensor_kind::real});
  sensor& flag = registry.add({.name = "flag", .kind = sensor_kind::boolean});
  sensor& time = registry.add({.name = "time", .kind = sensor_kind::timestamp});
  text.set("a b");
  real.set(3);
  flag.set(true);
  time.set(1.5e9);
  EXPECT_EQ(text_of(text.latest().value), "a b");
  EXPECT_EQ(text_of(real.latest().value), "3.0");
  EXPECT_EQ(text_of(flag.latest().value), "1");
  EXPECT_EQ(text_of(time.latest().value), "1500000000.0");

  EXPECT_THROW(text.set(1), std::invalid_argument);
  EXPECT_THROW(flag.set(1), std::invalid_argument);
  EXPECT_THROW(real.set("1"), std::invalid_argument);
  EXPECT_EQ(text_of(text.latest().value), "a b") << "a refused value changes nothing";
}

TEST(sensor, discrete_ones_take_their_choices) {
  sensor_registry registry;
  sensor& state = registry.add(
      {.name = "state", .kind = sensor_kind::discrete, .choices = {"ok", "degraded", "fail"}});
  EXPECT_EQ(text_of(state.latest().value), "ok");
  state.set("fail");
  EXPECT_EQ(text_of(state.latest().value), "fail");
  EXPECT_THROW(state.set("broken"), std::invalid_argument);
  EXPECT_THROW(registry.add({.name = "none", .kind = sensor_kind::discrete}),
               std::invalid_argument);
}

TEST(sensor, thresholds_set_the_status) {
  // The input level's: nominal from -30 to -10 dBFS, error from -33 down and from -7 up.
  const status_rule rule = rule_of({-30.0, -10.0, -33.0, -7.0});
  const std::pair<double, sensor_status> cases[] = {
      {-33.0, sensor_status::error},   {-32.9, sensor_status::warn},
      {-30.1, sensor_status::warn},    {-30.0, sensor_status::nominal},
      {-10.0, sensor_status::nominal}, {-9.9, sensor_status::warn},
      {-7.1, sensor_status::warn},     {-7.0, sensor_status::error},
      {NAN, sensor_status::error},     {-std::numeric_limits<double>::max(), sensor_status::error}};
  for (const auto& [value, expected] : cases) EXPECT_EQ(rule(value), expected) << value;
  EXPECT_EQ(rule(std::int64_t{-20}), sensor_status::nominal);

  sensor_registry registry;
  sensor& level = registry.add({.name = "level", .kind = sensor_kind::real, .status_of = rule});
  level.set(-31.0);
  EXPECT_EQ(level.latest().status, sensor_status::warn);
}

TEST(sensor_registry, finds_and_orders_by_name) {
  sensor_registry registry;
  sensor& b = registry.add({.name = "b"});
  sensor& a = registry.add({.name = "a.x-1_0"});
  EXPECT_EQ(registry.all(), (std::vector<sensor*>{&a, &b}));
  EXPECT_EQ(registry.find("b"), &b);
  EXPECT_EQ(registry.find("c"), nullptr);
  EXPECT_EQ(registry.find(""), nullptr);
  EXPECT_THROW(registry.add({.name = "b"}), std::invalid_argument);
  for (const char* name : {"", "a b", "a,b", "a\n"}) {
    EXPECT_THROW(registry.add({.name = name}), std::invalid_argument) << name;
  }
}

TEST(update_queue, keeps_order_and_the_newest) {
  sensor_registry registry;
  sensor& count = registry.add({.name = "count"});
  const wake_event wake;
  update_queue queue(wake);
  count.observe(
      [&](const sensor& updated, const reading& reading) { queue.push(updated, reading); });
  for (int i = 1; i <= 1000; ++i) count.set(i);
  count.observe({});
  count.set(1001);

  const update_queue::updates updates = queue.take();
  const std::deque<reading>& readings = updates.at(&count);
  ASSERT_EQ(readings.size(), update_queue::max_per_sensor);
  EXPECT_EQ(text_of(readings.front().value), "1");
  EXPECT_EQ(text_of(readings.back().value), "1000");
  for (std::size_t i = 1; i < readings.size(); ++i) {
    EXPECT_GT(readings[i].sequence, readings[i - 1].sequence);
  }
  EXPECT_TRUE(queue.take().empty());
}

TEST(sensor, updates_from_many_threads_arrive_whole) {
  constexpr int n_threads = 4;
  constexpr int n_updates = 2000;
  sensor_registry registry;
  sensor& text = registry.add({.name = "text", .kind = sensor_kind::string});
  sensor& count = registry.add({.name = "count"});
  const wake_event wake;
  update_queue queue(wake);
  const auto push = [&](const sensor& updated, const reading& reading) {
    queue.push(updated, reading);
  };
  text.observe(push);
  count.observe(push);

  std::atomic<int> n_running{n_threads};
  std::vector<std::thread> writers;
  for (int t = 0; t < n_threads; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < n_updates; ++i) {
        text.set(std::string(100, static_cast<char>('a' + t)));
        count.set(i);
      }
      --n_running;
    });
  }
  std::uint64_t last = 0;
  while (n_running > 0) {
    const std::string value = text_of(text.latest().value);
    EXPECT_EQ(value.find_first_not_of(value.empty() ? 'a' : value[0]), std::string::npos);
    for (const auto& [updated, readings] : queue.take()) {
      if (updated != &count) continue;
      for (const reading& reading : readings)
        EXPECT_GT(reading.sequence, std::exchange(last, reading.sequence));
    }
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(count.latest().sequence, std::uint64_t{n_threads} * n_updates);
}

}  // namespace
