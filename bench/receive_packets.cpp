// SPDX-License-Identifier: Apache-2.0
// How many packets a receiver takes without loss: a sender and a receiver of this process, over the
// loopback interface, at a rate; and the highest rate without loss, found by halving.
//
//     receive_packets FILE.json [SECONDS [PACKETS GBPS]] [-- PEER...]
//
// SECONDS of each step of the search (2). PACKETS are then sent once more at GBPS of samples. PEER
// is a command that receives by another library, searched in the same way: bench/receive_peer.hpp.
// WINGBEAT_COMMIT names the commit.
#include <fmt/format.h>

#include <algorithm>  // find
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bench/results.hpp"          // document_of
#include "measure/document_text.hpp"  // write_document
#include "receive/receiver.hpp"
#include "receive_peer.hpp"
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

/// What is sent: one format, and a period of it.
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
  const auto begun = clock_type::now();
  while (out.send()) continue;
  outcome result;
  result.elapsed_s = std::chrono::duration<double>(clock_type::now() - begun).count();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto sent = out.counts();
  for (const auto& each : sent.polarisations) result.n_sent += each.packets;
  result.late_s = sent.late_s;
  return result;
}

/// Receives on one thread. The chunks are taken and given back.
outcome run_ours(const traffic& stream, double gbps, double seconds) {
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
  const auto received = in.counts();
  result.n_placed = received.placed();
  result.n_starved = received.starved();
  result.n_dropped = received.socket_drops;
  return result;
}

/// The same by a peer, which does not tell why packets are lost.
outcome run_peer(bench::receive_peer& peer, const traffic& stream, double gbps, double seconds) {
  const auto places = peer.open(stream.format.packet_bytes(), stream.format.packet_samples,
                                chunk_packets, 2 * n_endpoints, buffer_bytes / (2 * n_endpoints));
  outcome result = send(stream, gbps, seconds, places);
  result.n_placed = peer.stop();
  return result;
}

json document_of(const outcome& result, double gbps, const transmit::sample_format& format) {
  return {{"gbps_asked", gbps},
          {"gbps",
           static_cast<double>(8 * result.n_sent * format.packet_bytes()) / result.elapsed_s / 1e9},
          {"packets_sent", result.n_sent},
          {"packets_placed", result.n_placed},
          {"starved", result.n_starved},
          {"socket_drops", result.n_dropped},
          {"sender_late_s", result.late_s},
          {"elapsed_s", result.elapsed_s}};
}

using receiver_run = std::function<outcome(const traffic&, double gbps, double seconds)>;

struct arguments {
  std::string file;
  double seconds = 2, n_packets = 0, gbps = 0;
  std::vector<std::string> peer;
};

/// Searches the highest rate without loss, and sends the packets that were asked for.
json measured(const char* name, const arguments& given, const traffic& stream,
              const receiver_run& run) {
  json found;
  double lossless = 0, lossy = 64;
  for (int step = 0; step < 8; ++step) {
    const double gbps = (lossless + lossy) / 2;
    const outcome result = run(stream, gbps, given.seconds);
    fmt::print("{}, {} bytes, {:.3g} Gb/s: {} of {} packets, {} starved, sender {:.3g} s late\n",
               name, stream.format.packet_bytes(), gbps, result.n_placed, result.n_sent,
               result.n_starved, result.late_s);
    (result.is_lossless() ? lossless : lossy) = gbps;
    found["steps"].push_back(document_of(result, gbps, stream.format));
  }
  found["highest_gbps_without_loss"] = lossless;
  if (given.n_packets == 0) return found;
  const double bits = 8 * static_cast<double>(stream.format.packet_bytes());
  const outcome result = run(stream, given.gbps, given.n_packets * bits / (given.gbps * 1e9));
  fmt::print("{}, {} bytes, {} Gb/s: {} of {} packets\n", name, stream.format.packet_bytes(),
             given.gbps, result.n_placed, result.n_sent);
  found["at_rate"] = document_of(result, given.gbps, stream.format);
  return found;
}

arguments parsed(std::vector<std::string> words) {
  arguments given;
  const auto peer = std::find(words.begin(), words.end(), "--");
  if (peer != words.end()) given.peer.assign(peer + 1, words.end());
  words.erase(peer, words.end());
  if (words.empty() || words.size() > 4 || words.size() == 3) return given;
  given.file = words[0];
  if (words.size() > 1) given.seconds = std::stod(words[1]);
  if (words.size() == 4) {
    given.n_packets = std::stod(words[2]);
    given.gbps = std::stod(words[3]);
  }
  return given;
}

}  // namespace

int main(int argc, char** argv) {
  const arguments given = parsed({argv + 1, argv + argc});
  if (given.file.empty()) {
    fmt::print(stderr, "receive_packets FILE.json [SECONDS [PACKETS GBPS]] [-- PEER...]\n");
    return 2;
  }
  std::unique_ptr<bench::receive_peer> peer;
  if (!given.peer.empty()) {
    peer = std::make_unique<bench::receive_peer>(given.peer);
    fmt::print("peer: {}\n", peer->name().empty() ? "it does not start" : peer->name());
    if (!peer->is_ready()) peer.reset();
  }
  json document = bench::document_of("wingbeat.receive_packets/2");
  document["processors"] = std::thread::hardware_concurrency();
  if (peer) document["peer"] = peer->name();
  for (const transmit::sample_format format :
       {transmit::sample_format{.sample_bits = 10, .packet_samples = 4096},
        transmit::sample_format{.sample_bits = 8, .packet_samples = 8192}}) {
    const traffic stream{
        format, std::make_shared<const transmit::sample_period>(
                    std::vector<std::string>{"wgn(0.1, 1)", "wgn(0.1, 2)"},
                    transmit::period_spec{.format = format, .adc_rate_hz = 1e9, .n_packets = 256})};
    json of_format{{"packet_bytes", format.packet_bytes()}};
    of_format["wingbeat"] = measured("wingbeat", given, stream, run_ours);
    if (peer) {
      const receiver_run by_peer = [&](const auto& sent, double gbps, double seconds) {
        return run_peer(*peer, sent, gbps, seconds);
      };
      of_format["peer"] = measured("peer", given, stream, by_peer);
    }
    document["formats"].push_back(std::move(of_format));
  }
  measure::write_document(given.file, document);
  return 0;
}
