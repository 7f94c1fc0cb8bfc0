// SPDX-License-Identifier: Apache-2.0
// Timeout: 3000
// Packets lost at random, out of order, twice, malformed: every batch that no loss touches is sent
// and exact, every other one is left out, and each packet is counted once, under its reason.
#include <gtest/gtest.h>

#include <algorithm>  // shuffle
#include <fstream>

#include "fengine/heap_check.hpp"
#include "support/full_run.hpp"  // is_full_run

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

struct loss {
  const char* name;
  double share = 0;  ///< Of packets that are lost.
  int burst = 1;     ///< So many in succession.
  bool of_one_pol_only = false;
  /// Of each polarisation, multiples of 32, so that some of them are lost; none: not in this run.
  std::int64_t n_packets = 1 << 11, n_packets_in_full = 1 << 15;
};

void PrintTo(const loss& losses, std::ostream* stream) {
  *stream << losses.name;
}

class fengine_loss : public ::testing::TestWithParam<loss> {};

std::set<packet_name> lost_packets(const loss& losses, std::int64_t n_packets) {
  std::mt19937 dice(11);
  std::bernoulli_distribution begins(losses.share / losses.burst);
  std::set<packet_name> lost;
  for (unsigned pol = losses.of_one_pol_only ? 1 : 0; pol < 2; ++pol) {
    // The first and the last packet come: losses lie between packets.
    for (std::int64_t packet = 1; packet < n_packets - 1; ++packet) {
      if (!begins(dice)) continue;
      for (int i = 0; i < losses.burst && packet + i < n_packets - 1; ++i)
        lost.insert({packet + i, pol});
    }
  }
  return lost;
}

TEST_P(fengine_loss, leaves_out_what_it_touches_and_no_more) {
  const std::int64_t n_packets =
      is_full_run() ? GetParam().n_packets_in_full : GetParam().n_packets;
  if (n_packets == 0) {
    GTEST_SKIP() << "of so few packets none would be lost; WINGBEAT_TEST_FULL=1 sends "
                 << 2 * GetParam().n_packets_in_full;
  }
  const std::set<packet_name> lost = lost_packets(GetParam(), n_packets);
  EXPECT_EQ(lost.empty(), GetParam().share == 0) << "other random numbers are needed";
  // Packets are shuffled within half a chunk: after a long gap, they must agree within one.
  engine_run run{[](auto& spec) {
    spec.input.geometry.chunk_samples = 64 * spec.input.geometry.packet_samples;
    spec.input.n_chunks = 256;
  }};
  heap_check check{run, lost};
  std::mt19937 dice(5);
  std::uint64_t n_once = 0, n_twice = 0;
  for (std::int64_t begin = 0; begin < n_packets; begin += 32) {
    std::vector<packet_name> order;
    for (std::int64_t packet = begin; packet < begin + 32; ++packet) {
      for (unsigned pol = 0; pol < 2; ++pol) order.push_back({packet, pol});
    }
    std::shuffle(order.begin(), order.end(), dice);
    for (const packet_name& name : order) {
      if (lost.contains(name)) continue;
      run.send_one(name);
      if (n_once++ % 100 != 50) continue;  // one of a hundred twice
      run.send_one(name);
      ++n_twice;
    }
    check.sent(begin + 32);
  }
  run.finish();

  const auto received = run.engine->received();
  ASSERT_EQ(received.starved() + received.socket_drops, 0U) << "this machine is too slow";
  EXPECT_EQ(received.duplicates() + received.late(), n_twice);
  EXPECT_EQ(received.placed(), n_once);
  EXPECT_EQ(received.polarisations[0].missing_packets + received.polarisations[1].missing_packets,
            lost.size());
  check.finish(n_packets);
}

// Of a millionth, about 8 packets of 2^23 are lost; of a ten-thousandth 3 of 2^15.
INSTANTIATE_TEST_SUITE_P(shares, fengine_loss,
                         ::testing::Values(loss{"none"},
                                           loss{"millionth", 1e-6, 1, false, 0, 1 << 22},
                                           loss{"ten_thousandth", 1e-4, 1, false, 1 << 14, 1 << 18},
                                           loss{"few", 1e-3}, loss{"hundredth", 1e-2},
                                           loss{"fifth", 0.2}, loss{"bursts", 1e-2, 8},
                                           loss{"long_bursts", 0.2, 64},
                                           loss{"outages", 0.2, 512, false, 1 << 13, 1 << 17},
                                           loss{"one_pol", 1e-2, 1, true}),
                         [](const auto& of) { return of.param.name; });

