// SPDX-License-Identifier: Apache-2.0
// How many packets a receiver takes without loss: a sender and a receiver of this process, over the
// loopback interface, at a rate; and the highest rate without loss, found by halving.
//
//     receive_packets FILE.json [SECONDS [PACKETS GBPS]]
//
// SECONDS of each step of the search (2). PACKETS are then sent once more at GBPS of samples.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "receive/receiver.hpp"
#include "transmit/sample_sender.hpp"

namespace {

using namespace wingbeat;
using clock_type = std::chrono::steady_clock;
using json = nlohmann::ordered_json;

constexpr std::size_t n_endpoints = 8;  // of each polarisation, each with a socket's buffer

struct outcome {
  std::uint64_t n_sent = 0, n_placed = 0, n_starved = 0, n_dropped = 0;
  double elapsed_s = 0, late_s = 0;
  [[nodiscard]] bool is_lossless() const { return n_placed == n_sent && late_s == 0; }
};

/// Sends samples of `bits` at `gbps` for a time, and receives them on a thread for each of
/// `n_threads`. The chunks are taken and given back.
outcome run(const transmit::sample_format& format, double gbps, double seconds,
            std::size_t n_threads, const std::shared_ptr<const transmit::sample_period>& period) {
  const double rate_hz = gbps * 1e9 / 2 / format.sample_bits;
  receive::live_source source{
      .endpoints = std::vector<net::endpoint>(2 * n_endpoints, {0x7f000001, 0}),
      .buffer_bytes = std::size_t{64} << 20,
      .affinity = std::vector<int>(n_threads, -1)};
  receive::receiver in({.geometry = {.sample_bits = format.sample_bits,
                                     .packet_samples = format.packet_samples,
                                     .chunk_samples = 2048 * format.packet_samples},
                        .source = source,
                        .n_chunks = 8});
  const auto places = in.endpoints();
  std::vector<std::vector<net::endpoint>> to(2);
  for (std::size_t i = 0; i < places.size(); ++i) to[i / n_endpoints].push_back(places[i]);
  const auto n_packets =
      static_cast<std::uint64_t>(seconds * rate_hz / static_cast<double>(format.packet_samples));
  transmit::sample_sender out({.destinations = to,
                               .interface = "lo",
                               .format = format,
                               .adc_rate_hz = rate_hz,
                               .n_packets = n_packets,
                               .descriptor_interval_s = 0},
                              period);
  in.start();
  std::thread user{[&] {
    while (!in.is_finished()) (void)in.next(std::chrono::milliseconds(100));
  }};
  const auto begun = clock_type::now();
  while (out.send()) continue;
  outcome result;
  result.elapsed_s = std::chrono::duration<double>(clock_type::now() - begun).count();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  in.stop();
  user.join();
  const auto sent = out.counts();
  const auto received = in.counts();
  for (const auto& each : sent.polarisations) result.n_sent += each.packets;
  result.n_placed = received.placed();
  result.n_starved = received.starved;
  result.n_dropped = received.socket_drops;
  result.late_s = sent.late_s;
  return result;
}

json document_of(const outcome& of, double gbps, const transmit::sample_format& format) {
  return {{"gbps_asked", gbps},
          {"gbps", static_cast<double>(8 * of.n_sent * format.packet_bytes()) / of.elapsed_s / 1e9},
          {"packets_sent", of.n_sent},
          {"packets_placed", of.n_placed},
          {"starved", of.n_starved},
          {"socket_drops", of.n_dropped},
          {"sender_late_s", of.late_s},
          {"elapsed_s", of.elapsed_s}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "receive_packets FILE.json [SECONDS [PACKETS GBPS]]\n");
    return 2;
  }
  const double seconds = argc > 2 ? std::stod(argv[2]) : 2;
  json document;
  document["schema"] = "wingbeat.receive_packets/1";
  document["processors"] = std::thread::hardware_concurrency();
  for (const transmit::sample_format format :
       {transmit::sample_format{.sample_bits = 10, .packet_samples = 4096},
        transmit::sample_format{.sample_bits = 8, .packet_samples = 8192}}) {
    const auto period = std::make_shared<const transmit::sample_period>(
        std::vector<std::string>{"wgn(0.1, 1)", "wgn(0.1, 2)"},
        transmit::period_spec{.format = format, .adc_rate_hz = 1e9, .n_packets = 256});
    json of_format{{"packet_bytes", format.packet_bytes()}};
    double lossless = 0, lossy = 64;
    for (int step = 0; step < 8; ++step) {
      const double gbps = (lossless + lossy) / 2;
      const outcome found = run(format, gbps, seconds, 1, period);
      fmt::print("{} bytes, {:.3g} Gb/s: {} of {} packets, {} starved, sender {:.3g} s late\n",
                 format.packet_bytes(), gbps, found.n_placed, found.n_sent, found.n_starved,
                 found.late_s);
      (found.is_lossless() ? lossless : lossy) = gbps;
      of_format["steps"].push_back(document_of(found, gbps, format));
    }
    of_format["highest_gbps_without_loss"] = lossless;
    if (argc > 4) {
      const double gbps = std::stod(argv[4]);
      const double bits = 8 * static_cast<double>(format.packet_bytes());
      const outcome found = run(format, gbps, std::stod(argv[3]) * bits / (gbps * 1e9), 1, period);
      of_format["at_rate"] = document_of(found, gbps, format);
      fmt::print("{} bytes, {} Gb/s: {} of {} packets\n", format.packet_bytes(), gbps,
                 found.n_placed, found.n_sent);
    }
    document["formats"].push_back(std::move(of_format));
  }
  std::ofstream(argv[1]) << document.dump(2) << "\n";
  return 0;
}
