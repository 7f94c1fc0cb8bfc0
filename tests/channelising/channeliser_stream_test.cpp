// SPDX-License-Identifier: Apache-2.0
// Streams that go on for long: samples that are all missing, jumps ahead and back, and delays and
// gains that other threads add while heaps are made.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>       // NAN
#include <functional>  // function, ref
#include <stdexcept>   // runtime_error
#include <thread>
#include <utility>  // exchange, pair

#include "reference/channeliser_check.hpp"  // gaussian, small_spec
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

struct taken_heap {
  std::int64_t timestamp;
  std::vector<std::byte> bytes;

  friend bool operator==(const taken_heap&, const taken_heap&) = default;
};

class channeliser_stream : public ::testing::TestWithParam<engine> {
 protected:
  void SetUp() override {
    spec_.delays = {{{.delay_samples = 3.25}}};
    recording_ = gaussian(samples_for(spec_, 12), 30, 5, 511);
  }

  void push(channeliser& bank, std::size_t first, std::size_t count) {
    bank.push(on_, {.integers = {std::span(recording_).subspan(first, count)}, .count = count},
              take_);
    bank.finish(take_);
  }
  [[nodiscard]] std::size_t heap() const { return sizes_of(spec_).heap_samples; }

  channeliser_spec spec_ = small_spec(64);
  std::vector<std::int16_t> recording_;
  queue on_{first_device(GetParam())};
  std::vector<taken_heap> taken_;
  channeliser::taker take_ = [this](const channelised_heap& heap) {
    taken_.push_back({heap.timestamp, {heap.bytes.begin(), heap.bytes.end()}});
  };
};

TEST_P(channeliser_stream, a_jump_ahead_skips_what_missing_samples_withhold) {
  channeliser filled{on_, spec_, 0}, jumped{on_, spec_, 0};
  const std::size_t cut = 3 * heap() + 1927, gap = 4 * heap() + 101;
  const std::size_t rest = recording_.size() - cut - gap;
  push(filled, 0, cut);
  filled.push(on_, {.count = gap}, take_);
  push(filled, cut + gap, rest);
  const auto expected = std::exchange(taken_, {});
  channeliser flagged{on_, spec_, 0};
  push(flagged, 0, cut);
  const std::vector<bool> all_missing((gap + 99) / 100, false);
  flagged.push(on_, {.count = gap, .present = {all_missing}, .packet_samples = 100}, take_);
  push(flagged, cut + gap, rest);
  EXPECT_TRUE(std::exchange(taken_, {}) == expected);
  push(jumped, 0, cut);
  jumped.jump(static_cast<std::int64_t>(cut + gap));
  push(jumped, cut + gap, rest);
  EXPECT_EQ(taken_.size(), expected.size());
  EXPECT_TRUE(taken_ == expected);
  EXPECT_EQ(expected.size(), 6U);  // of 12: the first is delayed, five touch the gap
  EXPECT_EQ(filled.counts().withheld, 5U);
  EXPECT_EQ(jumped.counts().skipped, 5U);
  EXPECT_EQ(jumped.levels()[0].n_samples, recording_.size() - gap);
  EXPECT_EQ(jumped.levels()[0].histogram, filled.levels()[0].histogram);
}

TEST_P(channeliser_stream, a_jump_back_begins_anew) {
  channeliser bank{on_, spec_, std::int64_t{1} << 40};
  push(bank, 0, 4 * heap());
  taken_.clear();
  const heap_counts before = bank.counts();
  bank.jump(0);
  push(bank, 0, 4 * heap());
  const auto again = std::exchange(taken_, {});
  EXPECT_EQ(bank.counts().skipped, before.skipped);
  channeliser fresh{on_, spec_, 0};
  push(fresh, 0, 4 * heap());
  EXPECT_GE(taken_.size(), 2U);
  EXPECT_TRUE(again == taken_);
  EXPECT_THROW(bank.jump(-(std::int64_t{1} << 47) - 1), plan_error);
}

// What one polarisation refuses leaves the other's delay as it was, too.
TEST_P(channeliser_stream, delays_change_of_all_polarisations_or_of_none) {
  spec_.polarisations = 2;
  spec_.delays = {};
  const auto channelised = [&](const std::function<void(channeliser&)>& change) {
    channeliser bank{on_, spec_, 0};
    change(bank);
    taken_.clear();
    bank.push(on_, {.integers = {recording_, recording_}, .count = recording_.size()}, take_);
    bank.finish(take_);
    return std::exchange(taken_, {});
  };
  const delay_model good{.delay_samples = 3.25}, bad{.delay_samples = NAN};
  const auto untouched = channelised([](channeliser&) {});
  for (const auto& models : {std::vector{good, bad}, {bad, good}, {good}, {good, good, good}}) {
    const auto refused = channelised([&](channeliser& bank) {
      EXPECT_THROW(static_cast<void>(bank.add_delays(models)), plan_error);
    });
    EXPECT_TRUE(refused == untouched) << models.size();
  }
  const auto changed = channelised([&](channeliser& bank) {
    EXPECT_EQ(bank.add_delays(std::vector{good, good}), 0);
  });
  const auto one_by_one = channelised([&](channeliser& bank) {
    bank.add_delay(0, good);
    bank.add_delay(1, good);
  });
  EXPECT_TRUE(changed == one_by_one);
  EXPECT_FALSE(changed == untouched);
  channelised([&](channeliser& bank) {
    const delay_model later{.start_samples = 1 << 20, .delay_samples = 1};
    EXPECT_EQ(bank.add_delays(std::vector{good, later}), 1 << 20) << "the later of both";
  });
}

