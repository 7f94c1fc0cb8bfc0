// SPDX-License-Identifier: Apache-2.0
// An engine over the loopback interface: what it sends is what a channeliser makes of the same
// samples, and all of it is counted; loss_test has packets that are lost, twice, or out of order.
#include "fengine/engine.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "fengine/engine_run.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr std::int64_t chunk_packets = 16, heap_packets = 8;

TEST(fengine, sends_what_a_channeliser_makes) {
  engine_run run;
  run.send(0, 8 * chunk_packets);
  run.finish();
  const auto expected = channelise_packets(run.spec().outputs[0].bank, 4, 0, 8 * chunk_packets);
  EXPECT_EQ(expected.heaps.size(), 4U * 15);  // of 16, the last lacks the end of its window
  expect_same(run.caught.caught(), expected.heaps);
  const auto counts = run.engine->counts(0);
  EXPECT_EQ(counts.sent.heaps, expected.heaps.size());
  EXPECT_EQ(counts.sent.skipped_heaps, 0U);
  EXPECT_EQ(counts.sent.stop_heaps, 4U);
  EXPECT_EQ(run.engine->received().rejected(), 0U);
}

TEST(fengine, sends_channels_that_are_no_power_of_two) {
  for (const bool is_narrow : {false, true}) {
    engine_run run{[&](auto& spec) {
      channeliser_spec& bank = spec.outputs[0].bank;
      bank.channels = is_narrow ? 12 : 60;
      if (is_narrow) bank.narrowband = {.centre_hz = 2e5, .decimation = 4};
    }};
    run.send(0, 8 * chunk_packets);
    run.finish();
    const auto expected = channelise_packets(run.spec().outputs[0].bank, 4, 0, 8 * chunk_packets);
    EXPECT_GT(expected.heaps.size(), 4U * 15);
    expect_same(run.caught.caught(), expected.heaps);
  }
}

TEST(fengine, fills_losses_with_zeros_and_says_so) {
  const std::set<packet_name> lost{{20, 0}, {21, 0}, {40, 1}, {60, 0}, {60, 1}};
  engine_run run{[](auto& spec) { spec.missing = missing_policy::zero_fill; }};
  run.send(0, 8 * chunk_packets, lost);
  run.finish();
  const auto expected =
      channelise_packets(run.spec().outputs[0].bank, 4, 0, 8 * chunk_packets, lost);
  EXPECT_EQ(expected.heaps.size(), 4U * 15);
  std::set<std::uint64_t> flags;
  for (const auto& [name, heap] : expected.heaps) flags.insert(heap.missing);
  EXPECT_EQ(flags, (std::set<std::uint64_t>{0, 1, 2, 3}));
  expect_same(run.caught.caught(), expected.heaps);
  EXPECT_EQ(run.engine->counts(0).sent.skipped_heaps, 0U);
}

TEST(fengine, counts_no_loss_where_a_stream_begins_and_ends) {
  constexpr std::int64_t begin = 5 * chunk_packets + 7, end = 12 * chunk_packets + 3;
  engine_run run;
  run.send(begin, end);
  run.finish();
  const auto expected = channelise_packets(run.spec().outputs[0].bank, 4, begin, end);
  EXPECT_GT(expected.heaps.size(), 4U * 10);
  expect_same(run.caught.caught(), expected.heaps);
  EXPECT_EQ(run.engine->counts(0).sent.skipped_heaps, 0U);
}

TEST(fengine, goes_on_behind_a_long_gap_and_counts_all_that_it_skips) {
  const std::int64_t after = 3000 * chunk_packets;
  engine_run run;
  run.send(0, 4 * chunk_packets);
  run.send(after, after + 4 * chunk_packets);
  run.finish();
  const channeliser_spec& bank = run.spec().outputs[0].bank;
  auto expected = channelise_packets(bank, 4, 0, 4 * chunk_packets).heaps;
  const auto later = channelise_packets(bank, 4, after, after + 4 * chunk_packets).heaps;
  const std::uint64_t n_first = expected.size() / 4;
  expected.insert(later.begin(), later.end());
  expect_same(run.caught.caught(), expected);
  const auto skipped = static_cast<std::uint64_t>(after / heap_packets) - n_first;
  EXPECT_EQ(run.engine->counts(0).sent.skipped_heaps, 4 * skipped);
}

TEST(fengine, begins_anew_where_the_digitiser_does) {
  const std::int64_t before = std::int64_t{1} << 30;
  engine_run run;
  run.send(before, before + 4 * chunk_packets);
  run.send(0, 6 * chunk_packets);
  run.finish();
  const channeliser_spec& bank = run.spec().outputs[0].bank;
  auto expected = channelise_packets(bank, 4, before, before + 4 * chunk_packets).heaps;
  const auto again = channelise_packets(bank, 4, 0, 6 * chunk_packets).heaps;
  expected.insert(again.begin(), again.end());
  expect_same(run.caught.caught(), expected);
  EXPECT_EQ(run.engine->received().restarts, 1U);
  EXPECT_EQ(run.engine->counts(0).sent.skipped_heaps, 0U);
}

