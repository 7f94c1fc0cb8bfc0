// SPDX-License-Identifier: Apache-2.0
// spead_exchange packets | decode | send PORT PORT | receive N: our side of exchanges with other
// programs. Packets are lines of hexadecimal digits.
#include <chrono>
#include <cstdio>  // fflush, printf
#include <iostream>
#include <string>
#include <thread>  // sleep_for

#include "receive/receiver.hpp"
#include "spead/bytes.hpp"  // counting_bytes, from_hex, to_hex
#include "spead/channel_heap.hpp"
#include "spead/digitiser_packet.hpp"
#include "spead/heap_assembler.hpp"
#include "transmit/heap_sender.hpp"

namespace {

using namespace wingbeat;

void print(const char* name, const std::vector<std::vector<std::byte>>& packets) {
  for (const auto& next : packets) std::printf("%s %s\n", name, test::to_hex(next).c_str());
}

/// Prints packets of each kind that we send.
int write_packets() {
  const auto samples = test::counting_bytes(5120);
  const auto preamble = preamble_of(spead::digitiser_packet{.heap_id = 8,
                                                            .timestamp = 0x7000,
                                                            .polarisation = 1,
                                                            .saturated = 7,
                                                            .is_saturated = true,
                                                            .samples = samples});
  std::vector<std::byte> packet(preamble.begin(), preamble.end());
  packet.insert(packet.end(), samples.begin(), samples.end());
  print("digitiser", {packet});
  const spead::channel_heap_format format{.channels = 4, .spectra = 5};
  const auto voltages = test::counting_bytes(format.heap_bytes());
  const auto heap = outgoing(
      {.timestamp = 0x10000, .engine = 3, .first_channel = 64, .voltages = voltages}, format, 5);
  print("repeated", packets_of(heap, {.packet_bytes = 104, .repeats_pointers = true}));
  print("once", packets_of(heap, {.packet_bytes = 104}));
  print("stop", spead::packets_of(spead::stop_heap(9), {}));
  print("empty", spead::packets_of({.id = 9}, {}));
  for (const auto samples_as : {heap_sample::int8, heap_sample::int4, heap_sample::fp32}) {
    const auto described =
        spead::descriptors_of({.channels = 4, .spectra = 5, .samples = samples_as});
    print("descriptors", packets_of(spead::descriptor_heap(described).heap(5), {}));
  }
  return 0;
}

/// Prints the heaps of packets, item by item.
int read_packets() {
  spead::heap_assembler assembler({.max_heaps = 16});
  for (std::string line; std::getline(std::cin, line);) {
    const auto heap = assembler.add(test::from_hex(line));
    if (!heap) continue;
    std::printf("heap %llu%s", static_cast<unsigned long long>(heap->id()),
                heap->is_stop() ? " stop" : "");
    for (const auto& item : heap->items()) {
      if (item.is_immediate) {
        std::printf(" %x=%llu", item.id, static_cast<unsigned long long>(item.value));
      } else {
        std::printf(" %x:%s", item.id, test::to_hex(item.bytes).c_str());
      }
    }
    std::printf("\n");
  }
  return 0;
}

/// Sends five batches in two substreams, then stop heaps.
int send_batches(std::uint16_t first_port, std::uint16_t second_port) {
  transmit::heap_sender out({.destinations = {{0x7f000001, first_port}, {0x7f000001, second_port}},
                             .interfaces = {"lo"},
                             .channels = 64,
                             .spectra_per_heap = 256,
                             .has_missing = true,
                             .engine = 3,
                             .batch_interval_s = 0.01,
                             .packets_in_succession = 3});
  for (unsigned i = 0; i < 5; ++i) {
    const auto voltages = test::counting_bytes(out.batch_bytes(), i);
    out.send({.timestamp = 4096 * i, .voltages = voltages, .missing = i % 4});
  }
  out.stop();
  const auto counts = out.counts();
  std::printf("%llu heaps %llu failed\n", static_cast<unsigned long long>(counts.heaps),
              static_cast<unsigned long long>(counts.failed_packets));
  return counts.heaps == 10 ? 0 : 1;
}

/// Receives `n` datagrams on a port that it prints, and prints what it counts and has.
int receive_packets(std::uint64_t n) {
  wingbeat::receive::receiver in({.geometry = {.chunk_samples = 65536},
                                  .source = wingbeat::receive::live_source{
                                      .endpoints = {{0x7f000001, 0}}, .buffer_bytes = 1 << 22}});
  in.start();
  std::printf("%u\n", static_cast<unsigned>(in.endpoints()[0].port));
  std::fflush(stdout);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (in.counts().datagrams < n && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  in.stop();
  const auto counts = in.counts();
  std::printf("%llu %llu %llu %llu %llu\n", static_cast<unsigned long long>(counts.placed()),
              static_cast<unsigned long long>(counts.rejected()),
              static_cast<unsigned long long>(counts.descriptors),
              static_cast<unsigned long long>(counts.stops),
              static_cast<unsigned long long>(counts.polarisations[0].saturated_samples +
                                              counts.polarisations[1].saturated_samples));
  while (!in.is_finished()) {
    const auto chunk = in.next(std::chrono::milliseconds(100));
    for (unsigned p = 0; chunk && p < 2; ++p) {
      std::printf("%lld %s\n", static_cast<long long>(chunk->timestamp),
                  test::to_hex(chunk->samples[p]).c_str());
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string command = count > 1 ? words[1] : "";
  try {
    if (command == "packets") return write_packets();
    if (command == "decode") return read_packets();
    if (command == "send" && count == 4) {
      return send_batches(static_cast<std::uint16_t>(std::stoi(words[2])),
                          static_cast<std::uint16_t>(std::stoi(words[3])));
    }
    if (command == "receive" && count == 3) return receive_packets(std::stoull(words[2]));
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 1;
  }
  std::fprintf(stderr, "spead_exchange packets | decode | send PORT PORT | receive N\n");
  return 2;
}
