// SPDX-License-Identifier: Apache-2.0
// Batches from packets in any order, with losses, duplicates and strangers, each counted.
#include "receive/batch_assembly.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // shuffle
#include <random>     // mt19937_64

#include "receive/channel_stream.hpp"
#include "spead/descriptor.hpp"  // descriptor_heap
#include "support/refusal.hpp"   // message_of
#include "wingbeat/error.hpp"    // plan_error

namespace {

using namespace wingbeat::receive;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using wingbeat::heap_sample;
using datagrams = std::vector<std::vector<std::byte>>;

const layout_request stated{.channels = 64, .channels_per_substream = 16, .spectra = 8};

/// An assembly, and what it handed on.
struct collector {
  explicit collector(const batch_assembly_spec& spec = {.layout = stated})
      : assembly(spec, [this](channel_batch&& batch) { batches.push_back(std::move(batch)); }) {}

  void add(const datagrams& packets) {
    for (const auto& each : packets) assembly.add(each);
  }
  [[nodiscard]] const heap_receive_counts& counts() const { return assembly.counts(); }

  std::vector<channel_batch> batches;
  batch_assembly assembly;
};

datagrams description(std::size_t channels, std::size_t spectra,
                      heap_sample samples = heap_sample::int8) {
  const wingbeat::spead::channel_heap_format format{
      .channels = channels, .spectra = spectra, .samples = samples};
  return wingbeat::spead::packets_of(
      wingbeat::spead::descriptor_heap(descriptors_of(format)).heap(1), {.packet_bytes = 400});
}

TEST(batch_assembly, puts_packets_of_any_order_together) {
  datagrams result;
  for (std::int64_t b = 0; b < 8; ++b) {
    for (std::size_t s = 0; s < 4; ++s) {
      for (auto& next : heap_packets(b, s)) result.push_back(std::move(next));
    }
  }
  std::mt19937_64 random(1);
  std::shuffle(result.begin(), result.end(), random);
  collector in;
  in.add(result);
  ASSERT_EQ(in.batches.size(), 8u);
  for (std::int64_t b = 0; b < 8; ++b) {
    EXPECT_EQ(in.batches[static_cast<std::size_t>(b)].timestamp, b * batch_samples);
    EXPECT_TRUE(in.batches[static_cast<std::size_t>(b)].is_complete());
    expect_voltages(in.batches[static_cast<std::size_t>(b)]);
  }
  EXPECT_EQ(in.counts().packets, 128u);
  EXPECT_EQ(in.counts().bytes, 8u * 2048);
  EXPECT_EQ(in.counts().batch_samples, batch_samples);
  EXPECT_EQ(in.counts().lost_heaps(), 0u);
}

TEST(batch_assembly, counts_what_is_lost) {
  collector in;
  for (std::int64_t b = 0; b < 40; ++b) {
    if (b == 10 || b == 11) continue;  // withheld
    for (std::size_t s = 0; s < 4; ++s) {
      if (b == 20 && s == 2) continue;
      auto packets = heap_packets(b, s);
      if (b == 30 && s == 1) packets.erase(packets.begin() + 2);
      in.add(packets);
      if (b == 31) in.add(packets);                       // again, while it is open
      if (b == 32 && s == 3) in.add(heap_packets(5, 0));  // too late
    }
  }
  in.assembly.flush();
  ASSERT_EQ(in.batches.size(), 38u);
  for (const channel_batch& batch : in.batches) expect_voltages(batch);
  const heap_receive_counts& counts = in.counts();
  EXPECT_EQ(counts.absent_batches, 2u);
  EXPECT_EQ(counts.incomplete_batches, 2u);
  EXPECT_EQ(counts.substreams[2].absent, 1u);
  EXPECT_EQ(counts.substreams[1].incomplete, 1u);
  EXPECT_EQ(counts.substreams[0].heaps, 38u);
  EXPECT_EQ(counts.substreams[1].heaps, 37u);
  EXPECT_EQ(counts.lost_heaps(), 2u * 4 + 2);
  // Batch 31 waits behind the incomplete ones until it is handed on.
  EXPECT_EQ(counts.duplicates, 16u);
  EXPECT_EQ(counts.late, 4u);
  EXPECT_EQ(counts.packets + counts.duplicates + counts.late, counts.datagrams);
  // The missing part is 0.
  const auto& cut = in.batches[28];
  ASSERT_EQ(cut.timestamp, 30 * batch_samples);
  for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(cut.voltages[512 + 256 + i], std::byte{0});
}

TEST(batch_assembly, drops_what_a_cut_leaves_unfinished) {
  for (const bool is_cut : {false, true}) {
    collector in;
    for (std::int64_t b = 0; b < 4; ++b) {
      for (std::size_t s = 0; s < 4; ++s) {
        if ((b == 1 || b == 3) && s == 2) continue;
        in.add(heap_packets(b, s));
      }
    }
    in.assembly.flush(is_cut);
    EXPECT_EQ(in.batches.size(), is_cut ? 3u : 4u);
    EXPECT_EQ(in.counts().lost_heaps(), is_cut ? 1u : 2u);
    EXPECT_EQ(in.counts().unfinished_batches, is_cut ? 1u : 0u);
  }
}

TEST(batch_assembly, goes_on_where_timestamps_wrap) {
  constexpr std::int64_t wrap = (std::int64_t{1} << 48) / batch_samples;
  collector in;
  for (std::int64_t b = wrap - 3; b < wrap + 3; ++b) {
    for (std::size_t s = 0; s < 4; ++s) in.add(heap_packets(b, s));
  }
  ASSERT_EQ(in.batches.size(), 6u);
  EXPECT_EQ(in.batches.back().timestamp, (wrap + 2) * batch_samples);
  EXPECT_EQ(in.counts().absent_batches, 0u);
}

TEST(batch_assembly, learns_its_layout_from_descriptors) {
  collector in({.layout = {.default_substreams = 4}});
  in.add(heap_packets(0, 0));
  EXPECT_EQ(in.counts().undescribed, 4u);
  in.add(description(16, 8));
  ASSERT_TRUE(in.assembly.layout().has_value());
  EXPECT_EQ(*in.assembly.layout(), small_layout);
  for (std::size_t s = 0; s < 4; ++s) in.add(heap_packets(1, s, 3, 2));
  ASSERT_EQ(in.batches.size(), 1u);
  EXPECT_EQ(in.batches[0].missing, 2u);
  EXPECT_EQ(in.counts().flagged_batches, 1u);
  for (const heap_sample samples : {heap_sample::int4, heap_sample::int16, heap_sample::fp32}) {
    collector other({.layout = {.channels = 64}});
    other.add(description(16, 8, samples));
    ASSERT_TRUE(other.assembly.layout().has_value());
    EXPECT_EQ(other.assembly.layout()->samples, samples);
  }
}

TEST(batch_assembly, counts_strangers_by_their_fault) {
  collector in;
  in.add(heap_packets(0, 0));
  in.add(heap_packets(0, 1, 4));  // another engine
  in.add(heap_packets(0, 4));     // no such channels
  collector wide({.layout = {.channels = 64, .channels_per_substream = 16, .spectra = 16}});
  wide.add(heap_packets(0, 0));
  EXPECT_EQ(wide.counts().wrong_size, 4u);
  const auto packet = heap_packets(0, 2)[0];
  in.assembly.add(std::span(packet).first(5));
  in.assembly.add(packet, true);
  in.add(wingbeat::spead::packets_of(wingbeat::spead::stop_heap(7), {}));
  wingbeat::spead::heap_builder odd;
  odd.add_immediate(0x1600, 5);
  in.add(wingbeat::spead::packets_of(odd.heap(9), {}));
  const heap_receive_counts& counts = in.counts();
  EXPECT_EQ(counts.other_engine, 4u);
  EXPECT_EQ(counts.beyond_band, 4u);
  EXPECT_EQ(counts.undecodable[1], 1u);
  EXPECT_EQ(counts.truncated, 1u);
  EXPECT_EQ(counts.stops, 1u);
  EXPECT_EQ(counts.foreign, 1u);
  EXPECT_EQ(counts.packets, 4u);
  EXPECT_EQ(counts.datagrams, 16u);
}

TEST(channel_layout, refuses_what_substreams_do_not_divide_before_descriptors_come) {
  for (const std::size_t channels : {64, 1}) {
    try {
      const collector in({.layout = {.channels = channels, .substreams = 3}});
      ADD_FAILURE() << channels;
    } catch (const wingbeat::plan_error& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("cannot be split evenly between 3 substreams"));
    }
  }
}

TEST(channel_layout, refuses_contradictions_in_one_sentence) {
  const auto refusal_of = [](const layout_request& request) -> std::string {
    return message_of<wingbeat::plan_error>([&] {
      collector in({.layout = request});
      in.add(description(16, 8));
    });
  };
  EXPECT_EQ(refusal_of(stated), "");
  EXPECT_THAT(refusal_of({.channels = 64, .spectra = 4}), HasSubstr("state 8 spectra a heap"));
  EXPECT_THAT(refusal_of({.channels = 64, .channels_per_substream = 8}),
              HasSubstr("state 16 channels a substream, and 8"));
  EXPECT_THAT(refusal_of({.channels = 63}), HasSubstr("63 channels were given"));
  EXPECT_THAT(refusal_of({.channels = 64, .substreams = 2}),
              HasSubstr("state 16 channels a substream, and 32"));
  EXPECT_THAT(refusal_of({}), HasSubstr("how many channels there are is not known"));
  EXPECT_THAT(refusal_of({.channels = 64, .samples = heap_sample::int16}),
              HasSubstr("other samples"));
  EXPECT_EQ(missing_of({}), "--spectra-per-heap and --channels-per-substream");
}

}  // namespace
