// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Packed samples against the same samples as integers, which take another way to a device, and
// against the host engine: the same heaps and levels, with samples missing, after jumps, in pieces
// of all kinds.
#include <gtest/gtest.h>

#include <deque>

#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples
#include "reference/channeliser_check.hpp"             // gaussian, small_spec
#include "support/on_engine.hpp"                       // engine_name
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

struct taken_heap {
  std::int64_t timestamp;
  std::vector<std::byte> bytes;
  std::vector<bool> is_complete;

  friend bool operator==(const taken_heap&, const taken_heap&) = default;
};

/// One push: samples `first` to `first + count` of the recording, or a jump to `first`.
struct step {
  std::size_t first = 0, count = 0;
  std::vector<std::size_t> missing = {};  ///< Packets; of polarisation 1 those behind them.
  std::size_t packet_samples = 4096;
  bool is_all_missing = false, is_jump = false;
};

class packed_input : public ::testing::TestWithParam<engine> {
 protected:
  void SetUp() override {
    if (devices(GetParam()).empty()) GTEST_SKIP() << why_absent(GetParam());
    on_ = std::make_unique<queue>(first_device(GetParam()));
    spec_.polarisations = 2;
    spec_.missing = missing_policy::zero_fill;
    spec_.delays = {{{.delay_samples = 3.25}}, {{.delay_samples = -7}}};
  }

  /// Counts present samples one by one.
  void expect_levels(const std::vector<step>& steps, const std::vector<input_level>& levels) {
    for (std::size_t p = 0; p < spec_.polarisations; ++p) {
      input_level expected{.histogram = std::vector<std::uint64_t>(1U << spec_.sample_bits)};
      for (const step& each : steps) {
        if (each.is_jump || each.is_all_missing) continue;
        for (std::size_t i = 0; i < each.count; ++i) {
          if (misses(each, p, i / each.packet_samples)) continue;
          const std::int64_t x = recording_[p][each.first + i];
          ++expected.n_samples;
          expected.sum_of_squares += static_cast<std::uint64_t>(x * x);
          ++expected.histogram[static_cast<std::size_t>(x + (1 << (spec_.sample_bits - 1)))];
        }
      }
      EXPECT_EQ(levels[p].n_samples, expected.n_samples);
      EXPECT_EQ(levels[p].sum_of_squares, expected.sum_of_squares);
      EXPECT_TRUE(levels[p].histogram == expected.histogram) << "polarisation " << p;
    }
  }

  static bool misses(const step& given, std::size_t polarisation, std::size_t packet) {
    return std::any_of(given.missing.begin(), given.missing.end(),
                       [&](std::size_t each) { return each + polarisation == packet; });
  }

  void push(queue& on, channeliser& bank, const step& given, bool is_packed,
            const channeliser::taker& take) {
    if (given.is_jump) return bank.jump(static_cast<std::int64_t>(given.first));
    channeliser::samples next{.count = given.count, .packet_samples = given.packet_samples};
    std::vector<std::vector<std::byte>> packed;
    for (std::size_t p = 0; p < spec_.polarisations && !given.is_all_missing; ++p) {
      const auto part = std::span(recording_[p]).subspan(given.first, given.count);
      packed.emplace_back(channelising::packed_bytes(given.count, spec_.sample_bits));
      channelising::pack_samples(part, spec_.sample_bits, 0, packed.back());
      if (!is_packed) next.integers.push_back(part);
      if (given.missing.empty()) continue;
      next.present.emplace_back((given.count + given.packet_samples - 1) / given.packet_samples);
      for (std::size_t i = 0; i < next.present[p].size(); ++i) {
        next.present[p][i] = !misses(given, p, i);
      }
    }
    if (is_packed) next.packed.assign(packed.begin(), packed.end());
    bank.push(on, next, take);
  }

