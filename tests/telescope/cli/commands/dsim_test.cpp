// SPDX-License-Identifier: Apache-2.0
// Label: cli
// `wingbeat dsim` over the loopback interface: what a receiver gets, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>  // kill

#include "cli/program.hpp"             // workplace
#include "net/udp_receiver.hpp"        // udp_receiver
#include "transmit/sample_stream.hpp"  // expect_signals

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

/// A receiver on a free port of two addresses.
class digitiser : public ::testing::Test {
 protected:
  digitiser() : in_({.geometry = chunks_of_small, .source = source(), .n_chunks = 6}) {
    in_.start();
  }

  static receive::live_source source() {
    // Both addresses with one port, as the options name them.
    const net::udp_receiver free({loopback, 0}, 0, 4096);
    const std::uint16_t port = free.source().port;
    return {.endpoints = {{loopback + 1, port}, {loopback + 2, port}}, .buffer_bytes = 1 << 24};
  }

  [[nodiscard]] words arguments(const words& more) const {
    words arguments{"dsim",      "cw(0.3, 1e6)",      "wgn(0.2, 4)", "--dst",
                    endpoints(), "--adc-sample-rate", "10e6",        "--packet-samples",
                    "256",       "--signal-heaps",    "50",          "--seed",
                    "3",         "--stats",           "sent.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  [[nodiscard]] std::string endpoints() const {
    return "127.0.0.2+1:" + std::to_string(in_.endpoints().at(0).port);
  }

  [[nodiscard]] nlohmann::json stats() const {
    return nlohmann::json::parse(at_.folder().read("sent.json"));
  }

  /// Returns how many packets came with the samples of the signals.
  std::size_t n_received() {
    const transmit::period_spec period{
        .format = small_packets, .adc_rate_hz = 10e6, .n_packets = 50, .seed = 3};
    const std::vector<expected_signal> signals{{"cw(0.3, 1e6)", period, 0},
                                               {"wgn(0.2, 4)", period, 1}};
    std::size_t count = 0;
    while (const auto received = in_.next(std::chrono::milliseconds(0))) {
      for (const auto& times : expect_signals(
               *received, chunks_of_small,
               [&](std::size_t p, std::int64_t) -> const expected_signal& { return signals[p]; })) {
        count += times.size();
      }
    }
    return count;
  }

  workplace at_;
  receive::receiver in_;
};

TEST_F(digitiser, sends_so_many_samples) {
  const finished run = at_.run(arguments({"--samples", "256000"}));
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("first timestamp 0, period 12800 samples"));
  const std::size_t place = run.err.find("sync time ");
  EXPECT_EQ(run.err.find("sync time ", place + 1), std::string::npos) << run.err;
  EXPECT_THAT(run.err, HasSubstr("sent 2000 packets"));
  stop_after(in_, 2000 + 2 + 2);
  EXPECT_EQ(n_received(), 2000u);
  EXPECT_EQ(in_.counts().stops, 2u);
  const auto document = stats();
  EXPECT_EQ(document["schema"], "wingbeat.dsim/1");
  EXPECT_EQ(document["end_timestamp"], 256000);
  EXPECT_EQ(document["stop_heaps"], 2);
  EXPECT_EQ(document["polarisations"][1]["packets"], 1000);
  EXPECT_EQ(document["polarisations"][1]["failed"], 0);
}

TEST_F(digitiser, disturbs_and_says_how) {
  const finished run =
      at_.run(arguments({"--duration", "0.05", "--drop", "0.1", "--drop-burst", "3", "--drop-pol",
                         "1", "--reorder", "32", "--duplicate", "0.02", "--log-level", "warn"}));
  ASSERT_EQ(run.code, 0) << run.err;
  const auto document = stats();
  const auto count = [&](std::size_t p, const char* name) {
    return document["polarisations"][p][name].get<std::uint64_t>();
  };
  stop_after(in_, count(0, "packets") + count(1, "packets") + 4);
  EXPECT_EQ(document["end_timestamp"], 1954 * 256);  // 0.05 s, rounded up to packets
  EXPECT_EQ(count(0, "dropped"), 0u);
  EXPECT_GT(count(1, "dropped"), 100u);
  EXPECT_GT(count(1, "reordered"), 1000u);
  EXPECT_EQ(n_received(), 2 * 1954 - count(1, "dropped"));
  EXPECT_EQ(in_.counts().duplicates(), count(0, "duplicated") + count(1, "duplicated"));
  EXPECT_GT(in_.counts().duplicates(), 20u);
}

TEST_F(digitiser, ends_its_streams_when_it_is_told_to) {
  for (const int number : {SIGINT, SIGTERM}) {
    const auto before = in_.counts();
    const pid_t process = at_.start(arguments({}));
    EXPECT_TRUE(wait_until([&] { return in_.counts().placed() > before.placed() + 500; }));
    ASSERT_EQ(::kill(process, number), 0);
    const finished run = at_.wait(process);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(wait_until([&] { return in_.counts().stops == before.stops + 2; }));
    EXPECT_EQ(stats()["stop_heaps"], 2);
  }
}

