// SPDX-License-Identifier: Apache-2.0
// A simulated digitiser over the loopback interface: every sample, and counters that equal the
// faults that were injected.
#include "transmit/sample_sender.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/udp_receiver.hpp"        // udp_receiver
#include "spead/descriptor.hpp"        // decode_descriptor
#include "spead/digitiser_packet.hpp"  // decode
#include "spead/heap_assembler.hpp"    // heap_assembler
#include "support/refusal.hpp"         // message_of
#include "transmit/sample_stream.hpp"  // transfer, expect_signals
#include "wingbeat/error.hpp"          // error

namespace {

using namespace wingbeat::transmit;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using namespace wingbeat::receive;

const std::vector<std::string> tones{"cw(1.1, 1e6) + wgn(0.1, 1)", "cw(0.3, 2e6) + wgn(0.2, 2)"};

/// 7 packets, so that no power of two hides an error of the phase.
period_spec small_period() {
  return {.format = small_packets, .adc_rate_hz = 10e6, .n_packets = 7, .seed = 5};
}

/// A receiver on free ports, and a sender to it.
struct link {
  explicit link(sample_sender_spec spec, std::size_t endpoints_each = 1,
                const chunk_geometry& geometry = chunks_of_small, std::int64_t start_near = 0)
      : in({.geometry = geometry,
            .source = loopback_source(2 * endpoints_each),
            .n_chunks = 6,
            .start_near = start_near}) {
    spec.format = small_packets;
    spec.adc_rate_hz = 10e6;
    const auto places = in.endpoints();
    const auto half = places.begin() + static_cast<std::ptrdiff_t>(endpoints_each);
    spec.destinations = {{places.begin(), half}, {half, places.end()}};
    out = std::make_unique<sample_sender>(
        spec, std::make_shared<const sample_period>(tones, small_period()));
    for (std::size_t p = 0; p < 2; ++p) signals.emplace_back(tones[p], small_period(), p);
  }

  /// Sends all, and returns the times received of each polarisation.
  std::vector<std::vector<std::int64_t>> run(const chunk_geometry& geometry = chunks_of_small) {
    std::vector<std::vector<std::int64_t>> times(2);
    transfer(*out, in, [&](const chunk& part) {
      const auto more = expect_signals(
          part, geometry,
          [&](std::size_t p, std::int64_t) -> const expected_signal& { return signals[p]; });
      for (std::size_t p = 0; p < 2; ++p) {
        times[p].insert(times[p].end(), more[p].begin(), more[p].end());
      }
    });
    return times;
  }

  receiver in;
  std::unique_ptr<sample_sender> out;
  std::vector<expected_signal> signals;
};

TEST(sample_sender, sends_every_sample_of_its_signals) {
  link both({.n_packets = 4096}, 3);
  const auto times = both.run();
  ASSERT_EQ(times[0].size(), 4096u);
  ASSERT_EQ(times[1].size(), 4096u);
  const auto sent = both.out->counts();
  const auto received = both.in.counts();
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(sent.polarisations[p].packets, 4096u);
    EXPECT_EQ(sent.polarisations[p].bytes, 4096u * 320);
    EXPECT_EQ(sent.polarisations[p].samples, 4096u * 256);
    EXPECT_EQ(sent.polarisations[p].saturated_samples, received.polarisations[p].saturated_samples);
    EXPECT_EQ(sent.polarisations[p].failed_packets, 0u);
  }
  EXPECT_GT(sent.polarisations[0].saturated_samples, 1000u);
  EXPECT_EQ(sent.next_timestamp, 4096 * 256);
  EXPECT_EQ(sent.descriptor_heaps, 6u);
  EXPECT_EQ(sent.stop_heaps, 6u);
  EXPECT_EQ(received.descriptors, 6u);
  EXPECT_EQ(received.stops, 6u);
  EXPECT_EQ(received.chunks, 1u);
  EXPECT_EQ(received.incomplete_chunks, 0u);
}

