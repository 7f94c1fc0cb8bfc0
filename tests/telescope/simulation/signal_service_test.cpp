// SPDX-License-Identifier: Apache-2.0
// ?signals over katcp while a simulated digitiser sends, and what is received then.
#include "simulation/signal_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "control/loopback_client.hpp"
#include "control/sensor.hpp"          // unix_time_s
#include "transmit/sample_stream.hpp"  // expect_signals
#include "wingbeat/error.hpp"          // file_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using words = std::vector<std::string>;

const words first_signals{"wgn(0.1, 1)", "cw(0.3, 2e6)"};
const words second_signals{"cw(0.4, 3e6)", "nodither(wgn(0.2, 7))"};

/// A sender in a thread of its own, and its service.
class service : public ::testing::Test {
 protected:
  service() : in_({.geometry = chunks_of_small, .source = loopback_source(2), .n_chunks = 8}) {
    in_.start();
    const auto places = in_.endpoints();
    period_ = {.format = small_packets, .adc_rate_hz = 10e6, .n_packets = 1000, .seed = 2};
    out_ = std::make_unique<transmit::sample_sender>(
        transmit::sample_sender_spec{.destinations = {{places[0]}, {places[1]}},
                                     .format = small_packets,
                                     .adc_rate_hz = 10e6},
        std::make_shared<const transmit::sample_period>(first_signals, period_));
    service_ = std::make_unique<simulation::signal_service>(
        simulation::signal_service_spec{
            .port = 0, .signals = first_signals, .period = period_, .sync_time_s = 1.7e9},
        *out_, [this] { ++n_halts_; },
        [this](const std::string& sentence) {
          const std::scoped_lock lock(mutex_);
          said_.push_back(sentence);
        });
    sending_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested() && out_->send()) continue;
    });
  }

  receive::receiver in_;
  transmit::period_spec period_;
  std::unique_ptr<transmit::sample_sender> out_;
  std::unique_ptr<simulation::signal_service> service_;
  std::atomic<int> n_halts_ = 0;
  std::mutex mutex_;
  words said_;
  std::jthread sending_;
};

TEST_F(service, changes_signals_from_the_timestamp_of_its_reply_on) {
  loopback_client client(service_->port());
  EXPECT_EQ(client.request("?signals").reply.arguments,
            (words{"ok", first_signals[0], first_signals[1]}));
  const auto replied = client.request("?signals[4] cw(0.4,\\_3e6) nodither(wgn(0.2,\\_7))").reply;
  ASSERT_EQ(replied.arguments.size(), 2u) << replied.arguments.at(0);
  EXPECT_EQ(replied.arguments[0], "ok");
  EXPECT_EQ(replied.id, 4u);
  const std::int64_t changed = std::stoll(replied.arguments[1]);
  const auto value = [&](const std::string& name) {
    return client.request("?sensor-value " + name).informs.at(0).arguments.at(4);
  };
  EXPECT_EQ(value("steady-state-timestamp"), replied.arguments[1]);
  EXPECT_EQ(value("signals-orig"), "'cw(0.4, 3e6)' 'nodither(wgn(0.2, 7))'");
  EXPECT_EQ(value("signals"), "'cw(0.4, 3000000)' 'nodither(wgn(0.2, 7))'");
  EXPECT_EQ(value("dither-seed"), "2");
  EXPECT_EQ(value("period"), "256000");
  EXPECT_EQ(value("sync-time"), "1700000000.0");
  ASSERT_TRUE(wait_until([&] { return out_->counts().next_timestamp > changed + 512 * 256; }));
  sending_.request_stop();
  sending_.join();
  const auto sent = out_->counts();
  stop_after(in_,
             sent.polarisations[0].packets + sent.polarisations[1].packets + sent.descriptor_heaps);
  std::vector<expected_signal> before, after;
  for (std::size_t p = 0; p < 2; ++p) {
    before.emplace_back(first_signals[p], period_, p);
    after.emplace_back(second_signals[p], period_, p);
  }
  std::size_t n_before = 0, n_after = 0;
  while (const auto received = in_.next(std::chrono::milliseconds(0))) {
    const auto times =
        expect_signals(*received, chunks_of_small,
                       [&](std::size_t p, std::int64_t time) -> const expected_signal& {
                         ++(time < changed ? n_before : n_after);
                         return time < changed ? before[p] : after[p];
                       });
  }
  EXPECT_GT(n_before, 0u);
  EXPECT_GT(n_after, 0u);
  const std::scoped_lock lock(mutex_);
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_THAT(said_[0], HasSubstr("from timestamp " + replied.arguments[1]));
}