TEST_F(digitiser, starts_at_a_timestamp_or_by_the_clock) {
  finished run = at_.run(arguments({"--samples", "512", "--first-timestamp", "281474976710400"}));
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(stats()["end_timestamp"], 281474976710400 + 512);
  run = at_.run(arguments({"--samples", "512", "--sync-time", "1.7e9"}));
  ASSERT_EQ(run.code, 0) << run.err;
  const double now_s = static_cast<double>(std::time(nullptr));
  EXPECT_NEAR(stats()["first_timestamp"].get<double>(), (now_s - 1.7e9) * 10e6, 20 * 10e6);
  EXPECT_EQ(stats()["first_timestamp"].get<std::int64_t>() % 256, 0);
  EXPECT_EQ(stats()["sync_time_s"], 1.7e9);
}

TEST_F(digitiser, says_what_was_sent_where_its_stats_cannot_be_written) {
  const finished run = at_.run({"dsim", "0.5", "--dst", "127.0.0.1:7148", "--adc-sample-rate",
                                "10e6", "--samples", "8192", "--stats", "/dev/full"});
  EXPECT_EQ(run.code, 4);
  EXPECT_THAT(run.err, HasSubstr("sent 2 packets in "));
  EXPECT_THAT(run.err, HasSubstr("/dev/full cannot be written"));
}

TEST_F(digitiser, refuses_in_one_sentence) {
  const words base{"dsim", "0.5", "0.5", "--dst", "127.0.0.1:7148", "--adc-sample-rate", "1e6"};
  const std::vector<std::pair<words, std::string>> cases{
      {{"--sync-time", "1", "--first-timestamp", "0"}, "--sync-time excludes --first-timestamp"},
      {{"--duration", "1", "--samples", "4096"}, "--duration excludes --samples"},
      {{"--rate-factor", "2", "--as-fast-as-possible"}, "--rate-factor excludes"},
      {{"--samples", "4097"}, "4097 is no multiple of the 4096 samples of a packet; 4096 is one"},
      {{"--first-timestamp", "1"}, "--first-timestamp 1 is no multiple"},
      {{"--sync-time", "9e9"}, "give a time that has passed"},
      {{"--sync-time", "0", "--adc-sample-rate", "1e12"}, "received 2"},
      {{"--drop", "1.5"}, "--drop 1.5 is not a number from 0 to 1"},
      {{"--duplicate", "x"}, "--duplicate x is not a number from 0 to 1"},
      {{"--drop-burst", "2"}, "--drop-burst requires --drop"},
      {{"--drop-pol", "1"}, "--drop-pol requires --drop"},
      {{"--katcp-host", "localhost"}, "--katcp-host requires --katcp-port"},
      {{"--katcp-allow", "10.0.0.0/8"}, "--katcp-allow requires --katcp-port"},
      {{"--katcp-allow", "10.0.0.0/33", "--katcp-port", "7147"}, "'10.0.0.0/33' is no address"},
      {{"--katcp-port", "7147", "--katcp-host", "240.0.0.1"}, "240.0.0.1"},
      {{"--packet-samples", "5"}, "5 samples of 10 bits"},
      {{"--packet-samples", "65536"}, "1 to 65000 whole bytes"},
      {{"--signal-heaps", "2097152"}, "at most 2^32 samples"},
      {{"--interface", "none0"}, "'none0' is no interface"},
      {{"--log-level", "loud"}, "'loud' is no level"}};
  for (const auto& [more, sentence] : cases) {
    words arguments = base;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const finished run = at_.run(arguments);
    EXPECT_EQ(run.code, more[0] == "--katcp-port" ? 4 : 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(sentence));
    EXPECT_EQ(n_lines(run.err), 1u) << run.err;
  }
  const auto refusal_of = [&](const words& arguments) { return at_.run(arguments).err; };
  EXPECT_THAT(refusal_of({"dsim", "0.5", "cw(", "--dst", "127.0.0.1", "--adc-sample-rate", "1e6"}),
              HasSubstr("signal 2, column"));
  EXPECT_THAT(refusal_of({"dsim", "1", "1", "1", "--dst", "127.0.0.1", "--adc-sample-rate", "1"}),
              HasSubstr("3 signals are given"));
  EXPECT_THAT(refusal_of({"dsim", "1", "1", "--dst", "127.0.0.1+2", "--adc-sample-rate", "1e6"}),
              HasSubstr("3 endpoints for 2 polarisations"));
  EXPECT_THAT(refusal_of({"dsim", "1", "--drop", "0.1", "--drop-pol", "1", "--dst", "127.0.0.1",
                          "--adc-sample-rate", "1e6"}),
              HasSubstr("--drop-pol 1 is given for 1 signal"));
}

}  // namespace
