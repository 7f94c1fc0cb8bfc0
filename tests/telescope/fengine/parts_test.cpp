// SPDX-License-Identifier: Apache-2.0
// What an engine is made of: descriptions and their refusals, queues, levels, spectra.
// Batch: none
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "fengine/bounded_queue.hpp"
#include "fengine/engine_spec.hpp"
#include "fengine/input_level_window.hpp"
#include "fengine/latest_spectra.hpp"
#include "support/refusal.hpp"  // message_of
#include "wingbeat/error.hpp"   // plan_error

namespace {

using namespace wingbeat;
using namespace wingbeat::fengine;
using ::testing::HasSubstr;

engine_spec good() {
  engine_spec spec{.adc_rate_hz = 1e9, .sync_time_s = 1e9};
  // Substreams of one output may share a place, two outputs may not.
  const std::vector<net::endpoint> places(4, {0x7f000001, 7148}), others(4, {0x7f000001, 7149});
  spec.outputs = {{"wide", {.channels = 64}, places}, {"other", {.channels = 128}, others}};
  return spec;
}

template <class Change>
std::string refusal(Change change) {
  engine_spec spec = good();
  change(spec);
  return wingbeat::test::message_of<plan_error>([&] { static_cast<void>(checked(spec)); });
}

TEST(engine_spec, refuses_what_cannot_be) {
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_THAT(refusal([](auto& s) { s.outputs.clear(); }), HasSubstr("no output; give --wideband"));
  EXPECT_THAT(refusal([](auto& s) { s.outputs[1].name = "wide"; }), HasSubstr("named 'wide'"));
  EXPECT_THAT(refusal([](auto& s) { s.outputs[1].name = "a b"; }), HasSubstr("'a b'"));
  EXPECT_THAT(refusal([](auto& s) { s.outputs[1].destinations.resize(3); }),
              HasSubstr("128 channels and 3 destinations"));
  EXPECT_THAT(refusal([](auto& s) {
                s.sending.interfaces = {"a", "b", "c"};
              }),
              HasSubstr("4 destinations, which 3 interfaces do not divide"));
  EXPECT_THAT(refusal([](auto& s) { s.outputs[0].bank.channels = 68; }),
              HasSubstr("output 'wide': channels is 68"));
  EXPECT_THAT(refusal([](auto& s) { s.adc_rate_hz = 0; }), HasSubstr("ADC rate is 0"));
  EXPECT_THAT(refusal([](auto& s) { s.sync_time_s = NAN; }), HasSubstr("sync time"));
  EXPECT_THAT(refusal([](auto& s) { s.gain = {INFINITY, 0}; }), HasSubstr("gain"));
  EXPECT_THAT(refusal([](auto& s) { s.n_batches = 1; }), HasSubstr("--batches is 1"));
  EXPECT_THAT(refusal([](auto& s) { s.input.geometry.chunk_samples = 5000; }),
              HasSubstr("chunks of 5000"));
}

TEST(engine_spec, keeps_streams_apart) {
  const net::endpoint shared{0x7f000001, 7148}, free{0x7f000001, 7150};
  EXPECT_EQ(
      refusal([&](auto& s) { s.outputs[1].destinations[3] = shared; }),
      "output 'other' sends to 127.0.0.1:7148, which output 'wide' sends to; give each a place "
      "of its own");
  const auto with_source = [&](const net::endpoint& place) {
    return refusal([&](auto& s) {
      s.input.source = receive::live_source{.endpoints = {free, place}};
    });
  };
  EXPECT_EQ(with_source({0x7f000001, 7151}), "");
  EXPECT_EQ(with_source(shared),
            "output 'wide' sends to 127.0.0.1:7148, which the engine receives from; give each a "
            "place of its own");
  EXPECT_EQ(refusal([&](auto& s) {
              s.input.source = receive::recording_source{.files = {"127.0.0.1:7148"}};
            }),
            "");
}

TEST(engine_spec, needs_a_processor_to_send_from) {
  EXPECT_THAT(refusal([](auto& s) { s.send_affinity = 1 << 20; }),
              HasSubstr("cannot run on processor 1048576"));
  EXPECT_EQ(refusal([](auto& s) { s.send_affinity = -1; }), "");
}

TEST(engine_spec, needs_memory_for_delays) {
  engine_spec spec = good();
  spec.device.runs_on = engine::host;
  spec.max_delay_diff = 0;
  spec = checked(spec);
  const std::size_t least = memory_bytes(spec);
  spec.max_delay_diff = std::size_t{1} << 24;
  // At least two floats of each sample, polarisation and output.
  EXPECT_GE(memory_bytes(spec) - least, spec.max_delay_diff * 2 * 2 * 2 * sizeof(float));
  EXPECT_LE(memory_bytes(spec) - least, spec.max_delay_diff * 4 * 2 * 2 * sizeof(float));
  EXPECT_LT(channeliser_bytes(spec), memory_bytes(spec));
  EXPECT_GT(2 * channeliser_bytes(spec), memory_bytes(spec));
  engine_spec alone = spec;
  alone.outputs.pop_back();
  EXPECT_LT(memory_bytes(alone), memory_bytes(spec));
}

TEST(engine_spec, completes_outputs_and_senders) {
  engine_spec spec = good();
  spec.missing = missing_policy::zero_fill;
  spec.gain = {2, 1};
  spec = checked(spec);
  const channeliser_spec& bank = spec.outputs[0].bank;
  EXPECT_EQ(bank.adc_rate_hz, 1e9);
  EXPECT_EQ(bank.gains.front().gains[1].front(), (std::complex<float>{2, 1}));
  const transmit::sender_spec sender = sender_of(spec, spec.outputs[0]);
  EXPECT_TRUE(sender.has_missing);
  EXPECT_EQ(sender.spectra_per_heap, 16384U);
  EXPECT_DOUBLE_EQ(sender.batch_interval_s, 16384 * 128 / 1e9);
  EXPECT_GT(memory_bytes(spec), 5 * 2 * batch_bytes(spec.outputs[0]));
}

TEST(bounded_queue, hands_on_in_order_and_ends) {
  bounded_queue<int> queue{2};
  std::vector<int> taken;
  std::thread reader{[&] {
    while (const auto next = queue.pop()) taken.push_back(*next);
  }};
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(queue.push(i));
    EXPECT_LE(queue.size(), 2U);
  }
  queue.close();
  reader.join();
  EXPECT_FALSE(queue.push(1));
  ASSERT_EQ(taken.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(taken[static_cast<std::size_t>(i)], i);
}

TEST(input_level_window, measures_each_window_alone) {
  input_level_window window{1000};
  input_level counts;
  counts.histogram.resize(1024);
  const auto pass = [&](std::uint64_t n, std::uint64_t n_present, std::uint64_t value) {
    counts.n_samples += n_present;
    counts.sum_of_squares += n_present * value * value;
    return window.pass(n);
  };
  EXPECT_FALSE(pass(600, 600, 200));
  ASSERT_TRUE(pass(600, 600, 200));
  const auto first = window.measure(counts);
  EXPECT_NEAR(first.dbfs, -5.137518132774, 1e-9);  // as of a constant of 200 in 10 bits
  EXPECT_TRUE(first.is_whole);
  ASSERT_TRUE(pass(1200, 1100, 20));
  const auto second = window.measure(counts);
  EXPECT_NEAR(second.dbfs, -25.137518132774, 1e-9);
  EXPECT_FALSE(second.is_whole);
}

TEST(latest_spectra, averages_neighbours_and_waits_between_heaps) {
  const channeliser_spec bank{.adc_rate_hz = 4096e6, .channels = 2048, .polarisations = 1};
  latest_spectra latest{"wide", bank, 0.1};
  EXPECT_TRUE(latest.spectra().empty());
  std::vector<std::byte> bytes(2048 * 512 * 2);
  for (std::size_t s = 0; s < 512; ++s) {
    bytes[(7 * 512 + s) * 2] = std::byte{10};      // channel 7: 10
    bytes[(6 * 512 + s) * 2 + 1] = std::byte{20};  // channel 6: 20 i
  }
  channelised_heap heap{.bytes = bytes, .is_complete = {true}, .n_spectra = 512};
  latest.offer(heap);
  const auto found = latest.spectra();
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].power_db.size(), 1024U);
  EXPECT_NEAR(found[0].power_db[3], 10 * std::log10(250.0 / (127 * 127)), 0.006);
  EXPECT_EQ(found[0].units, "dBFS");
  EXPECT_EQ(found[0].power_db[4], -INFINITY);
  EXPECT_DOUBLE_EQ(found[0].first_hz, 0.5e6);
  EXPECT_DOUBLE_EQ(found[0].step_hz, 2e6);
  latest.offer(heap);
  EXPECT_EQ(latest.spectra()[0].sequence, found[0].sequence);  // too early
}

TEST(latest_spectra, has_all_channels_where_a_divisor_is_averaged) {
  const channeliser_spec bank{.adc_rate_hz = 3000e6, .channels = 1500, .polarisations = 1};
  latest_spectra latest{"wide", bank, 0.1};
  std::vector<std::byte> bytes(1500 * 512 * 2);
  for (std::size_t s = 0; s < 512; ++s) bytes[(1499 * 512 + s) * 2] = std::byte{10};
  latest.offer({.bytes = bytes, .is_complete = {true}, .n_spectra = 512});
  const auto found = latest.spectra();
  ASSERT_EQ(found.at(0).power_db.size(), 750U);
  EXPECT_NEAR(found[0].power_db[749], 10 * std::log10(50.0 / (127 * 127)), 0.006);
  EXPECT_EQ(found[0].power_db[748], -INFINITY);
  EXPECT_DOUBLE_EQ(found[0].step_hz, 2e6);
}

}  // namespace