TEST_F(service, refuses_and_keeps_the_signals) {
  loopback_client client(service_->port());
  EXPECT_THAT(client.reply("?signals 0.5"), HasSubstr("1 signals were given for 2"));
  EXPECT_THAT(client.reply("?signals 0.5 0.5 0.5"), StartsWith("fail 3 signals"));
  EXPECT_THAT(client.reply("?signals 0.5 cw("), StartsWith("fail signal 2, column"));
  EXPECT_THAT(client.reply("?signals 0.5 cw(1,9e9)"), HasSubstr("9000000000 Hz"));
  EXPECT_EQ(client.request("?signals").reply.arguments,
            (words{"ok", first_signals[0], first_signals[1]}));
}

TEST_F(service, counts_and_halts) {
  loopback_client client(service_->port());
  const auto value = [&](const std::string& name) {
    return std::stod(client.request("?sensor-value " + name).informs.at(0).arguments.at(4));
  };
  EXPECT_TRUE(wait_until([&] { return value("input1.tx.packets") > 1000; }));
  EXPECT_GT(value("input0.tx.rate"), 1e6);
  EXPECT_EQ(value("input0.tx.dropped"), 0);
  EXPECT_GT(value("tx.timestamp"), 1000 * 256);
  EXPECT_EQ(client.reply("?halt"), "ok");
  EXPECT_TRUE(wait_until([&] { return n_halts_ == 1; }));
}

TEST(signal_service, answers_others_while_it_samples_a_period) {
  // Some seconds of work.
  const transmit::period_spec period{.adc_rate_hz = 1e9, .n_packets = 8192};
  const transmit::period_spec small{.adc_rate_hz = 1e9, .n_packets = 1};
  const words signals{"wgn(0.1, 1) + wgn(0.1, 2) + wgn(0.1, 3)"};
  transmit::sample_sender out({.destinations = {{{loopback, 9}}}, .adc_rate_hz = 1e9},
                              std::make_shared<const transmit::sample_period>(signals, small));
  const simulation::signal_service served(
      {.port = 0, .signals = signals, .period = period}, out, [] {}, [](const std::string&) {});
  loopback_client client(served.port());
  ASSERT_TRUE(client.send("?signals[1] wgn(0.1,1)+wgn(0.1,2)\n?watchdog[2]\n"));
  words replies;
  while (replies.size() < 2) {
    const auto next = client.message(100);
    if (next.name.empty()) break;
    if (next.kind == control::message_kind::reply) replies.push_back(next.name);
  }
  EXPECT_EQ(replies, (words{"watchdog", "signals"}));
}

TEST(signal_service, refuses_a_port_that_is_taken) {
  const words signals{"0.5"};
  const transmit::period_spec period{.adc_rate_hz = 1e6, .n_packets = 1};
  transmit::sample_sender out({.destinations = {{{loopback, 9}}}, .adc_rate_hz = 1e6},
                              std::make_shared<const transmit::sample_period>(signals, period));
  const simulation::signal_service first(
      {.port = 0, .signals = signals, .period = period}, out, [] {}, [](const std::string&) {});
  EXPECT_THROW(
      simulation::signal_service(
          {.port = first.port(), .signals = signals}, out, [] {}, [](const std::string&) {}),
      file_error);
}

TEST_F(service, tells_the_time) {
  loopback_client client(service_->port());
  const double before_s = control::unix_time_s();
  const auto reply = client.request("?time").reply.arguments;
  ASSERT_EQ(reply.size(), 2u);
  EXPECT_GE(std::stod(reply[1]), before_s - 1e-5);
  EXPECT_LE(std::stod(reply[1]), control::unix_time_s() + 1e-5);
}

}  // namespace
