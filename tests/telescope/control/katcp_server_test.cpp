// SPDX-License-Identifier: Apache-2.0
// The server's own requests over loopback, with several clients.
#include "control/katcp_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "control/loopback_client.hpp"

namespace {

using namespace wingbeat::control;
using wingbeat::test::loopback_client;
using words = std::vector<std::string>;

class katcp : public ::testing::Test {
 protected:
  katcp() {
    registry.add({.name = "count", .description = "A count.", .units = "heaps"}).set(3, {}, 1.5);
    registry.add({.name = "level", .units = "dBFS", .kind = sensor_kind::real}).set(-20.5);
    registry.add({.name = "state", .kind = sensor_kind::discrete, .choices = {"ok", "bad news"}});
    server.add_request("echo", "Repeats. In full.", [](request& asked) {
      if (asked.arguments().empty()) throw request_failure("nothing to repeat");
      asked.inform({"first"});
      return asked.arguments();
    });
    server.start();
  }

  sensor_registry registry;
  std::atomic<int> n_halts{0};
  katcp_server server{{.port = 0, .device = "test-1.0", .device_build = "test-1.2.3"},
                      registry,
                      [this] { ++n_halts; }};
};

TEST_F(katcp, greets_with_its_versions) {
  loopback_client client(server.port());
  EXPECT_EQ(client.message().arguments, (words{"katcp-protocol", "5.1-BIM"}));
  EXPECT_EQ(client.message().arguments[0], "katcp-library");
  const message device = client.message();
  EXPECT_EQ(device.name, "version-connect");
  EXPECT_EQ(device.arguments, (words{"katcp-device", "test-1.0", "test-1.2.3"}));

  const auto listed = client.request("?version-list[7]");
  ASSERT_EQ(listed.informs.size(), 3u);
  EXPECT_EQ(listed.informs[2].arguments, device.arguments);
  EXPECT_EQ(listed.informs[2].id, 7u);
  EXPECT_EQ(listed.reply.id, 7u);
  EXPECT_EQ(listed.reply.arguments, (words{"ok", "3"}));
}

TEST_F(katcp, describes_requests) {
  loopback_client client(server.port());
  const auto answer = client.request("?help");
  EXPECT_EQ(answer.informs.size(), 10u);
  EXPECT_EQ(answer.reply.arguments, (words{"ok", "10"}));
  const auto echo = client.request("?help echo");
  ASSERT_EQ(echo.informs.size(), 1u);
  EXPECT_EQ(echo.informs[0].arguments, (words{"echo", "Repeats. In full."}));
  for (const message& line : answer.informs) {
    EXPECT_TRUE(line.arguments[0] != "echo" || line.arguments[1] == "Repeats.");
    EXPECT_EQ(client.reply("?help " + line.arguments[0]), "ok 1");
  }
  EXPECT_EQ(client.request("?help nothing").reply.arguments[0], "fail");
  EXPECT_EQ(client.request("?help a b").reply.arguments[0], "fail");
}

TEST_F(katcp, answers_added_requests) {
  loopback_client client(server.port());
  const auto echo = client.request("?echo[3] a\\_b \\@");
  EXPECT_EQ(echo.reply, (message{message_kind::reply, "echo", 3, {"ok", "a b", ""}}));
  ASSERT_EQ(echo.informs.size(), 1u);
  EXPECT_EQ(echo.informs[0].id, 3u);
  const auto failed = client.request("?echo");
  EXPECT_EQ(failed.reply.arguments, (words{"fail", "nothing to repeat"}));
  EXPECT_TRUE(failed.informs.empty());
}

TEST(deferred, replies_come_later_from_another_thread) {
  sensor_registry registry;
  sensor& state = registry.add({.name = "state"});
  katcp_server server({.port = 0}, registry, [] {});
  std::mutex mutex;
  std::vector<std::pair<words, deferred_reply>> waiting;
  server.add_deferred_request("wait", "Waits.", [&](const words& arguments, deferred_reply reply) {
    if (arguments.empty()) throw request_failure("nothing to wait for");
    const std::scoped_lock lock(mutex);
    waiting.emplace_back(arguments, std::move(reply));
  });
  server.start();
  loopback_client client(server.port());
  EXPECT_EQ(client.reply("?wait"), "fail nothing to wait for");
  {
    loopback_client gone(server.port());
    EXPECT_TRUE(gone.send("?wait gone\n"));
    EXPECT_EQ(gone.reply("?watchdog"), "ok");
  }
  EXPECT_EQ(client.reply("?sensor-sampling state event"), "ok state event");
  EXPECT_TRUE(client.send("?wait[5] first\n?wait[6] second\n"));
  EXPECT_EQ(client.reply("?watchdog"), "ok");
  client.others().clear();
  state.set(7);
  {
    const std::scoped_lock lock(mutex);
    ASSERT_EQ(waiting.size(), 3u);
    waiting[0].second.ok({"nobody"});
    waiting[2].second.ok(waiting[2].first);
    waiting[1].second.fail("not yet");
  }
  // The sensor's update comes before the replies, and these in the order in which they were given.
  message next = client.message();
  while (next.name == "client-disconnected" || next.name == "client-connected") {
    next = client.message();
  }
  EXPECT_EQ(next.name, "sensor-status");
  EXPECT_EQ(client.message(), (message{message_kind::reply, "wait", 6, {"ok", "second"}}));
  EXPECT_EQ(client.message(), (message{message_kind::reply, "wait", 5, {"fail", "not yet"}}));
  server.stop();
  const std::scoped_lock lock(mutex);
  waiting[0].second.ok({});
}

TEST_F(katcp, answers_what_it_does_not_know_and_goes_on) {
  loopback_client client(server.port());
  EXPECT_EQ(client.request("?unknown[9] x").reply.arguments[0], "invalid");
  EXPECT_TRUE(client.send("?echo[4] \\q\n"));
  message reply = client.message();
  while (reply.name != "echo") reply = client.message();
  EXPECT_EQ(reply.id, 4u);
  EXPECT_EQ(reply.arguments[0], "invalid");

  // Lines without a request's name are answered by #log; replies and informs by nothing.
  EXPECT_TRUE(client.send("nonsense\n?\n\x80\xff\n!ok ok\n#inform\n\n  \n?watchdog\n"));
  int n_logs = 0;
  for (message next = client.message(); next.name != "watchdog"; next = client.message()) {
    EXPECT_EQ(next.name, "log");
    EXPECT_EQ(next.arguments[0], "error");
    ++n_logs;
  }
  EXPECT_EQ(n_logs, 3);
}

TEST_F(katcp, lists_sensors_by_name_and_expression) {
  loopback_client client(server.port());
  const auto answer = client.request("?sensor-list");
  ASSERT_EQ(answer.informs.size(), 3u);
  EXPECT_EQ(answer.informs[0].arguments, (words{"count", "A count.", "heaps", "integer"}));
  EXPECT_EQ(answer.informs[2].arguments, (words{"state", "", "", "discrete", "ok", "bad news"}));
  EXPECT_EQ(client.reply("?sensor-list level"), "ok 1");
  EXPECT_EQ(client.reply("?sensor-list /^(count|level)$/"), "ok 2");
  EXPECT_EQ(client.reply("?sensor-list /e/"), "ok 2");
  EXPECT_EQ(client.reply("?sensor-list //"), "ok 3");
  EXPECT_EQ(client.reply("?sensor-list /nothing/"), "ok 0");
  EXPECT_EQ(client.reply("?sensor-list nothing").substr(0, 19), "fail Unknown sensor");
  EXPECT_EQ(client.request("?sensor-list /(/").reply.arguments[0], "fail");
  EXPECT_EQ(client.request("?sensor-list a b").reply.arguments[0], "fail");
}

TEST_F(katcp, bounds_the_steps_of_an_expression) {
  loopback_client client(server.port());
  const std::string deep(900, '(');
  EXPECT_EQ(client.request("?sensor-list /" + deep + "/").reply.arguments[0], "fail");
  EXPECT_EQ(client.request("?sensor-list /" + std::string(2000, 'a') + "/").reply.arguments[0],
            "fail");
  const message steep = client.request("?sensor-list /(((.*)*)*)*\\\\d$/").reply;
  ASSERT_EQ(steep.arguments.size(), 2u);
  EXPECT_NE(steep.arguments[1].find("takes too many steps"), std::string::npos);
  EXPECT_EQ(client.reply("?watchdog"), "ok");
}

TEST_F(katcp, reports_values) {
  loopback_client client(server.port());
  const auto count = client.request("?sensor-value count");
  ASSERT_EQ(count.informs.size(), 1u);
  EXPECT_EQ(count.informs[0].arguments, (words{"1.5", "1", "count", "nominal", "3"}));
  registry.find("state")->set("bad news", sensor_status::error, 2.0);
  EXPECT_EQ(client.request("?sensor-value state").informs[0].arguments,
            (words{"2.0", "1", "state", "error", "bad news"}));
  EXPECT_EQ(client.reply("?sensor-value"), "ok 3");
  EXPECT_EQ(client.reply("?sensor-value /l/"), "ok 1");
  EXPECT_EQ(client.request("?sensor-value nothing").reply.arguments[0], "fail");
}

TEST_F(katcp, lists_clients_and_tells_of_others) {
  loopback_client first(server.port());
  EXPECT_EQ(first.reply("?watchdog"), "ok");
  {
    loopback_client second(server.port());
    EXPECT_EQ(second.reply("?client-list"), "ok 2");
    message told = first.message();
    EXPECT_EQ(told.name, "client-connected");
    EXPECT_EQ(told.arguments[0].substr(0, 10), "127.0.0.1:");
  }
  EXPECT_EQ(first.message().name, "client-disconnected");
  EXPECT_EQ(first.reply("?client-list"), "ok 1");
}

TEST_F(katcp, sets_the_level_of_the_log) {
  loopback_client client(server.port());
  loopback_client other(server.port());
  EXPECT_EQ(other.reply("?watchdog"), "ok");
  other.others().clear();
  EXPECT_EQ(client.reply("?log-level"), "ok warn");
  EXPECT_EQ(client.request("?log-level loud").reply.arguments[0], "fail");
  server.log(log_level::info, "test", "too quiet");
  server.log(log_level::warn, "test", "seen by both");
  EXPECT_EQ(client.reply("?log-level debug"), "ok debug");
  EXPECT_EQ(server.level(), log_level::debug);
  server.log(log_level::debug, "test", "now seen");
  message line = other.message();
  ASSERT_EQ(line.name, "log");
  EXPECT_EQ(line.arguments[0], "warn");
  EXPECT_EQ(line.arguments[2], "test");
  EXPECT_EQ(line.arguments[3], "seen by both");
  line = other.message();
  EXPECT_EQ(line.arguments[3], "now seen");
  EXPECT_EQ(client.reply("?log-level off"), "ok off");
  server.log(log_level::fatal, "test", "not seen");
  EXPECT_EQ(other.reply("?watchdog"), "ok");
  EXPECT_TRUE(other.others().empty());
}

TEST_F(katcp, halts) {
  loopback_client client(server.port());
  EXPECT_EQ(client.request("?halt now").reply.arguments[0], "fail");
  EXPECT_EQ(n_halts, 0);
  EXPECT_EQ(client.reply("?halt"), "ok");
  for (int i = 0; i < 3000 && n_halts == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(n_halts, 1);
  server.stop();
  EXPECT_EQ(client.message().name, "disconnect");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(katcp, answers_a_client_that_has_ended) {
  loopback_client client(server.port());
  client.send("?watchdog\n?echo 1\n");
  client.end();
  int n_replies = 0;
  while (const auto line = client.line()) n_replies += (*line)[0] == '!' ? 1 : 0;
  EXPECT_EQ(n_replies, 2);
}

TEST(katcp_tasks, run_each_period_and_may_fail) {
  const sensor_registry registry;
  katcp_server server({.port = 0}, registry, [] {});
  std::atomic<int> n_runs{0};
  server.every(0.02, [&] {
    ++n_runs;
    throw std::runtime_error("a task fails");
  });
  server.start();
  loopback_client client(server.port());
  message line = client.message();
  while (line.name != "log") line = client.message();
  EXPECT_EQ(line.arguments[3], "a task fails");
  for (int i = 0; i < 3000 && n_runs < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GE(n_runs, 5);
}

TEST(katcp_listener, says_why_it_cannot_listen) {
  const sensor_registry registry;
  const katcp_server server({.port = 0}, registry, [] {});
  try {
    const katcp_server second({.port = server.port()}, registry, [] {});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(server.port())), std::string::npos);
  }
  EXPECT_THROW(katcp_server({.host = "no.such.host.invalid", .port = 0}, registry, [] {}),
               std::runtime_error);
}

}  // namespace