TEST(fengine, wraps_timestamps_of_48_bits) {
  const std::int64_t wrap = (std::int64_t{1} << 48) / 256, begin = wrap - 4 * chunk_packets;
  engine_run run{[&](auto& spec) { spec.input.start_near = begin * 256; }};
  run.send(begin, wrap + 4 * chunk_packets);
  run.finish();
  const auto expected =
      channelise_packets(run.spec().outputs[0].bank, 4, begin, wrap + 4 * chunk_packets);
  EXPECT_EQ(expected.heaps.size(), 4U * 15);
  expect_same(run.caught.caught(), expected.heaps);
  EXPECT_EQ(run.engine->received().restarts, 0U);
}

TEST(fengine, has_several_outputs_of_any_kind) {
  heap_catcher narrow_caught;
  engine_run run{[&](auto& spec) {
    channeliser_spec bank{.channels = 64, .taps = 2, .spectra_per_heap = 16, .seed = 9};
    bank.narrowband = narrowband_spec{.centre_hz = 2e5, .decimation = 4};
    spec.outputs.push_back({"narrow", bank, {narrow_caught.place()}});
    spec.sending.interfaces = {};
  }};
  run.send(0, 16 * chunk_packets);
  EXPECT_TRUE(wait_until([&] { return run.engine->received().datagrams >= run.n_sent; }));
  run.engine->stop();
  EXPECT_TRUE(wait_until([&] { return narrow_caught.n_stops() == 1; }));
  EXPECT_TRUE(wait_until([&] { return run.caught.n_stops() == 4; }));
  expect_same(run.caught.caught(),
              channelise_packets(run.spec().outputs[0].bank, 4, 0, 16 * chunk_packets).heaps);
  const auto narrow =
      channelise_packets(run.spec().outputs[1].bank, 1, 0, 16 * chunk_packets).heaps;
  EXPECT_GE(narrow.size(), 2U);
  expect_same(narrow_caught.caught(), narrow);
}

TEST(fengine, counts_saturation_of_both_sides) {
  engine_run run{[](auto& spec) { spec.gain = 1000; }};
  for (std::int64_t packet = 0; packet < 4 * chunk_packets; ++packet) {
    run.send_one({packet, 0}, 5);
    run.send_one({packet, 1}, 11);
  }
  run.finish();
  EXPECT_EQ(run.engine->received().polarisations[0].saturated_samples, 5U * 4 * chunk_packets);
  EXPECT_EQ(run.engine->received().polarisations[1].saturated_samples, 11U * 4 * chunk_packets);
  const auto counts = run.engine->counts(0);
  const std::uint64_t n_values = counts.sent.samples / 2;
  EXPECT_GT(counts.saturated[0], n_values * 9 / 10);
  const auto* const clips = run.registry->find("wide.input1.feng-clip-cnt");
  ASSERT_NE(clips, nullptr);
  EXPECT_EQ(std::get<std::int64_t>(clips->latest().value),
            static_cast<std::int64_t>(counts.saturated[1]));
  const std::string text = run.metrics->text();
  EXPECT_NE(text.find("fgpu_input_clipped_samples_total{pol=\"1\"} 704"), text.npos) << text;
}

TEST(fengine, has_the_metrics_of_dashboards) {
  const engine_run run;
  const std::string text = run.metrics->text();
  std::set<std::string> expected{"chunks_total", "metadata_heaps_total", "socket_drops_total",
                                 "buffer_bytes", "buffer_asked_bytes"};
  for (const std::string labels : {"{pol=\"0\"}", "{pol=\"1\"}"}) {
    for (const char* name :
         {"heaps", "samples", "bytes", "missing_heaps", "clipped_samples", "too_old_heaps",
          "bad_timestamp_heaps", "duplicate_heaps", "implausible_heaps", "engine_late_heaps"}) {
      expected.insert(name + ("_total" + labels));
    }
    expected.insert("age_seconds" + labels);
    expected.insert("clipped_samples_total{stream=\"wide\"," + labels.substr(1));
  }
  for (const char* name : {"heaps", "bytes", "samples", "skipped_heaps", "failed_heaps"}) {
    expected.insert(name + std::string("_total{stream=\"wide\"}"));
  }
  std::set<std::string> names;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') continue;
    const bool is_input = line.starts_with("fgpu_input_");
    EXPECT_TRUE(is_input || line.starts_with("fgpu_output_")) << line;
    const std::size_t begin = is_input ? 11 : 12;
    names.insert(line.substr(begin, line.rfind(' ') - begin));
  }
  EXPECT_EQ(names, expected);
}

}  // namespace