/// Kinds of packets that are no samples in their place, and what counts them.
enum class fault { too_short, flavour, pointers, payload, size, foreign, misaligned, far, noise };
constexpr int n_faults = 9;

std::vector<std::byte> malformed(fault kind, std::int64_t packet, std::mt19937& dice) {
  std::vector<std::byte> bytes = packet_datagram({packet, 0});
  const auto set = [&](std::size_t offset, unsigned value) {
    bytes[offset] = static_cast<std::byte>(value);
  };
  switch (kind) {
    case fault::too_short: bytes.resize(dice() % 8); break;
    case fault::flavour: set(dice() % 4, 0xff); break;
    case fault::pointers: set(6, 0xff); break;
    case fault::payload: bytes.resize(bytes.size() - 1 - dice() % 300); break;
    case fault::size:  // its samples are of another length, and say so
      bytes = packet_datagram({packet, 0}, 0, {.packet_samples = 128, .chunk_samples = 4096});
      break;
    case fault::foreign: set(8 + 5 * 8, 0xb5); break;  // another id than the digitiser's
    case fault::misaligned: set(8 + 4 * 8 + 7, 1 + dice() % 255); break;
    case fault::far: set(8 + 4 * 8 + 2, 0x40 + dice() % 64); break;
    case fault::noise:
      for (std::byte& each : bytes) each = static_cast<std::byte>(dice());
      break;
  }
  return bytes;
}

std::size_t resident_bytes() {
  std::ifstream status{"/proc/self/statm"};
  std::size_t pages = 0, resident = 0;
  status >> pages >> resident;
  return resident * 4096;
}

TEST(fengine_malformed, packets_are_counted_and_harm_nothing) {
  const std::int64_t n_good = is_full_run() ? 4'000'000 : 8'000;
  engine_run run{[](auto& spec) { spec.input.n_chunks = 256; }};
  const std::set<packet_name> none_lost;
  heap_check check{run, none_lost};
  std::mt19937 dice(17);
  std::array<std::uint64_t, n_faults> n_sent{};
  loopback_sender other;
  std::size_t before = 0;
  for (std::int64_t packet = 0; packet < n_good; ++packet) {
    run.send(packet, packet + 1);
    check.sent(packet + 1);
    if (packet == n_good / 4) before = resident_bytes();
    if (packet % 4 != 1) continue;  // 1 to 8 good ones
    const int kind = static_cast<int>(dice() % n_faults);
    other.send(run.engine->endpoints().front(), malformed(static_cast<fault>(kind), packet, dice));
    ++n_sent[static_cast<std::size_t>(kind)];
    run.count_sent();
  }
  const std::size_t after = resident_bytes();
  run.finish();
  const auto received = run.engine->received();
  const auto sent = [&](fault kind) { return n_sent[static_cast<std::size_t>(kind)]; };
  const auto undecodable = [&](spead::packet_fault kind) {
    return received.undecodable[static_cast<std::size_t>(kind)];
  };
  using spead::packet_fault;
  ASSERT_EQ(received.starved() + received.socket_drops, 0U) << "this machine is too slow";
  EXPECT_EQ(undecodable(packet_fault::too_short), sent(fault::too_short));
  EXPECT_EQ(undecodable(packet_fault::wrong_flavour), sent(fault::flavour) + sent(fault::noise));
  EXPECT_EQ(undecodable(packet_fault::pointers_beyond_end), sent(fault::pointers));
  EXPECT_EQ(undecodable(packet_fault::payload_beyond_end), sent(fault::payload));
  EXPECT_EQ(received.wrong_size, sent(fault::size));
  EXPECT_EQ(received.foreign, sent(fault::foreign));
  EXPECT_EQ(received.misaligned(), sent(fault::misaligned));
  EXPECT_EQ(received.implausible(), sent(fault::far));
  EXPECT_EQ(received.placed(), 2 * static_cast<std::uint64_t>(n_good));
  EXPECT_EQ(run.engine->counts(0).sent.skipped_heaps, 0U);
  check.finish(n_good);
  RecordProperty("resident_before", std::to_string(before));
  RecordProperty("resident_after", std::to_string(after));
  if (is_full_run()) {
    EXPECT_LT(after, before + (std::size_t{8} << 20));
  }
}

}  // namespace