  std::vector<taken_heap> run(queue on, const std::vector<step>& steps, bool is_packed,
                              std::size_t kept_samples) {
    SCOPED_TRACE(is_packed);
    std::vector<taken_heap> heaps;
    channeliser bank{on, spec_, 0, kept_samples};
    const auto take = [&](const channelised_heap& heap) {
      heaps.push_back({heap.timestamp, {heap.bytes.begin(), heap.bytes.end()}, heap.is_complete});
    };
    for (const step& each : steps) {
      push(on, bank, each, is_packed, take);
      // Levels that are asked for between pushes count nothing twice.
      if (each.count % 3 == 0) static_cast<void>(bank.levels());
    }
    bank.finish(take);
    expect_levels(steps, bank.levels());
    return heaps;
  }

  /// Compares with integers, to the bit, and with the host engine, within rounding. Returns how
  /// many heaps were made.
  std::size_t check(const std::vector<step>& steps, std::size_t kept_samples = 1 << 20) {
    std::size_t length = 0;
    for (const step& each : steps) length = std::max(length, each.first + each.count);
    const double limit = (1 << (spec_.sample_bits - 1)) - 1;
    recording_.clear();
    for (unsigned p = 0; p < spec_.polarisations; ++p) {
      recording_.push_back(gaussian(length, limit / 4, 21 + p, limit));
    }
    const std::complex<float> gain{static_cast<float>(200 / limit)};  // values of about 50
    spec_.gains = {{.gains = {spec_.polarisations, {gain}}}};
    const auto heaps = run(*on_, steps, true, kept_samples);
    EXPECT_TRUE(heaps == run(*on_, steps, false, kept_samples));
    const auto expected = run(queue{first_device(engine::host)}, steps, false, kept_samples);
    EXPECT_EQ(heaps.size(), expected.size());
    for (std::size_t h = 0; h < std::min(heaps.size(), expected.size()); ++h) {
      EXPECT_EQ(heaps[h].timestamp, expected[h].timestamp);
      EXPECT_EQ(heaps[h].is_complete, expected[h].is_complete);
      EXPECT_LT(differing(heaps[h], expected[h]), 10U) << "heap " << h;
    }
    return heaps.size();
  }

  /// Returns how many bytes differ; each that differs by more than a step counts as ten.
  static std::size_t differing(const taken_heap& a, const taken_heap& b) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < a.bytes.size(); ++i) {
      const int x = static_cast<std::int8_t>(a.bytes[i]), y = static_cast<std::int8_t>(b.bytes[i]);
      n += x == y ? 0 : std::abs(x - y) == 1 ? 1 : 10;
    }
    return n;
  }

  channeliser_spec spec_ = small_spec(64);
  std::vector<samples> recording_;  // [polarisation]
  std::unique_ptr<queue> on_;
};

/// Pieces of these many samples, one after another.
std::vector<step> pieces(const std::vector<std::size_t>& counts) {
  std::vector<step> steps;
  std::size_t first = 0;
  for (const std::size_t count : counts) {
    steps.push_back({.first = first, .count = count});
    first += count;
  }
  return steps;
}

TEST_P(packed_input, makes_the_same_in_pieces_of_all_kinds) {
  const std::vector<std::size_t> counts{4096, 4096, 8,    5000, 1,     4100, 3,    4096,
                                        4,    9999, 1031, 2048, 20000, 12,   1024, 4096};
  EXPECT_GE(check(pieces(counts)), 25U);
}