TEST_P(channeliser_stream, a_taker_may_change_gains) {
  channeliser bank{on_, spec_, 0};
  std::int64_t promised = 0;
  std::vector<taken_heap> changed;
  const auto take = [&](const channelised_heap& heap) {
    changed.push_back({heap.timestamp, {heap.bytes.begin(), heap.bytes.end()}});
    if (changed.size() == 3) promised = bank.add_gains({.gains = {{0.0F}}});
  };
  for (std::size_t first = 0; first < recording_.size(); first += heap()) {
    const std::size_t count = std::min(heap(), recording_.size() - first);
    bank.push(on_, {.integers = {std::span(recording_).subspan(first, count)}, .count = count},
              take);
  }
  bank.finish(take);
  ASSERT_EQ(changed.size(), 11U);
  // A device makes heaps while others are handed on: at most four were begun by then.
  const std::int64_t others = GetParam() == engine::host ? 0 : 4;
  EXPECT_GE(promised, changed[3].timestamp);
  EXPECT_LE(promised, changed[3].timestamp + others * static_cast<std::int64_t>(heap()));
  for (const taken_heap& each : changed) {
    const bool is_zero = std::all_of(each.bytes.begin(), each.bytes.end(),
                                     [](std::byte byte) { return byte == std::byte{0}; });
    EXPECT_EQ(is_zero, each.timestamp >= promised) << each.timestamp;
  }
}

// Each change promises a time; from it on every heap has the change, and none before has it.
TEST_P(channeliser_stream, other_threads_change_delays_and_gains) {
  spec_.delays.clear();
  channeliser bank{on_, spec_, 0};
  struct change {
    std::int64_t promised;
    bool is_zero;
  };
  std::vector<change> changes;
  std::atomic<bool> has_begun{false}, is_done{false};
  std::thread control{[&] {
    for (int i = 0; !is_done; ++i) {
      const bool is_zero = i % 2 == 0;
      changes.push_back({bank.add_gains({.gains = {{is_zero ? 0.0F : 1.0F}}}), is_zero});
      bank.add_delay(0, {.start_samples = changes.back().promised, .delay_samples = 0.125});
      has_begun = true;
      std::this_thread::yield();
    }
  }};
  while (!has_begun) std::this_thread::yield();
  for (int turn = 0; turn < 5; ++turn) push(bank, 0, recording_.size());
  is_done = true;
  control.join();
  ASSERT_GT(taken_.size(), 50U);
  ASSERT_FALSE(changes.empty());
  for (const taken_heap& each : taken_) {
    const bool is_zero = std::all_of(each.bytes.begin(), each.bytes.end(),
                                     [](std::byte byte) { return byte == std::byte{0}; });
    const change* last = nullptr;
    for (const change& candidate : changes) {
      if (candidate.promised <= each.timestamp) last = &candidate;
    }
    EXPECT_EQ(is_zero, last != nullptr && last->is_zero) << each.timestamp;
  }
}

/// Takes all heaps but one, at which it throws.
class failing_taker {
 public:
  explicit failing_taker(std::size_t failing) : failing_(failing) {}

  void operator()(const channelised_heap& heap) {
    if (n_calls_++ == failing_) throw std::runtime_error{"the disk is full"};
    taken.push_back({heap.timestamp, {heap.bytes.begin(), heap.bytes.end()}});
  }
  /// Calls `run(take)`, which throws if it comes to that heap.
  template <class Run>
  void attempt(const Run& run) {
    const bool has_failed = n_calls_ > failing_;
    try {
      run(std::ref(*this));
    } catch (const std::runtime_error&) {
      EXPECT_FALSE(has_failed);
    }
  }

  std::vector<taken_heap> taken;

 private:
  std::size_t failing_, n_calls_ = 0;
};

