// SPDX-License-Identifier: Apache-2.0
// Servers that serve some clients alone: who is refused, counted, reported and how often.
#include "control/access_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "control/fake_engine.hpp"
#include "control/katcp_server.hpp"
#include "control/loopback_client.hpp"
#include "control/monitor_server.hpp"

namespace {

using namespace wingbeat::control;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace wingbeat::test;

class access_control : public ::testing::Test {
 protected:
  access_options options(const std::vector<std::string>& networks) {
    return {.allowed = network_list{"--some-allow", networks},
            .option = "--some-allow",
            .refusals = &refusals,
            .warn = [this](const std::string& text) {
              const std::lock_guard lock{mutex};
              warnings_.push_back(text);
            }};
  }

  std::vector<std::string> warnings() {
    const std::lock_guard lock{mutex};
    return warnings_;
  }

  metric_registry metrics;
  sensor_registry sensors;
  fake_engine engine;
  counter& refusals = metrics.add("refusals_total", "Refusals");

 private:
  std::mutex mutex;
  std::vector<std::string> warnings_;
};

std::string get(std::uint16_t port, const char* path, const char* source) {
  loopback_client client(port, source);
  client.send(std::string{"GET "} + path + " HTTP/1.1\r\nConnection: close\r\n\r\n");
  return client.rest();
}

TEST_F(access_control, of_katcp_refuses_and_counts) {
  katcp_server server{{.port = 0, .access = options({"127.0.0.1"})}, sensors, [] {}};
  server.start();
  loopback_client allowed(server.port());
  EXPECT_EQ(allowed.reply("?watchdog"), "ok");
  for (std::uint64_t n = 1; n <= 20; ++n) {
    loopback_client other(server.port(), "127.0.0.2");
    other.send("?halt\n");
    ASSERT_EQ(other.line(), "#disconnect this\\_address\\_is\\_not\\_allowed");
    ASSERT_EQ(other.rest(), "");
    EXPECT_EQ(refusals.value(), n);
  }
  EXPECT_EQ(allowed.reply("?watchdog"), "ok");
  for (const message& each : allowed.others()) EXPECT_NE(each.name, "client-connected");
  EXPECT_THAT(warnings(),
              ElementsAre(AllOf(HasSubstr("katcp refused 127.0.0.2:"), HasSubstr("--some-allow"))));
}

TEST_F(access_control, of_http_refuses_and_counts) {
  const monitor_server server{{.access = options({"127.0.0.2/31"})}, metrics, sensors, engine};
  const char* const paths[] = {"/", "/metrics", "/monitor.json", "/favicon.ico", "/none"};
  for (const char* path : paths) {
    EXPECT_THAT(get(server.port(), path, "127.0.0.1"),
                AllOf(HasSubstr(" 403 "), HasSubstr("not allowed")));
  }
  EXPECT_EQ(refusals.value(), std::size(paths));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("HTTP refused 127.0.0.1, which --some-allow")));
  EXPECT_THAT(get(server.port(), "/", "127.0.0.2"), HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(get(server.port(), "/metrics", "127.0.0.3"), HasSubstr("refusals_total 5\n"));
}

TEST_F(access_control, without_a_list_serves_everybody_and_warns_of_it) {
  const auto serves = [&](const char* host, access_options access) {
    katcp_server katcp{{.host = host, .port = 0, .access = access}, sensors, [] {}};
    katcp.start();
    EXPECT_EQ(loopback_client(katcp.port(), "127.0.0.2").reply("?watchdog"), "ok");
    const monitor_server http{{.host = host, .access = access}, metrics, sensors, engine};
    EXPECT_THAT(get(http.port(), "/", "127.0.0.2"), HasSubstr(" 200 "));
  };
  serves("127.0.0.1", options({}));
  EXPECT_THAT(warnings(), IsEmpty());
  serves("0.0.0.0", options({"127.0.0.0/8"}));
  EXPECT_THAT(warnings(), IsEmpty());
  serves("0.0.0.0", options({}));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("katcp serves every client"),
                                      HasSubstr("HTTP serves every client")));
  EXPECT_EQ(refusals.value(), 0u);
}

}  // namespace