TEST_P(packed_input, makes_zeros_of_missing_packets) {
  for (const std::size_t packet : {4096U, 1000U, 1001U, 20U}) {
    SCOPED_TRACE(packet);
    auto steps = pieces({30'000, 30'000, 30'000});
    for (step& each : steps) each.packet_samples = packet;
    steps[0].missing = {0, 2, 3, 4, 6};
    steps[2].missing = {1, 5, 7};
    EXPECT_GE(check(steps), 40U);
  }
}

TEST_P(packed_input, makes_zeros_over_samples_of_before) {
  auto steps = pieces({50'000});
  steps.push_back({.is_jump = true});
  for (step each : pieces({10'000, 4096, 1500, 8000, 5, 20'000})) steps.push_back(each);
  for (const std::size_t i : {3U, 4U, 6U}) steps[i].is_all_missing = true;
  steps.back().missing = {0, 1};
  EXPECT_GE(check(steps), 40U);
}

TEST_P(packed_input, goes_on_behind_jumps) {
  spec_.missing = missing_policy::withhold;
  auto steps = pieces({20'000, 20'000, 20'000});
  steps[0].count = 12'345;
  steps.insert(steps.begin() + 1, {.first = 20'000, .is_jump = true});
  steps[3].first = 41'003;
  steps[3].count = 18'000;
  steps.insert(steps.begin() + 3, {.first = 41'003, .is_jump = true});
  EXPECT_GE(check(steps), 10U);
}

TEST_P(packed_input, takes_16_bits_and_odd_widths) {
  for (const unsigned bits : {3U, 13U, 16U}) {
    SCOPED_TRACE(bits);
    if (bits != 16 && GetParam() == engine::opencl) continue;  // a kernel each
    spec_.sample_bits = bits;
    spec_.taps = 2;
    auto steps = pieces({10'000, 16'384, 7, 9'000, 5'001});
    steps[1].missing = {1};
    EXPECT_GE(check(steps), 15U);
  }
}

TEST_P(packed_input, is_decimated) {
  spec_.narrowband = {.centre_hz = 400e6, .decimation = 4};
  auto steps = pieces({20'000, 40'000, 7, 30'000});
  steps[1].missing = {1};
  EXPECT_GE(check(steps), 3U);
}

TEST_P(packed_input, stays_when_the_store_moves_on) {
  auto steps = pieces({1'000'003, 900'000, 400'000});
  steps[1].missing = {100, 101, 102};
  EXPECT_GE(check(steps, 1024), 1000U);
}

// Large pieces are still being copied when the last one is queued.
TEST_P(packed_input, is_read_when_push_returns) {
  spec_.sample_bits = 16;
  spec_.delays.clear();
  constexpr std::size_t count = std::size_t{1} << 22;
  channeliser bank{*on_, spec_, 0};
  std::vector<std::byte> packed(2 * count, std::byte{1});
  bank.push(*on_, {.packed = {packed, packed}, .count = count}, {});
  std::fill(packed.begin(), packed.end(), std::byte{0});
  bank.finish({});
  for (const input_level& level : bank.levels()) {
    EXPECT_EQ(level.histogram[(1U << 15) + 0x0101], count);
  }
}

// Memory is spoilt when it is let go of: not before it was read, and all of it in the end.
TEST_P(packed_input, is_kept_with_its_owner_until_read) {
  spec_.sample_bits = 16;
  spec_.delays.clear();
  constexpr std::size_t count = std::size_t{1} << 21, n_pushes = 4;
  std::size_t n_let_go = 0;
  std::deque<std::vector<std::byte>> memory;
  channeliser bank{*on_, spec_, 0};
  for (std::size_t i = 0; i < n_pushes; ++i) {
    auto& packed = memory.emplace_back(2 * count, std::byte{1});
    const auto spoil = [&n_let_go](std::vector<std::byte>* bytes) {
      std::fill(bytes->begin(), bytes->end(), std::byte{0});
      ++n_let_go;
    };
    bank.push(*on_,
              {.packed = {packed, packed},
               .count = count,
               .owner = std::shared_ptr<std::vector<std::byte>>(&packed, spoil)},
              {});
    EXPECT_GE(n_let_go + 1, i);  // one push is copied beside the next, no more
  }
  bank.finish({});
  EXPECT_EQ(n_let_go, n_pushes);
  for (const input_level& level : bank.levels()) {
    EXPECT_EQ(level.histogram[(1U << 15) + 0x0101], n_pushes * count);
  }
}

INSTANTIATE_TEST_SUITE_P(engines, packed_input,
                         ::testing::Values(engine::host, engine::opencl, engine::cuda),
                         engine_name);

}  // namespace
