// SPDX-License-Identifier: Apache-2.0
// ?sensor-sampling over loopback, in real time, with updates from other threads; sampling_test has
// each strategy.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "control/katcp_server.hpp"
#include "control/loopback_client.hpp"

namespace {

using namespace wingbeat::control;
using wingbeat::test::loopback_client;
using words = std::vector<std::string>;

class katcp_sampling : public ::testing::Test {
 protected:
  katcp_sampling() {
    server.start();
    client.emplace(server.port());
    EXPECT_EQ(client->reply("?watchdog"), "ok");
    client->others().clear();
  }

  /// Returns the next #sensor-status as "name status value".
  std::string status(double limit_s = wingbeat::test::patience_s) {
    std::vector<message>& others = client->others();
    message next;
    if (others.empty()) {
      const auto line = client->line(limit_s);
      if (!line) return "";
      next = parse_message(*line);
    } else {
      next = others.front();
      others.erase(others.begin());
    }
    if (next.name != "sensor-status" || next.arguments.size() != 5) return "other";
    EXPECT_EQ(next.arguments[1], "1");
    return next.arguments[2] + " " + next.arguments[3] + " " + next.arguments[4];
  }

  sensor_registry registry;
  sensor& count = registry.add({.name = "count"});
  sensor& level = registry.add({.name = "level", .kind = sensor_kind::real});
  sensor& text = registry.add({.name = "text", .kind = sensor_kind::string});
  katcp_server server{{.port = 0}, registry, [] {}};
  std::optional<loopback_client> client;
};

TEST_F(katcp_sampling, automatic) {
  EXPECT_EQ(client->reply("?sensor-sampling count auto"), "ok count auto");
  EXPECT_EQ(status(), "count unknown 0");
  for (int i = 1; i <= 20; ++i) count.set(i);
  count.set(20);
  for (int i = 1; i <= 20; ++i) EXPECT_EQ(status(), "count nominal " + std::to_string(i));
  EXPECT_EQ(status(), "count nominal 20");
  EXPECT_EQ(client->reply("?sensor-sampling count"), "ok count auto");
}

TEST_F(katcp_sampling, none_ends_it) {
  EXPECT_EQ(client->reply("?sensor-sampling count"), "ok count none");
  EXPECT_EQ(client->reply("?sensor-sampling count event"), "ok count event");
  EXPECT_EQ(status(), "count unknown 0");
  EXPECT_EQ(client->reply("?sensor-sampling count none"), "ok count none");
  count.set(5);
  EXPECT_EQ(client->reply("?sensor-sampling count"), "ok count none");
  EXPECT_EQ(status(0.1), "");
}

TEST_F(katcp_sampling, event) {
  EXPECT_EQ(client->reply("?sensor-sampling text event"), "ok text event");
  EXPECT_EQ(status(), "text unknown ");
  text.set("a b");
  text.set("a b");
  text.set("a b", sensor_status::warn);
  EXPECT_EQ(status(), "text nominal a b");
  EXPECT_EQ(status(), "text warn a b");
  EXPECT_EQ(status(0.1), "");
}

TEST_F(katcp_sampling, period) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(client->reply("?sensor-sampling count period 0.05"), "ok count period 0.05");
  for (int i = 0; i < 9; ++i) EXPECT_EQ(status(), "count unknown 0");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(elapsed.count(), 0.39);
}

TEST_F(katcp_sampling, lists_of_sensors_at_once) {
  EXPECT_EQ(client->reply("?sensor-sampling count,level,text event"), "ok count,level,text event");
  EXPECT_EQ(status(), "count unknown 0");
  EXPECT_EQ(status(), "level unknown 0.0");
  EXPECT_EQ(status(), "text unknown ");
  // All or none of them.
  EXPECT_EQ(client->request("?sensor-sampling count,text differential 1").reply.arguments[0],
            "fail");
  EXPECT_EQ(client->reply("?sensor-sampling count"), "ok count event");
  EXPECT_EQ(client->request("?sensor-sampling count,nothing auto").reply.arguments[0], "fail");
  EXPECT_EQ(client->request("?sensor-sampling count,count auto").reply.arguments[0], "fail");
  EXPECT_EQ(client->request("?sensor-sampling").reply.arguments[0], "fail");
  EXPECT_EQ(client->request("?sensor-sampling count whenever").reply.arguments[0], "fail");
}

TEST_F(katcp_sampling, clients_have_their_own) {
  loopback_client other(server.port());
  EXPECT_EQ(other.reply("?sensor-sampling count auto"), "ok count auto");
  EXPECT_EQ(client->reply("?sensor-sampling count"), "ok count none");
  EXPECT_EQ(client->reply("?sensor-sampling count auto"), "ok count auto");
  EXPECT_EQ(other.reply("?sensor-sampling count none"), "ok count none");
  client->others().clear();
  count.set(9);
  EXPECT_EQ(status(), "count nominal 9") << "a client that ends its own ends that of others";
}

TEST_F(katcp_sampling, a_client_that_is_gone_is_no_more_sampled_for) {
  {
    loopback_client gone(server.port());
    EXPECT_EQ(gone.reply("?sensor-sampling count auto"), "ok count auto");
  }
  for (int i = 0; i < 100; ++i) count.set(i);
  EXPECT_EQ(client->reply("?watchdog"), "ok");
  server.stop();
  count.set(1000);  // after the server has ended
}

TEST_F(katcp_sampling, updates_from_threads_end_with_the_newest) {
  EXPECT_EQ(client->reply("?sensor-sampling count auto"), "ok count auto");
  constexpr int n_updates = 3000;
  std::vector<std::thread> writers;
  std::atomic<int> next{0};
  for (int t = 0; t < 3; ++t) {
    writers.emplace_back([&] {
      for (int i = next++; i < n_updates; i = next++) level.set(i);
    });
  }
  for (int i = 1; i <= n_updates; ++i) count.set(i);
  for (std::thread& writer : writers) writer.join();
  std::string last;
  while (last != "count nominal " + std::to_string(n_updates)) {
    last = status();
    ASSERT_NE(last, "");
  }
}

}  // namespace
