// SPDX-License-Identifier: Apache-2.0
// A receiver on the loopback interface, and exact counters after deliberate faults.
#include "receive/receiver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>  // getpid

#include "receive/traffic.hpp"  // loopback_sender, stop_after
#include "support/refusal.hpp"  // message_of
#include "wingbeat/error.hpp"   // error

namespace {

using namespace wingbeat::receive;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

receive_spec small_spec(const live_source& source, std::size_t n_chunks = 12) {
  return {.geometry = small_chunks, .source = source, .n_chunks = n_chunks};
}

TEST(receiver, counts_what_was_done_to_the_stream) {
  receiver in(small_spec(loopback_source()));
  in.start();
  const auto destination = in.endpoints().at(0);
  loopback_sender out;
  std::uint64_t n_sent = 0;
  const auto send = [&](std::int64_t packet, unsigned polarisation, std::int64_t shift = 0) {
    out.send(destination, datagram_of(4096 * packet + shift, polarisation));
    ++n_sent;
  };
  // Polarisation 0 loses 2 packets, and 1 loses 5; chunk 1's packet 20 comes late in chunk 3.
  for (std::int64_t i = 0; i < 96; i += 2) {
    for (const std::int64_t packet : {i + 1, i}) {  // in another order
      const bool is_dropped_0 = packet == 33 || packet == 34 || packet == 20;
      const bool is_dropped_1 = packet >= 40 && packet < 45;
      if (!is_dropped_0) send(packet, 0);
      if (!is_dropped_1) send(packet, 1);
    }
    if (i == 50) send(20, 0);               // late
    if (i % 10 == 0) send(i, 1, 5);         // misaligned
    if (i == 60) send(60, 1), send(61, 0);  // duplicates
  }
  const auto runt = datagram_of(0, 0);
  out.send(destination, std::span(runt).first(3));
  out.send(destination, datagram_of(0, 0, {.packet_samples = 2048}));
  n_sent += 2;
  stop_after(in, n_sent);
  EXPECT_THAT(collect(in), ElementsAre(0, 1, 2, 3, 4, 5));
  const receive_counts counts = in.counts();
  expect_all_counted(counts);
  EXPECT_EQ(counts.datagrams, n_sent);
  EXPECT_EQ(counts.polarisations[0].packets, 93u);
  EXPECT_EQ(counts.polarisations[1].packets, 91u);
  EXPECT_EQ(counts.polarisations[0].bytes, 93u * 5120);
  EXPECT_EQ(counts.polarisations[0].missing_packets, 3u);
  EXPECT_EQ(counts.polarisations[1].missing_packets, 5u);
  EXPECT_EQ(counts.late(), 1u);
  EXPECT_EQ(counts.misaligned(), 10u);
  EXPECT_EQ(counts.duplicates(), 2u);
  EXPECT_EQ(counts.undecodable[1], 1u);
  EXPECT_EQ(counts.wrong_size, 1u);
  EXPECT_EQ(counts.socket_drops, 0u);
  EXPECT_EQ(counts.chunks, 6u);
  EXPECT_EQ(counts.incomplete_chunks, 2u);
  EXPECT_EQ(in.failure(), "");
}

TEST(receiver, splits_what_the_system_joined) {
  receiver in(small_spec(loopback_source()));
  in.start();
  loopback_sender out;
  for (std::int64_t i = 0; i < 32; i += 4) {
    std::vector<std::byte> several;
    for (std::int64_t packet = i; packet < i + 4; ++packet) {
      for (unsigned p = 0; p < 2; ++p) {
        const auto next = datagram_of(4096 * packet, p);
        several.insert(several.end(), next.begin(), next.end());
      }
    }
    out.send(in.endpoints().at(0), several, 5192);
  }
  stop_after(in, 64);
  EXPECT_THAT(collect(in), ElementsAre(0, 1));
  EXPECT_EQ(in.counts().placed(), 64u);
  EXPECT_EQ(in.counts().datagrams, 64u);
}

TEST(receiver, joins_groups_in_several_threads) {
  const auto port = static_cast<std::uint16_t>(20000 + ::getpid() % 20000);
  live_source source{.endpoints = wingbeat::net::parse_endpoints("239.255.77.10+3", port),
                     .interfaces = {"lo"},
                     .buffer_bytes = 16 << 20,
                     .affinity = {-1, -1}};
  receiver in(small_spec(source, 20));
  in.start();
  loopback_sender out;
  for (std::int64_t i = 0; i < 160; ++i) {
    for (unsigned p = 0; p < 2; ++p) {
      out.send(source.endpoints[static_cast<std::size_t>(2 * p + i % 2)], datagram_of(4096 * i, p));
    }
    // Threads may be three chunks apart, and no more.
    if (i % 16 == 15) {
      ASSERT_TRUE(wait_until(
          [&] { return in.counts().datagrams == static_cast<std::uint64_t>(2 * i + 2); }));
    }
  }
  stop_after(in, 320);
  EXPECT_EQ(collect(in).size(), 10u);
  const receive_counts counts = in.counts();
  expect_all_counted(counts);
  EXPECT_EQ(counts.placed(), 320u);
  EXPECT_EQ(counts.incomplete_chunks, 0u);
}

TEST(receiver, does_not_wait_for_who_uses_its_chunks) {
  receiver in(small_spec(loopback_source(), 3));
  in.start();
  loopback_sender out;
  const auto send = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (unsigned p = 0; p < 2; ++p) out.send(in.endpoints()[0], datagram_of(4096 * i, p));
    }
    ASSERT_TRUE(
        wait_until([&] { return in.counts().datagrams == static_cast<std::uint64_t>(2 * end); }));
  };
  send(0, 160);
  EXPECT_EQ(in.counts().starved(), 2u * 16 * 7);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(in.next(std::chrono::seconds(60)));
  send(160, 192);
  stop_after(in, 384);
  EXPECT_THAT(collect(in), ElementsAre(10, 11));
  const receive_counts counts = in.counts();
  EXPECT_EQ(counts.starved(), 2u * 16 * 7);
  EXPECT_EQ(counts.polarisations[0].missing_packets, 16u * 7);
  EXPECT_EQ(counts.placed(), 2u * 16 * 5);
}

