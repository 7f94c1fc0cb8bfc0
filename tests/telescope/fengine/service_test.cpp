// SPDX-License-Identifier: Apache-2.0
// The engine under control while samples stream: random requests are all answered, nothing is
// lost, what is promised is kept; metrics agree with counters; ?halt ends the service.
#include "fengine/service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "control/loopback_client.hpp"
#include "fengine/engine_run.hpp"
#include "support/full_run.hpp"  // is_full_run
#include "wingbeat/error.hpp"    // file_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

constexpr std::int64_t chunk_packets = 16;

fengine::service_spec spec_for(const net::endpoint& destination) {
  fengine::engine_spec engine{
      .input = {.geometry = tiny_chunks, .source = loopback_source(), .n_chunks = 256},
      .adc_rate_hz = 1e6,
      .sync_time_s = 1.6e9,
      .device = first_device(engine::host),
      .gain = 0.05F,
      .max_delay_diff = 8192,
      .sending = {.interfaces = {"lo"}, .packet_payload_bytes = 512, .rate_factor = 0}};
  channeliser_spec bank{.channels = 64, .taps = 4, .spectra_per_heap = 16, .seed = 7};
  engine.outputs = {{"wide", bank, std::vector<net::endpoint>(4, destination)}};
  return {.engine = fengine::checked(std::move(engine)),
          .katcp = control::katcp_options{.port = 0},
          .monitor = control::monitor_options{}};
}

/// Sends packets until it is told to stop, as quickly as the engine takes them.
class stream {
 public:
  explicit stream(const fengine::engine& engine) {
    thread_ = std::thread{[this, &engine] {
      loopback_sender out;
      const net::endpoint destination = engine.endpoints().front();
      for (; !is_done_; ++n_packets_) {
        for (unsigned pol = 0; pol < 2; ++pol)
          out.send(destination, packet_datagram({n_packets_, pol}));
        if (n_packets_ % 32 > 0) continue;
        EXPECT_TRUE(wait_until([&] { return keeps_up(engine); }));
      }
    }};
  }
  ~stream() { stop(); }

  /// Returns the packets that were sent of each polarisation so far.
  [[nodiscard]] std::int64_t n_packets() const { return n_packets_; }

  /// Ends it, and returns the packets that were sent of each polarisation.
  std::int64_t stop() {
    is_done_ = true;
    if (thread_.joinable()) thread_.join();
    return n_packets_;
  }

 private:
  [[nodiscard]] bool keeps_up(const fengine::engine& engine) const {
    const heap_counts counted = engine.counts(0).batches;
    const auto n = static_cast<std::uint64_t>(n_packets_);
    return engine.received().datagrams + 512 >= 2 * n &&
           8 * (counted.sent + counted.withheld + counted.skipped) + 2048 >= n;
  }

  std::atomic<bool> is_done_ = false;
  std::atomic<std::int64_t> n_packets_ = 0;
  std::thread thread_;
};

std::string random_request(std::mt19937& dice) {
  const auto number = [&] {
    return std::to_string(static_cast<int>(dice() % 2000) - 1000) + "e-9";
  };
  switch (dice() % 10) {
    case 0: return "?gain wide " + std::to_string(dice() % 3);
    case 1: return "?gain wide 0 0.05";
    case 2: return "?gain-all wide default";
    case 3: return "?gain-all wide nan";
    case 4: return "?delays wide 1600000000 " + number() + ",0:0,0 " + number() + ",0:0.5,0";
    case 5: return "?delays wide 1500000000 0,0:0,0 0,0:0,0";
    case 6: return "?sensor-value";
    case 7: return "?sensor-sampling input0.rx.timestamp event";
    case 8: return "?help";
    default: return "?delays wide " + number();
  }
}

