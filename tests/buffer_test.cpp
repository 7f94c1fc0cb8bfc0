// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Buffers on every device here: what they copy, what they say of themselves, what they refuse.
#include "wingbeat/buffer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>  // move
#include <vector>

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

TEST(buffer, writes_and_reads_within_itself) {
  for (const device_info& device : devices()) {
    SCOPED_TRACE(device.name);
    const queue on{device};
    buffer memory{on, 16};
    const std::vector<int> sent{1, 2, 3, 4};
    std::vector<int> received(2);
    memory.write(sent.data(), 16);
    memory.read(received.data(), 8, 4);
    EXPECT_EQ(received, (std::vector<int>{2, 3}));
    EXPECT_THAT(refusal([&] { memory.write(sent.data(), 8, 12); }),
                HasSubstr("8 bytes at 12 do not lie inside a buffer of 16 bytes"));
    EXPECT_THAT(refusal([&] { memory.read(received.data(), 8, std::size_t(-4)); }),
                HasSubstr("do not lie inside"));
  }
}

TEST(buffer, refuses_a_null_pointer) {
  for (const device_info& device : devices()) {
    SCOPED_TRACE(device.name);
    const queue on{device};
    buffer memory{on, 64};
    EXPECT_THAT(refusal([&] { memory.write(nullptr, 64); }),
                HasSubstr("write was given a null pointer for 64 bytes; pass memory"));
    EXPECT_THAT(refusal([&] { memory.read(nullptr, 8, 8); }),
                HasSubstr("read was given a null pointer for 8 bytes; pass memory"));
    EXPECT_EQ(refusal([&] { memory.write(nullptr, 0); }), nothing_refused) << "no bytes, no memory";
    EXPECT_EQ(refusal([&] { memory.read(nullptr, 0); }), nothing_refused);
  }
}

TEST(buffer, knows_the_device_and_the_context_of_its_memory) {
  for (const device_info& device : devices()) {
    SCOPED_TRACE(device.name);
    const queue on{device}, other{device};
    const buffer memory{on, 64}, another{other, 64};
    ASSERT_TRUE(memory.view().origin);
    EXPECT_EQ(memory.view().origin->runs_on, device.runs_on);
    EXPECT_EQ(memory.view().origin->device_index, device.index);
    const bool has_contexts = device.runs_on == engine::cuda || device.runs_on == engine::opencl;
    EXPECT_EQ(memory.view().origin->context != nullptr, has_contexts);
    EXPECT_EQ(memory.view().origin->context, another.view().origin->context)
        << "queues that wingbeat opens share a context";
  }
}

TEST(buffer, leaves_no_origin_in_a_view_of_other_memory) {
  float value = 0;
  const buffer_view yours{&value, 0, sizeof value};
  EXPECT_FALSE(yours.origin);
}

TEST(buffer, is_empty_once_moved_from) {
  for (const device_info& device : devices()) {
    SCOPED_TRACE(device.name);
    const queue on{device};
    buffer memory{on, 64};
    const buffer owner = std::move(memory);
    EXPECT_EQ(owner.size_bytes(), 64U);
    int value = 0;
    EXPECT_EQ(memory.size_bytes(), 0U);
    EXPECT_EQ(memory.view().handle, nullptr);
    EXPECT_THAT(refusal([&] { memory.write(&value, sizeof value); }),
                HasSubstr("inside a buffer of 0 bytes"));
    EXPECT_THAT(refusal([&] { memory.read(&value, sizeof value); }),
                HasSubstr("inside a buffer of 0 bytes"));
  }
}

}  // namespace
