// SPDX-License-Identifier: Apache-2.0
// ?gain, ?gain-all and ?delays over loopback: what the engine is told, and that refused requests
// leave it as it was.
#include "control/engine_requests.hpp"

#include <gtest/gtest.h>

#include <string>

#include "control/engine_arguments.hpp"
#include "control/fake_engine.hpp"
#include "control/loopback_client.hpp"

namespace {

using namespace wingbeat::control;
using namespace wingbeat::test;
using complex = std::complex<float>;

class engine_requests : public ::testing::Test {
 protected:
  engine_requests() {
    add_engine_requests(server, engine, sensors);
    server.start();
    client.emplace(server.port());
  }

  std::string value(const std::string& sensor) {
    const auto answer = client->request("?sensor-value " + sensor);
    return answer.informs.size() == 1 ? answer.informs[0].arguments.at(4) : "";
  }

  void expect_refused(const std::string& line) {
    const auto answer = client->request(line);
    ASSERT_EQ(answer.reply.arguments.size(), 2u) << line;
    EXPECT_EQ(answer.reply.arguments[0], "fail") << line;
    EXPECT_GT(answer.reply.arguments[1].size(), 10u) << line;
  }

  fake_engine engine;
  sensor_registry registry;
  engine_sensors sensors{registry, engine.streams(), 2, 1.0};
  katcp_server server{{.port = 0}, registry, [] {}};
  std::optional<loopback_client> client;
};

TEST_F(engine_requests, gain_is_one_while_all_are_equal) {
  EXPECT_EQ(client->reply("?gain wideband 0"), "ok 1.0+0.0j");
  EXPECT_EQ(client->reply("?gain wideband 0 2-0.5j"), "ok 2.0-0.5j");
  EXPECT_EQ(engine.gains(0, 0), fake_engine::gain_list(8, complex(2.0f, -0.5f)));
  EXPECT_EQ(engine.gains(0, 1), fake_engine::gain_list(8, 1.0f));
  EXPECT_EQ(engine.gains(1, 0), fake_engine::gain_list(4, 1.0f));
}

TEST_F(engine_requests, gain_of_each_channel) {
  EXPECT_EQ(client->reply("?gain narrow 1 1 2j -3 (4+1e-1j)"),
            "ok 1.0+0.0j 0.0+2.0j -3.0+0.0j 4.0+0.1j");
  EXPECT_EQ(client->reply("?gain narrow 1"), "ok 1.0+0.0j 0.0+2.0j -3.0+0.0j 4.0+0.1j");
  EXPECT_EQ(engine.gains(1, 1)[3], complex(4.0f, 0.1f));
  EXPECT_EQ(value("narrow.input1.eq"), "[1.0+0.0j, 0.0+2.0j, -3.0+0.0j, 4.0+0.1j]");
}

TEST_F(engine_requests, gain_all_sets_both_and_knows_the_default) {
  EXPECT_EQ(client->reply("?gain-all narrow 1 2 3 4"), "ok");
  EXPECT_EQ(engine.gains(1, 0), engine.gains(1, 1));
  EXPECT_EQ(engine.gains(1, 0)[2], complex(3.0f));
  EXPECT_EQ(client->reply("?gain-all narrow default"), "ok");
  EXPECT_EQ(client->reply("?gain narrow 1"), "ok 2.5+0.0j");
  EXPECT_EQ(value("narrow.input0.eq"), "[2.5+0.0j]");
  EXPECT_EQ(engine.n_changes, 2) << "both polarisations change at once";
}

TEST_F(engine_requests, steady_state_is_known_before_the_reply) {
  EXPECT_EQ(client->reply("?sensor-sampling steady-state-timestamp auto"),
            "ok steady-state-timestamp auto");
  client->others().clear();
  EXPECT_EQ(client->reply("?gain wideband 0 3"), "ok 3.0+0.0j");
  ASSERT_EQ(client->others().size(), 1u) << "reported before the reply";
  EXPECT_EQ(client->others()[0].arguments[4], "1000");
  EXPECT_EQ(client->reply("?gain wideband 0"), "ok 3.0+0.0j");
  EXPECT_EQ(value("steady-state-timestamp"), "1000") << "a query changes nothing";
  EXPECT_EQ(client->reply("?delays wideband 1700000000 0,0:0,0 0,0:0,0"), "ok");
  EXPECT_EQ(value("steady-state-timestamp"), "2000");
}

TEST_F(engine_requests, delays_of_both_polarisations) {
  EXPECT_EQ(client->reply("?delays narrow 1600000000.5 1e-9,-2.5e-12:0.5,-1 -3e-6,0.0:-3.14,49.22"),
            "ok");
  EXPECT_EQ(engine.last_delays.stream, 1u);
  EXPECT_EQ(engine.last_delays.start_s, 1600000000.5);
  ASSERT_EQ(engine.last_delays.delays.size(), 2u);
  EXPECT_EQ(engine.last_delays.delays[0], (delay_setting{1e-9, -2.5e-12, 0.5, -1.0}));
  EXPECT_EQ(engine.last_delays.delays[1], (delay_setting{-3e-6, 0.0, -3.14, 49.22}));
  EXPECT_EQ(client->reply("?delays narrow 1600000000 0,0.999:0,0 0,-0.999:0,0"), "ok");
}

TEST_F(engine_requests, malformed_gains_are_refused_and_change_nothing) {
  for (const char* line : {"?gain",
                           "?gain wideband",
                           "?gain nothing 0",
                           "?gain wideband 2",
                           "?gain wideband -1",
                           "?gain wideband x",
                           "?gain wideband \\@",
                           "?gain wideband 00 1",
                           "?gain wideband 0 1 2",
                           "?gain wideband 0 1 2 3 4 5 6 7 8 9",
                           "?gain wideband 0 one",
                           "?gain wideband 0 1+2",
                           "?gain wideband 0 \\@",
                           "?gain wideband 0 inf",
                           "?gain wideband 0 nan",
                           "?gain wideband 0 1+infj",
                           "?gain wideband 0 1e39",
                           "?gain wideband 0 1e999j",
                           "?gain wideband 0 1 2 3 4 5 6 7 nan",
                           "?gain wideband 0 default",
                           "?gain-all",
                           "?gain-all wideband",
                           "?gain-all nothing 1",
                           "?gain-all wideband 1 2",
                           "?gain-all wideband defaults",
                           "?gain-all wideband default default",
                           "?gain-all wideband -inf"}) {
    expect_refused(line);
  }
  EXPECT_EQ(engine.n_changes, 0);
  EXPECT_EQ(client->reply("?gain wideband 0"), "ok 1.0+0.0j");
}

TEST_F(engine_requests, malformed_delays_are_refused_and_change_nothing) {
  const std::string good = " 0,0:0,0";
  for (const std::string& line :
       std::vector<std::string>{"?delays",
                                "?delays wideband",
                                "?delays wideband 1700000000",
                                "?delays wideband 1700000000" + good,
                                "?delays wideband 1700000000" + good + good + good,
                                "?delays nothing 1700000000" + good + good,
                                "?delays wideband now" + good + good,
                                "?delays wideband nan" + good + good,
                                "?delays wideband inf" + good + good,
                                "?delays wideband 1599999999.9" + good + good,
                                "?delays wideband 1700000000 0,0:0 0,0:0,0",
                                "?delays wideband 1700000000 0:0,0" + good,
                                "?delays wideband 1700000000 0,0,0,0" + good,
                                "?delays wideband 1700000000 0,0:0,0:0" + good,
                                "?delays wideband 1700000000 0,0,0:0,0" + good,
                                "?delays wideband 1700000000 a,0:0,0" + good,
                                "?delays wideband 1700000000 0,0:0,b" + good,
                                "?delays wideband 1700000000 ,:," + good,
                                "?delays wideband 1700000000" + good + " 0,1:0,0",
                                "?delays wideband 1700000000" + good + " 0,-1.5:0,0",
                                "?delays wideband 1700000000 nan,0:0,0" + good,
                                "?delays wideband 1700000000 0,0:inf,0" + good}) {
    expect_refused(line);
  }
  EXPECT_EQ(engine.n_changes, 0);
  EXPECT_EQ(value("steady-state-timestamp"), "0");
}

TEST(engine_requests_large, many_channels_fit_in_a_line) {
  constexpr std::size_t n_channels = 65536;
  std::vector<std::string> texts(n_channels, "-0.12345678901234567-0.12345678901234567j");
  const auto parsed = parse_gains(texts, n_channels);
  EXPECT_EQ(parsed.size(), n_channels);
  const std::string line = line_of({message_kind::request, "gain", 2147483647, std::move(texts)});
  EXPECT_LT(line.size(), katcp_options{}.max_line_bytes);
}

}  // namespace