TEST(sample_sender, counts_exactly_what_it_disturbs) {
  const std::vector<disturbance_spec> faults{
      {.drop = 0.01, .seed = 1},
      {.drop = 0.2, .drop_burst = 9, .seed = 2},
      {.drop = 0.05, .drop_polarisation = 1, .seed = 3},
      {.duplicate = 0.01, .seed = 4},
      {.reorder = 64, .seed = 5},
      {.drop = 0.01, .drop_burst = 3, .duplicate = 0.01, .reorder = 64, .seed = 6}};
  for (const disturbance_spec& disturbed : faults) {
    link both({.n_packets = 3840, .disturbed = disturbed});
    const auto times = both.run();
    const auto sent = both.out->counts();
    const auto received = both.in.counts();
    std::uint64_t n_duplicated = 0;
    for (std::size_t p = 0; p < 2; ++p) {
      const auto& done = sent.polarisations[p].disturbed;
      EXPECT_EQ(times[p].size(), 3840 - done.dropped) << disturbed.seed;
      EXPECT_EQ(received.polarisations[p].packets, 3840 - done.dropped);
      EXPECT_EQ(sent.polarisations[p].packets, 3840 - done.dropped + done.duplicated);
      const bool loses = disturbed.drop > 0 && (!disturbed.drop_polarisation || p == 1);
      EXPECT_EQ(done.dropped > 0, loses) << disturbed.seed;
      EXPECT_EQ(done.reordered > 3000, disturbed.reorder > 1) << disturbed.seed;
      n_duplicated += done.duplicated;
    }
    EXPECT_EQ(received.duplicates(), n_duplicated);
    EXPECT_EQ(n_duplicated > 0, disturbed.duplicate > 0);
    EXPECT_EQ(received.late(), 0u);
  }
}

TEST(sample_sender, goes_on_where_timestamps_wrap) {
  constexpr std::int64_t wrap = std::int64_t{1} << 48;
  constexpr std::int64_t first = wrap - 4 * 128 * 256;
  link both({.first_timestamp = first, .n_packets = 1024}, 1, chunks_of_small, wrap);
  const auto times = both.run();
  for (std::size_t p = 0; p < 2; ++p) {
    ASSERT_EQ(times[p].size(), 1024u);
    EXPECT_EQ(times[p].front(), first);
    EXPECT_EQ(times[p].back(), first + 1023 * 256);
  }
  EXPECT_EQ(both.in.counts().restarts, 0u);
}

TEST(sample_sender, sends_another_period_from_the_timestamp_that_it_returns) {
  link both({.n_packets = 2560});
  const std::vector<std::string> others{"wgn(0.1, 8)", "nodither(cw(0.4, 3e6))"};
  std::vector<expected_signal> second;
  for (std::size_t p = 0; p < 2; ++p) second.emplace_back(others[p], small_period(), p);
  const auto samples = std::make_shared<const sample_period>(others, small_period());
  std::int64_t changed = 0;
  both.in.start();
  for (int i = 0; both.out->send(); ++i) {
    if (i == 30) changed = both.out->set_period(samples);
  }
  both.out->stop();
  stop_after(both.in, 2 * 2560 + 2 + 2);
  EXPECT_GT(changed, 0);
  EXPECT_LT(changed, 2560 * 256);
  std::size_t n_times = 0;
  while (const auto received = both.in.next(std::chrono::milliseconds(0))) {
    const auto times =
        expect_signals(*received, chunks_of_small,
                       [&](std::size_t p, std::int64_t time) -> const expected_signal& {
                         return time < changed ? both.signals[p] : second[p];
                       });
    n_times += times[0].size() + times[1].size();
  }
  EXPECT_EQ(n_times, 2u * 2560);
}

TEST(sample_sender, keeps_real_time) {
  link both({.n_packets = 4000, .descriptor_interval_s = 0.025});
  const auto start = std::chrono::steady_clock::now();
  while (both.out->send()) continue;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  // A burst of a millisecond is sent at its start.
  EXPECT_GE(taken.count(), 4000 * 256 / 10e6 - 0.0015);
  EXPECT_LE(taken.count(), 0.3);
  EXPECT_GE(both.out->counts().descriptor_heaps, 2u * 4);
  link twice({.rate_factor = 2, .n_packets = 4000});
  const auto again = std::chrono::steady_clock::now();
  while (twice.out->send()) continue;
  const std::chrono::duration<double> half = std::chrono::steady_clock::now() - again;
  EXPECT_GE(half.count(), 4000 * 256 / 20e6 - 0.0015);
}

