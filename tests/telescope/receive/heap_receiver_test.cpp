// SPDX-License-Identifier: Apache-2.0
// An F-engine's output from a capture and from sockets, and batches that nobody takes.
#include "receive/heap_receiver.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "net/capture_bytes.hpp"       // put_pcap
#include "receive/channel_stream.hpp"  // heap_packets
#include "receive/traffic.hpp"         // loopback_sender, wait_until
#include "support/folder.hpp"

namespace {

using namespace wingbeat::receive;
using namespace wingbeat::test;

const batch_assembly_spec stated{
    .layout = {.channels = 64, .channels_per_substream = 16, .spectra = 8}};

TEST(heap_receiver, waits_for_whoever_takes_the_batches_of_a_capture) {
  const folder place;
  octets file = pcap_header();
  for (std::int64_t b = 0; b < 60; ++b) {
    for (std::size_t s = 0; s < 4; ++s) {
      for (const auto& packet : heap_packets(b, s)) put_pcap(file, frame_of(packet), 0);
    }
  }
  std::ofstream(place / "a.pcap", std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  heap_receiver in(
      {.source = capture_source{.file = place / "a.pcap"}, .assembly = stated, .max_ready = 8});
  in.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LT(in.counts().batches, 60u) << "the file is read ahead of its batches";
  std::int64_t n_batches = 0;
  while (!in.is_finished()) {
    const auto batch = in.next(std::chrono::milliseconds(100));
    if (!batch) continue;
    EXPECT_EQ(batch->timestamp, n_batches++ * batch_samples);
    EXPECT_TRUE(batch->is_complete());
    expect_voltages(*batch);
  }
  EXPECT_EQ(n_batches, 60);
  EXPECT_EQ(in.counts().lost_heaps(), 0u);
  EXPECT_EQ(in.failure(), "");
}

TEST(heap_receiver, counts_batches_that_nobody_takes) {
  heap_receiver in({.source = loopback_source(2), .assembly = stated, .max_ready = 3});
  in.start();
  const auto places = in.endpoints();
  loopback_sender out;
  for (std::int64_t b = 0; b < 10; ++b) {
    for (std::size_t s = 0; s < 4; ++s) {
      for (const auto& packet : heap_packets(b, s)) out.send(places[s / 2], packet);
    }
  }
  EXPECT_TRUE(wait_until([&] { return in.counts().batches == 10; }));
  EXPECT_EQ(in.counts().starved_batches, 7u);
  EXPECT_EQ(in.counts().lost_heaps(), 28u);
  for (std::int64_t b = 0; b < 3; ++b) {
    const auto batch = in.next(std::chrono::milliseconds(100));
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(batch->timestamp, b * batch_samples);
  }
  EXPECT_FALSE(in.is_finished());
  in.stop();
  EXPECT_TRUE(in.is_finished());
}

TEST(heap_receiver, ends_with_the_stop_heaps_of_all_substreams) {
  heap_receiver in({.source = loopback_source(2), .assembly = stated});
  in.start();
  loopback_sender out;
  const auto places = in.endpoints();
  for (std::size_t s = 0; s < 4; ++s) {
    for (const auto& packet : heap_packets(0, s)) out.send(places[s / 2], packet);
  }
  const auto stop = wingbeat::spead::packets_of(wingbeat::spead::stop_heap(1), {}).at(0);
  for (std::size_t s = 0; s < 3; ++s) out.send(places[s / 2], stop);
  EXPECT_TRUE(wait_until([&] { return in.counts().stops == 3; }));
  EXPECT_FALSE(in.has_ended());
  out.send(places[1], stop);
  EXPECT_TRUE(wait_until([&] { return in.has_ended(); }));
  EXPECT_TRUE(in.next(std::chrono::seconds(5)).has_value());
  EXPECT_TRUE(wait_until([&] { return in.is_finished(); }));
}

}  // namespace