TEST(fengine_service, answers_random_requests_while_it_works) {
  heap_catcher caught;
  control::service_log log{"test", control::log_level::off};
  fengine::service served{spec_for(caught.place()), log};
  served.start();
  stream samples{served.engine()};
  loopback_client client{served.katcp_port()};
  std::mt19937 dice(23);
  const int n_requests = is_full_run() ? 10'000 : 1'000;
  double longest_s = 0;
  for (int i = 1; i <= n_requests; ++i) {
    std::string request = random_request(dice);
    const std::string id = "[" + std::to_string(i) + "]";
    const std::size_t name_end = std::min(request.find(' '), request.size());
    request.insert(name_end, id);
    const auto begun = std::chrono::steady_clock::now();
    ASSERT_TRUE(client.send(request + "\n"));
    for (;;) {
      const auto line = client.line();
      ASSERT_TRUE(line) << request;
      if (!line->starts_with("!")) continue;  // informs
      EXPECT_EQ(line->substr(1, name_end - 1 + id.size()),
                request.substr(1, name_end - 1 + id.size()));
      break;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    longest_s = std::max(longest_s, taken.count());
  }
  // Requests may be answered before many packets are sent.
  EXPECT_TRUE(wait_until([&] { return samples.n_packets() > 8 * chunk_packets; }));
  const std::int64_t n_packets = samples.stop();
  RecordProperty("longest_reply_s", std::to_string(longest_s));
  EXPECT_TRUE(wait_until([&] {
    return served.engine().received().datagrams >= 2 * static_cast<std::uint64_t>(n_packets);
  }));
  ASSERT_TRUE(client.send("?halt\n"));
  EXPECT_TRUE(wait_until([&] { return served.is_finished(); }));
  served.stop();

  const auto received = served.engine().received();
  ASSERT_EQ(received.starved() + received.socket_drops, 0U) << "this machine is too slow";
  EXPECT_EQ(received.placed(), 2 * static_cast<std::uint64_t>(n_packets));
  EXPECT_GT(n_packets, 8 * chunk_packets);
  const auto counts = served.engine().counts(0);
  EXPECT_EQ(counts.sent.failed_heaps, 0U);
  EXPECT_GT(counts.sent.heaps, 0U);
  EXPECT_TRUE(wait_until([&] { return caught.n_stops() == 4; }));
  const std::string text = served.metrics().text();
  EXPECT_THAT(text, HasSubstr("fgpu_input_heaps_total{pol=\"1\"} " + std::to_string(n_packets)));
  EXPECT_THAT(text, HasSubstr("fgpu_output_heaps_total{stream=\"wide\"} " +
                              std::to_string(counts.sent.heaps)));
}

// Of a narrow band, whose batches are longer, then of the wide one; delays 20 s ahead, then gains.
TEST(fengine_service, steady_state_never_goes_down) {
  heap_catcher caught;
  control::service_log log{"test", control::log_level::off};
  fengine::service_spec spec = spec_for(caught.place());
  fengine::output_spec narrow = spec.engine.outputs[0];
  narrow.name = "narrow";
  narrow.bank.narrowband = {.centre_hz = 2e5, .decimation = 4};
  narrow.destinations = {{0x7f000001, 9}};
  spec.engine.outputs.push_back(narrow);
  spec.engine = fengine::checked(spec.engine);
  fengine::service served{spec, log};
  served.start();
  stream samples{served.engine()};
  loopback_client client{served.katcp_port()};
  EXPECT_TRUE(wait_until([&] { return served.engine().counts(1).sent.heaps > 0; }));
  std::int64_t last = -1;
  const std::string zero = " 0,0:0,0 0,0:0,0";
  for (const std::string& request : std::vector<std::string>{
           "?gain narrow 0 0.1", "?gain wide 0 0.1", "?gain-all narrow 0.2", "?gain wide 1 0.2",
           "?delays wide 1600000020" + zero, "?gain wide 0 0.3", "?gain narrow 0 0.3",
           "?delays narrow 1600000000" + zero}) {
    EXPECT_EQ(client.request(request).reply.arguments.at(0), "ok") << request;
    const auto informs = client.request("?sensor-value steady-state-timestamp").informs;
    const std::int64_t value = std::stoll(informs.at(0).arguments.at(4));
    EXPECT_GE(value, last) << request;
    last = value;
  }
  EXPECT_EQ(last, 20'000'000);
  samples.stop();
  served.stop();
}

TEST(fengine_service, counts_clients_that_it_refuses) {
  heap_catcher caught;
  control::service_log log{"test", control::log_level::off};
  fengine::service_spec spec = spec_for(caught.place());
  const std::vector<std::string> other{"127.0.0.2"};
  spec.katcp->access.allowed = control::network_list{"--katcp-allow", other};
  fengine::service served{spec, log};
  served.start();
  EXPECT_THAT(loopback_client(served.katcp_port()).rest(), HasSubstr("not\\_allowed"));
  EXPECT_EQ(loopback_client(served.katcp_port(), "127.0.0.2").reply("?watchdog"), "ok");
  loopback_client http{served.monitor_port()};
  http.send("GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(http.rest(), HasSubstr("wingbeat_refused_clients_total{server=\"katcp\"} 1\n"));
}

TEST(fengine_service, says_when_a_port_is_taken) {
  heap_catcher caught;
  control::service_log log{"test", control::log_level::off};
  fengine::service_spec spec = spec_for(caught.place());
  const fengine::service first{spec, log};
  spec.katcp->port = first.katcp_port();
  try {
    const fengine::service second{spec, log};
    FAIL() << "both have port " << second.katcp_port();
  } catch (const file_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(first.katcp_port())));
  }
}

}  // namespace
