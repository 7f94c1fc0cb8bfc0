// SPDX-License-Identifier: Apache-2.0
// What an engine sends of any number of packets, compared while they are sent.
#pragma once

#include "fengine/engine_run.hpp"

namespace wingbeat::test {

/// Compares an engine's heaps with a channeliser's, a segment of the packets after the other, and
/// forgets them. The sender waits for the segment before: neither the engine nor the test gathers
/// more than two of them.
class heap_check {
 public:
  /// Packets from 0 on are sent to the run, but for those of `lost`.
  heap_check(engine_run& run, const std::set<packet_name>& lost) : run_(run), lost_(lost) {}

  /// Call when all packets before `end` have been sent.
  void sent(std::int64_t end) {
    while (end >= checked_ + 2 * segment_packets) {
      const std::int64_t until = checked_ + segment_packets;
      EXPECT_TRUE(wait_until([&] { return has_caught(until); }))
          << "no heap came before packet " << until;
      compare(until, until + heap_packets);
    }
  }

  /// Call when the run has finished and all packets before `end` had been sent.
  void finish(std::int64_t end) {
    compare(end, end);
    const auto counts = run_.engine->counts(0).sent;
    EXPECT_EQ(counts.heaps, n_expected_);
    // The last batch lacks the end of its window; it is not made, and not counted.
    const auto n_batches = static_cast<std::uint64_t>(end / heap_packets - 1);
    EXPECT_EQ(counts.skipped_heaps, n_substreams * n_batches - n_expected_);
  }

 private:
  static constexpr std::size_t n_substreams = 4;
  static constexpr std::int64_t heap_packets = 8, segment_packets = 1024;

  [[nodiscard]] bool has_caught(std::int64_t until) const {
    const auto counts = run_.engine->counts(0).sent;
    const auto n_due = n_substreams * static_cast<std::uint64_t>(until / heap_packets);
    return counts.heaps + counts.skipped_heaps >= n_due && run_.caught.n_heaps() >= counts.heaps;
  }

  /// Compares heaps before packet `until`, the windows of which end before packet `end`.
  void compare(std::int64_t until, std::int64_t end) {
    auto expected = channelise_packets(run_.spec().outputs[0].bank, n_substreams, checked_, end,
                                       lost_of(checked_, end))
                        .heaps;
    const auto limit = static_cast<std::uint64_t>(until) * tiny_chunks.packet_samples;
    std::erase_if(expected, [&](const auto& heap) { return heap.first.first >= limit; });
    n_expected_ += expected.size();
    expect_same(run_.caught.take_before(limit), expected);
    checked_ = until;
  }

  [[nodiscard]] std::set<packet_name> lost_of(std::int64_t begin, std::int64_t end) const {
    return {lost_.lower_bound({begin, 0}), lost_.lower_bound({end, 0})};
  }

  engine_run& run_;
  const std::set<packet_name>& lost_;
  std::int64_t checked_ = 0;
  std::uint64_t n_expected_ = 0;
};

}  // namespace wingbeat::test