TEST(receiver, has_chunks_that_outlive_it) {
  received_chunk kept;
  {
    receiver in(small_spec(loopback_source()));
    in.start();
    loopback_sender out;
    for (std::int64_t i = 0; i < 16; ++i) out.send(in.endpoints()[0], datagram_of(4096 * i, 0));
    stop_after(in, 16);
    kept = in.next(std::chrono::seconds(60));
  }
  ASSERT_TRUE(kept);
  expect_contents(*kept);
  EXPECT_EQ(kept->n_present, 16u);
}

TEST(receiver, refuses_in_one_sentence) {
  const auto refusal_of = [](const receive_spec& spec) -> std::string {
    return message_of([&] { receiver in(spec); });
  };
  EXPECT_THAT(refusal_of(small_spec({})), HasSubstr("no endpoint was given"));
  EXPECT_THAT(refusal_of(small_spec(loopback_source(), 2)), HasSubstr("2 chunks were given"));
  live_source threads = loopback_source();
  threads.affinity = {-1, -1};
  EXPECT_THAT(refusal_of(small_spec(threads)),
              HasSubstr("1 endpoint cannot be split between 2 threads"));
  live_source twice{.endpoints = {{0x7f000001, 7148}, {0x7f000002, 7148}, {0x7f000001, 7148}}};
  EXPECT_THAT(refusal_of(small_spec(twice)), HasSubstr("endpoint 127.0.0.1:7148 is given twice"));
  live_source processor = loopback_source();
  processor.affinity = {4000};
  EXPECT_THAT(refusal_of(small_spec(processor)), HasSubstr("cannot run on processor 4000"));
  live_source elsewhere = loopback_source();
  elsewhere.endpoints[0] = {0x01020304, 7148};
  EXPECT_THAT(refusal_of(small_spec(elsewhere)), HasSubstr("1.2.3.4:7148: cannot bind: "));
  live_source interface = loopback_source();
  interface.interfaces = {"absent0"};
  EXPECT_THAT(refusal_of(small_spec(interface)), HasSubstr("'absent0' is no interface"));
}

}  // namespace
