// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// The heap that the first sample falls in, whose samples before it are missing; on every engine
// against the reference in double precision.
#include <gtest/gtest.h>

#include "channelising/engine_check.hpp"    // channeliser_on, noise_of
#include "reference/channeliser_check.hpp"  // small_spec

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using heap_shapes_on = channeliser_on;

/// Has the recording begin `n` samples earlier, with samples that are missing.
reference::recording with_missing(const reference::recording& recorded, std::size_t n) {
  reference::recording input{.first_sample = recorded.first_sample - static_cast<std::int64_t>(n),
                             .packet_samples = n};
  for (const auto& samples : recorded.samples) {
    input.samples.emplace_back(n);
    input.samples.back().insert(input.samples.back().end(), samples.begin(), samples.end());
    input.present.emplace_back((samples.size() + n - 1) / n + 1, true);
    input.present.back().front() = false;
  }
  return input;
}

TEST_P(heap_shapes_on, begin_early_where_samples_before_the_first_are_missing) {
  for (const std::int64_t first : {0, 5, 3 * 2048 + 700}) {
    for (const bool is_narrow : cases<bool>({false}, {true})) {
      SCOPED_TRACE(first);
      channeliser_spec spec = small_spec(64);
      spec.taps = 4;
      spec.missing = missing_policy::zero_fill;
      spec.delays = {{{.delay_samples = 3, .phase_rad = 1}}};
      if (is_narrow) spec.narrowband = {.centre_hz = 300e6, .decimation = 4};
      const auto given = noise_of(spec, 2, 1000, 30, first);
      const std::size_t heap = sizes_of(spec).heap_samples;
      const auto input = with_missing(given, heap - 1);
      check(spec, input, {heap - 1});
      const outcome got = run(spec, input, {heap - 1});
      ASSERT_GE(got.heaps.size(), 2U);
      const auto due = (first + 3) / static_cast<std::int64_t>(heap);
      EXPECT_EQ(got.heaps[0].heap.timestamp, due * static_cast<std::int64_t>(heap));
      EXPECT_FALSE(got.heaps[0].heap.is_complete[0]);
      EXPECT_TRUE(got.heaps[1].heap.is_complete[0]);
      EXPECT_NE(got.heaps[0].bytes, std::vector<std::byte>(got.heaps[0].bytes.size()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(engines, heap_shapes_on, all_engines(), engine_name);

}  // namespace
