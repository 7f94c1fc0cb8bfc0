// SPDX-License-Identifier: Apache-2.0
// Several threads that fill the same chunks while another one uses them.
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "receive/packets.hpp"  // datagram_of

namespace {

using namespace wingbeat::receive;
using namespace wingbeat::test;

constexpr std::int64_t n_packets = 1600, packets_per_chunk = 16;
constexpr std::size_t n_threads = 3, n_chunks = 8;

struct shared_assembly {
  std::shared_ptr<chunk_pool> pool = std::make_shared<chunk_pool>(small_chunks, n_chunks, nullptr);
  chunk_assembly assembly{pool, n_chunks, {.open_chunks = 3, .waits = true}};
};

/// Returns the packets of all chunks, which it checks, until no more come.
std::size_t use_chunks(shared_assembly& assembly) {
  std::size_t n_present = 0;
  std::int64_t last = -1;
  while (!assembly.pool->is_finished()) {
    const received_chunk next(assembly.pool, assembly.pool->next(std::chrono::milliseconds(50)));
    if (!next) continue;
    expect_contents(*next);
    EXPECT_GT(next->timestamp, last) << "chunks come in order";
    last = next->timestamp;
    n_present += next->n_present;
  }
  return n_present;
}

/// Runs `write(thread, writer, chunk)` in all threads, which stay within one chunk of each other.
template <class Write>
void write_in_threads(shared_assembly& shared, Write&& write) {
  std::barrier next_chunk(n_threads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < n_threads; ++t) {
    threads.emplace_back([&, t] {
      chunk_writer writer(shared.assembly);
      for (std::int64_t chunk = 0; chunk < n_packets / packets_per_chunk; ++chunk) {
        write(t, writer, chunk * packets_per_chunk);
        next_chunk.arrive_and_wait();
      }
    });
  }
  for (std::thread& running : threads) running.join();
  shared.assembly.flush();
  shared.pool->close();
}

TEST(chunk_writers, place_each_packet_once) {
  shared_assembly shared;
  std::size_t n_present = 0;
  std::thread user([&] { n_present = use_chunks(shared); });
  write_in_threads(shared, [&](std::size_t t, chunk_writer& writer, std::int64_t first) {
    for (std::int64_t i = 0; i < packets_per_chunk; i += 4) {
      writer.begin();
      for (std::int64_t k = i; k < i + 4; ++k) {
        // Thread 1 goes the other way; all have all packets.
        const std::int64_t packet = first + (t == 1 ? packets_per_chunk - 1 - k : k);
        for (unsigned p = 0; p < 2; ++p) writer.add(datagram_of(4096 * packet, p));
      }
      writer.end();
    }
  });
  user.join();
  const receive_counts counts = shared.assembly.counts();
  expect_all_counted(counts);
  EXPECT_EQ(n_present, 2u * n_packets);
  EXPECT_EQ(counts.placed(), 2u * n_packets);
  EXPECT_EQ(counts.duplicates(), 2u * n_packets * (n_threads - 1));
  EXPECT_EQ(counts.polarisations[0].missing_packets, 0u);
  EXPECT_EQ(counts.incomplete_chunks, 0u);
}

TEST(chunk_writers, share_a_stream) {
  shared_assembly shared;
  std::size_t n_present = 0;
  std::thread user([&] { n_present = use_chunks(shared); });
  write_in_threads(shared, [&](std::size_t t, chunk_writer& writer, std::int64_t first) {
    writer.begin();
    for (std::int64_t packet = first; packet < first + packets_per_chunk; ++packet) {
      // Every 100th packet of polarisation 1 is lost.
      if (packet % static_cast<std::int64_t>(n_threads) != static_cast<std::int64_t>(t)) continue;
      writer.add(datagram_of(4096 * packet, 0));
      if (packet % 100 != 50) writer.add(datagram_of(4096 * packet, 1));
    }
    writer.end();
  });
  user.join();
  const receive_counts counts = shared.assembly.counts();
  EXPECT_EQ(n_present, 2u * n_packets - 16);
  EXPECT_EQ(counts.polarisations[0].missing_packets, 0u);
  EXPECT_EQ(counts.polarisations[1].missing_packets, 16u);
  EXPECT_EQ(counts.incomplete_chunks, 16u);
}

}  // namespace