TEST(sample_sender, numbers_and_describes_its_heaps) {
  wingbeat::net::udp_receiver socket({loopback, 0}, 0, 1 << 22);
  const sample_sender_spec spec{.destinations = {{socket.source()}, {socket.source()}},
                                .interface = "lo",
                                .adc_rate_hz = 1e6,
                                .n_packets = 4};
  const period_spec period{.adc_rate_hz = 1e6, .n_packets = 2};
  sample_sender out(spec, std::make_shared<const sample_period>(
                              std::vector<std::string>{"1.2", "nodither(0.5)"}, period));
  while (out.send()) continue;
  out.stop();
  wingbeat::net::datagram_batch batch(64);
  std::vector<std::uint64_t> even;
  std::size_t n_descriptors = 0, n_stops = 0;
  wingbeat::spead::heap_assembler assembler;
  ASSERT_TRUE(wait_until([&] {
    if (socket.receive(batch) == 0) return n_stops == 1;
    batch.for_each([&](std::span<const std::byte> datagram, bool) {
      wingbeat::spead::digitiser_packet found;
      wingbeat::spead::packet_fault fault{};
      if (decode(datagram, 5120, found, fault) == wingbeat::spead::digitiser_verdict::good) {
        even.push_back(found.heap_id);
        EXPECT_EQ(datagram.size(), 5192u);
        EXPECT_EQ(found.saturated, found.polarisation == 0 ? 4096 : 0);
        EXPECT_EQ(found.is_saturated, found.polarisation == 0);
        return;
      }
      const auto heap = assembler.add(datagram);
      ASSERT_TRUE(heap.has_value());
      EXPECT_EQ(heap->id() % 2, 1u);
      n_stops += heap->is_stop();
      if (heap->is_stop()) return;
      ++n_descriptors;
      ASSERT_EQ(heap->items().size(), 4u);
      const auto samples = wingbeat::spead::decode_descriptor(heap->items()[3].bytes);
      ASSERT_TRUE(samples.has_value());
      EXPECT_EQ(samples->name, "adc_samples");
      EXPECT_EQ(samples->shape.at(0), 4096u);
      EXPECT_EQ(samples->format.at(0), (wingbeat::spead::format_field{'i', 10}));
    });
    return n_stops == 1;
  }));
  EXPECT_THAT(even, ::testing::ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
  EXPECT_EQ(n_descriptors, 1u);
}

TEST(sample_sender, refuses_in_one_sentence) {
  const auto refusal_of = [](auto change) -> std::string {
    sample_sender_spec spec{.destinations = {{{loopback, 9}}, {{loopback, 10}}},
                            .format = small_packets,
                            .adc_rate_hz = 1e6};
    period_spec period = small_period();
    std::vector<std::string> texts = tones;
    change(spec, period, texts);
    return message_of(
        [&] { sample_sender out(spec, std::make_shared<const sample_period>(texts, period)); });
  };
  EXPECT_EQ(refusal_of([](auto&, auto&, auto&) {}), "");
  EXPECT_THAT(refusal_of([](auto& s, auto&, auto&) { s.destinations[1].clear(); }),
              HasSubstr("no destination"));
  EXPECT_THAT(refusal_of([](auto& s, auto&, auto&) { s.destinations.clear(); }),
              HasSubstr("0 polarisations"));
  EXPECT_THAT(refusal_of([](auto& s, auto&, auto&) { s.first_timestamp = 255; }),
              HasSubstr("timestamp of 255"));
  EXPECT_THAT(refusal_of([](auto& s, auto&, auto&) { s.rate_factor = -1; }),
              HasSubstr("factor of -1"));
  EXPECT_THAT(refusal_of([](auto& s, auto&, auto&) { s.ttl = 256; }), HasSubstr("TTL of 256"));
  EXPECT_THAT(refusal_of([](auto& s, auto&, auto&) { s.format.packet_samples = 255; }),
              HasSubstr("255 samples"));
  EXPECT_THAT(refusal_of([](auto&, auto& p, auto&) { p.format.sample_bits = 17; }),
              HasSubstr("17 bits"));
  EXPECT_THAT(refusal_of([](auto&, auto& p, auto&) { p.format.sample_bits = 12; }),
              HasSubstr("of 12 bits were given for 2"));
  EXPECT_THAT(refusal_of([](auto&, auto& p, auto&) { p.n_packets = 0; }), HasSubstr("0 packets"));
  EXPECT_THAT(refusal_of([](auto&, auto&, auto& t) { t[1] = "cw(1)"; }), HasSubstr("signal 2, "));
  EXPECT_THAT(refusal_of([](auto&, auto&, auto& t) { t.pop_back(); }), HasSubstr("1 signals"));
}

}  // namespace
