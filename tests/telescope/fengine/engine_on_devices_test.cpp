// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// The engine where samples and heaps cross to a device and back.
#include <gtest/gtest.h>

#include <thread>  // sleep_for

#include "fengine/engine_run.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr std::int64_t chunk_packets = 16;

// On a device nothing is compiled once samples come: the pool of chunks is small.
TEST(fengine_on_devices, sends_what_a_channeliser_makes) {
  engine_run run{[](auto& spec) {
    spec.device = first_device(engine::opencl);
    spec.input.n_chunks = 8;
  }};
  for (std::int64_t chunk = 0; chunk < 8; ++chunk) {
    run.send(chunk * chunk_packets, (chunk + 1) * chunk_packets);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // as a digitiser, not all at once
  }
  run.finish();
  const auto expected =
      channelise_packets(run.spec().outputs[0].bank, 4, 0, 8 * chunk_packets, {}, engine::opencl);
  EXPECT_EQ(expected.heaps.size(), 4U * 15);
  expect_same(run.caught.caught(), expected.heaps);
  EXPECT_EQ(run.engine->received().rejected(), 0U);
}

}  // namespace
