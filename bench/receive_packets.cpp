// SPDX-License-Identifier: Apache-2.0
// How many packets does a receiver take without loss? A sender and a receiver of this process, over
// the loopback interface, at a given rate; and the highest rate without loss, found by bisection.
#include <chrono>
#include <thread>

#include "bench/question.hpp"
#include "receive/receiver.hpp"
#include "transmit/sample_sender.hpp"

namespace wingbeat::bench {
namespace {

constexpr std::size_t n_endpoints = 8;  // per polarisation, each with a socket's buffer

struct outcome {
  std::uint64_t n_sent = 0, n_placed = 0;
  double late_s = 0;
  [[nodiscard]] bool is_lossless() const { return n_placed == n_sent && late_s == 0; }
};

/// The packets to send: one format, and a period of it.
struct traffic {
  transmit::sample_format format;
  std::shared_ptr<const transmit::sample_period> period;
};

constexpr std::size_t chunk_packets = 2048, n_chunks = 8;
constexpr std::size_t buffer_bytes = std::size_t{64} << 20;  // of all sockets

/// Sends samples at `gbps` for a time to the endpoints of both polarisations.
outcome send(const traffic& stream, double gbps, double seconds,
             const std::vector<net::endpoint>& places) {
  const double rate_hz = gbps * 1e9 / 2 / stream.format.sample_bits;
  std::vector<std::vector<net::endpoint>> to(2);
  for (std::size_t i = 0; i < places.size(); ++i) to[i / n_endpoints].push_back(places[i]);
  transmit::sample_sender out(
      {.destinations = to,
       .interface = "lo",
       .format = stream.format,
       .adc_rate_hz = rate_hz,
       .n_packets = static_cast<std::uint64_t>(seconds * rate_hz /
                                               static_cast<double>(stream.format.packet_samples)),
       .descriptor_interval_s = 0},
      stream.period);
  while (out.send()) continue;
  outcome result;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto sent = out.counts();
  for (const auto& each : sent.polarisations) result.n_sent += each.packets;
  result.late_s = sent.late_s;
  return result;
}

/// Receives on one thread, which takes the chunks and gives them back.
outcome run_once(const traffic& stream, double gbps, double seconds) {
  receive::live_source source{
      .endpoints = std::vector<net::endpoint>(2 * n_endpoints, {0x7f000001, 0}),
      .buffer_bytes = buffer_bytes,
      .affinity = {-1}};
  receive::receiver in({.geometry = {.sample_bits = stream.format.sample_bits,
                                     .packet_samples = stream.format.packet_samples,
                                     .chunk_samples = chunk_packets * stream.format.packet_samples},
                        .source = source,
                        .n_chunks = n_chunks});
  in.start();
  std::thread user{[&] {
    while (!in.is_finished()) (void)in.next(std::chrono::milliseconds(100));
  }};
  outcome result = send(stream, gbps, seconds, in.endpoints());
  in.stop();
  user.join();
  result.n_placed = in.counts().placed();
  return result;
}

void search(session& asked, const transmit::sample_format& format, double seconds) {
  const traffic stream{
      format, std::make_shared<const transmit::sample_period>(
                  std::vector<std::string>{"wgn(0.1, 1)", "wgn(0.1, 2)"},
                  transmit::period_spec{.format = format, .adc_rate_hz = 1e9, .n_packets = 256})};
  double lossless = 0, lossy = 64;
  json row{{"packet_bytes", format.packet_bytes()}};
  for (int step = 0; step < 8; ++step) {
    const double gbps = (lossless + lossy) / 2;
    const outcome result = run_once(stream, gbps, seconds);
    (result.is_lossless() ? lossless : lossy) = gbps;
    row["gbps_asked"].push_back(gbps);
    row["packets_sent"].push_back(result.n_sent);
    row["packets_placed"].push_back(result.n_placed);
  }
  row["highest_gbps_without_loss"] = lossless;
  asked.add(std::move(row));
}

void packets(session& asked) {
  const auto given = asked.numbers({2});
  asked.head("processors", std::thread::hardware_concurrency());
  for (const transmit::sample_format format :
       {transmit::sample_format{.sample_bits = 10, .packet_samples = 4096},
        transmit::sample_format{.sample_bits = 8, .packet_samples = 8192}}) {
    search(asked, format, static_cast<double>(given.front()));
  }
}

const registration of_packets{{"packets", "[SECONDS of each rate]",
                               "how many packets a receiver takes without loss", packets}};

}  // namespace
}  // namespace wingbeat::bench