TEST_P(channeliser_stream, a_taker_that_throws_loses_its_heap_alone) {
  spec_.gains = {{.start_samples = 5 * static_cast<std::int64_t>(heap()), .gains = {{{0, 2}}}}};
  channeliser whole{on_, spec_, 0};
  push(whole, 0, recording_.size());
  ASSERT_EQ(taken_.size(), 11U);
  for (std::size_t failing = 0; failing < taken_.size(); ++failing) {
    SCOPED_TRACE(failing);
    channeliser bank{on_, spec_, 0};
    failing_taker taker{failing};
    const std::size_t half = 6 * heap() + 77;
    for (const auto& [first, count] : {std::pair{0UL, half}, {half, recording_.size() - half}}) {
      taker.attempt([&](const channeliser::taker& take) {
        bank.push(on_, {.integers = {std::span(recording_).subspan(first, count)}, .count = count},
                  take);
      });
    }
    for (int turn = 0; turn < 2; ++turn) {
      taker.attempt([&](const channeliser::taker& take) { bank.finish(take); });
    }
    auto expected = taken_;
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(failing));
    EXPECT_TRUE(taker.taken == expected) << taker.taken.size();
    EXPECT_EQ(bank.counts().sent, taken_.size());
    EXPECT_EQ(bank.counts().skipped, whole.counts().skipped);
  }
}

// Samples are taken 2^21 at a time: all of them, also where a heap of the first piece throws.
TEST_P(channeliser_stream, a_taker_that_throws_leaves_the_numbers_of_samples_alone) {
  spec_.spectra_per_heap = 1024;
  const std::size_t piece = std::size_t{1} << 21, count = 2 * piece + 3 * heap(), failing = 2;
  recording_ = gaussian(count + 4 * heap(), 30, 6, 511);
  channeliser whole{on_, spec_, 0}, bank{on_, spec_, 0};
  push(whole, 0, count);
  push(whole, count, 4 * heap());
  failing_taker taker{failing};
  for (const auto& [first, n_samples] : {std::pair{0UL, count}, {count, 4 * heap()}}) {
    taker.attempt([&](const channeliser::taker& take) {
      bank.push(on_,
                {.integers = {std::span(recording_).subspan(first, n_samples)}, .count = n_samples},
                take);
    });
  }
  taker.attempt([&](const channeliser::taker& take) { bank.finish(take); });
  ASSERT_GT(taken_.size(), 15U);
  taken_.erase(taken_.begin() + failing);
  EXPECT_TRUE(taker.taken == taken_) << taker.taken.size();
  EXPECT_EQ(bank.counts().sent, whole.counts().sent);
  EXPECT_EQ(bank.counts().skipped, whole.counts().skipped);
}

TEST_P(channeliser_stream, a_taker_that_throws_in_every_push_is_given_every_heap) {
  channeliser whole{on_, spec_, 0};
  push(whole, 0, recording_.size());
  for (const std::size_t n_pushes : {2, 3, 7}) {
    SCOPED_TRACE(n_pushes);
    channeliser bank{on_, spec_, 0};
    std::vector<std::int64_t> given;
    const channeliser::taker take = [&](const channelised_heap& heap) {
      given.push_back(heap.timestamp);
      throw std::runtime_error{"the disk is full"};
    };
    const auto fails = [](const auto& run) {
      try {
        run();
        return false;
      } catch (const std::runtime_error&) {
        return true;
      }
    };
    for (std::size_t i = 0; i < n_pushes; ++i) {
      const std::size_t first = recording_.size() * i / n_pushes;
      const std::size_t count = recording_.size() * (i + 1) / n_pushes - first;
      fails([&] {
        bank.push(on_, {.integers = {std::span(recording_).subspan(first, count)}, .count = count},
                  take);
      });
    }
    while (fails([&] { bank.finish(take); })) {
    }
    std::vector<std::int64_t> expected;
    for (const taken_heap& each : taken_) expected.push_back(each.timestamp);
    EXPECT_EQ(given, expected);
    EXPECT_EQ(bank.counts().sent, whole.counts().sent);
  }
}

TEST_P(channeliser_stream, counts_heaps_that_are_skipped_at_the_end) {
  channeliser ending{on_, spec_, 0}, going_on{on_, spec_, 0};
  for (channeliser* const bank : {&ending, &going_on}) {
    push(*bank, 0, 4 * heap() + heap() / 2);
    EXPECT_EQ(bank->counts().skipped, 0U);
    bank->jump(static_cast<std::int64_t>(6 * heap()));
  }
  push(going_on, 6 * heap(), 5 * heap());
  EXPECT_GT(going_on.counts().skipped, 0U);
  for (int turn = 0; turn < 2; ++turn) {
    ending.flush(on_, take_);
    EXPECT_EQ(ending.counts().skipped, going_on.counts().skipped) << "counted once";
  }
}

std::vector<engine> tested_engines() {
  std::vector<engine> tested{engine::host, engine::opencl};
  if (!devices(engine::cuda).empty()) tested.push_back(engine::cuda);
  return tested;
}

INSTANTIATE_TEST_SUITE_P(engines, channeliser_stream, ::testing::ValuesIn(tested_engines()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
