// SPDX-License-Identifier: Apache-2.0
// Clients that send garbage, too much or nothing, or read nothing: the others are served.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "control/katcp_server.hpp"
#include "control/loopback_client.hpp"
#include "support/sanitizer.hpp"  // has_thread_sanitizer

namespace {

using namespace wingbeat::control;
using namespace wingbeat::test;

class katcp_abuse : public ::testing::Test {
 protected:
  void SetUp() override {
    server.add_request("large", "Replies a mebibyte.", [](request&) {
      return std::vector<std::string>{std::string(std::size_t{1} << 20, 'x')};
    });
    server.start();
  }

  sensor_registry registry;
  sensor& count = registry.add({.name = "count", .kind = sensor_kind::string});
  katcp_server server{{.port = 0,
                       .max_clients = 8,
                       .max_line_bytes = 4096,
                       .max_backlog_bytes = std::size_t{1} << 20,
                       .max_buffered_bytes = std::size_t{64} << 20},
                      registry,
                      [] {}};
};

TEST_F(katcp_abuse, garbage_is_answered_and_harmless) {
  loopback_client witness(server.port());
  EXPECT_EQ(witness.reply("?watchdog"), "ok");
  std::mt19937 random(3);
  const std::string alphabet("?!#[]\\ _0nret@\n\r\t\0gainsensor-list,:/(*)1", 40);
  for (int round = 0; round < 50; ++round) {
    loopback_client client(server.port());
    std::string bytes;
    for (int i = 0; i < 20000; ++i) {
      bytes += round % 2 == 0 ? static_cast<char>(random() % 256) : alphabet[random() % 40];
    }
    client.send(bytes);
  }
  EXPECT_EQ(witness.reply("?watchdog"), "ok");
}

TEST_F(katcp_abuse, lines_that_are_too_long_are_refused_and_the_next_is_read) {
  loopback_client client(server.port());
  for (int i = 0; i < 100; ++i) client.send(std::string(10000, 'x'));
  client.send("\n?watchdog\n");
  int n_logs = 0;
  message next = client.message();
  for (; next.kind != message_kind::reply; next = client.message()) {
    n_logs += next.name == "log" ? 1 : 0;
  }
  EXPECT_EQ(n_logs, 1);
  EXPECT_EQ(next.name, "watchdog");
}

TEST_F(katcp_abuse, silent_clients_make_room) {
  std::vector<std::unique_ptr<loopback_client>> silent;
  for (int i = 0; i < 100; ++i) {
    silent.push_back(std::make_unique<loopback_client>(server.port()));
  }
  loopback_client client(server.port());
  EXPECT_EQ(client.reply("?watchdog"), "ok");
  EXPECT_TRUE(silent.front()->is_closed());
  for (int i = 0; i < 100; ++i) {
    silent.push_back(std::make_unique<loopback_client>(server.port()));
  }
  EXPECT_EQ(client.reply("?client-list"), "ok 8") << "whoever has sent requests stays";
}

TEST_F(katcp_abuse, too_many_active_clients_are_refused) {
  std::vector<std::unique_ptr<loopback_client>> active;
  for (int i = 0; i < 8; ++i) {
    active.push_back(std::make_unique<loopback_client>(server.port()));
    EXPECT_EQ(active.back()->reply("?watchdog"), "ok");
  }
  loopback_client ninth(server.port());
  const message told = ninth.message();
  EXPECT_EQ(told.name, "disconnect");
  EXPECT_EQ(told.arguments, (std::vector<std::string>{"too many clients"}));
  EXPECT_TRUE(ninth.is_closed());
  EXPECT_EQ(active.front()->reply("?watchdog"), "ok");
}

TEST_F(katcp_abuse, a_client_that_does_not_read_replies_is_not_asked_for_more) {
  loopback_client witness(server.port());
  loopback_client deaf(server.port());
  // Each is answered by a mebibyte; the server must neither queue them all nor wait.
  const int n_requests = has_thread_sanitizer ? 16 : 40;
  std::string requests;
  for (int i = 0; i < n_requests; ++i) requests += "?large\n";
  EXPECT_TRUE(deaf.send(requests));
  // A server that waited for the deaf client would never answer: nothing is read yet.
  EXPECT_EQ(witness.reply("?watchdog"), "ok");
  for (int i = 0; i < n_requests; ++i) {
    message next = deaf.message();
    while (next.name != "large") next = deaf.message();
    ASSERT_EQ(next.arguments[1].size(), std::size_t{1} << 20) << i;
  }
}

/// Updates a sensor that one client samples but never reads, 37 MiB in all, and returns whether the
/// server has dropped it.
bool is_dropped(katcp_server& server, sensor& sampled) {
  loopback_client witness(server.port());
  loopback_client deaf(server.port());
  deaf.send("?sensor-sampling count auto\n");
  EXPECT_EQ(witness.reply("?watchdog"), "ok");
  const std::string large(std::size_t{64} << 10, 'y');
  for (int i = 0; i < 600; ++i) {
    sampled.set(large);
    if (i % 10 != 0) continue;
    EXPECT_EQ(witness.reply("?watchdog"), "ok");
  }
  return witness.reply("?client-list") == "ok 1";
}

TEST_F(katcp_abuse, a_client_that_does_not_read_informs_is_dropped) {
  EXPECT_TRUE(is_dropped(server, count));
}

TEST(katcp_limits, the_client_with_most_bytes_is_dropped_above_the_total) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  for (const std::size_t total : {mebibyte, 64 * mebibyte}) {
    sensor_registry registry;
    sensor& count = registry.add({.name = "count", .kind = sensor_kind::string});
    katcp_server server(
        {.port = 0, .max_backlog_bytes = 64 * mebibyte, .max_buffered_bytes = total}, registry,
        [] {});
    server.start();
    EXPECT_EQ(is_dropped(server, count), total == mebibyte);
  }
}

TEST_F(katcp_abuse, ten_thousand_requests_are_answered_in_order) {
  loopback_client client(server.port());
  std::string requests;
  for (int i = 1; i <= 10000; ++i) requests += "?watchdog[" + std::to_string(i) + "]\n";
  client.send(requests);
  for (std::uint32_t i = 1; i <= 10000; ++i) {
    message next = client.message();
    while (next.kind != message_kind::reply) next = client.message();
    ASSERT_EQ(next.id, i);
  }
}

}  // namespace
