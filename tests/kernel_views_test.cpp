// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Which views a user's own kernel takes, on every device here that compiles kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>  // move
#include <vector>

#include "support/on_engine.hpp"  // on_engine, compiled_engines, engine_name
#include "support/refusal.hpp"    // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

/// Writes 2 in[i] + table[i] for i < batch.
const kernel_spec sums{.text = R"(
#include "wingbeat/device/port.hpp"
namespace wd = wingbeat::device;
WINGBEAT_KERNEL(1)
void sums(WINGBEAT_GLOBAL const float* in, WINGBEAT_GLOBAL float* out,
          WINGBEAT_GLOBAL const float* table, wd::size in_first, wd::size out_first,
          wd::size batch WINGBEAT_SCRATCH_PARAMETER) {
  for (wd::size i = 0; i < batch; ++i) out[out_first + i] = 2 * in[in_first + i] + table[i];
}
)",
                       .entry = "sums",
                       .in_element_bytes = 4,
                       .out_element_bytes = 4};

class kernel_views : public on_engine {
 protected:
  void SetUp() override {
    on_engine::SetUp();
    if (IsSkipped()) return;
    compiled = std::make_unique<kernel>(*on, sums);
    const std::vector<float> ones(16, 1);
    for (buffer* const each : {&memory, &table}) {
      *each = buffer{*on, 64};
      each->write(ones.data(), 64);
    }
  }

  /// Views of 8 of the 16 numbers.
  [[nodiscard]] buffer_view from(std::size_t element) const {
    buffer_view view = memory.view();
    view.offset_bytes = 4 * element;
    view.size_bytes = 32;
    return view;
  }

  std::string refusal_of(buffer_view in, buffer_view out, buffer_view roots) {
    const auto sentence = refusal([&] { compiled->enqueue(*on, 1, in, out, roots, 8); });
    on->wait();
    return sentence;
  }

  [[nodiscard]] float number(std::size_t element) const {
    float value = 0;
    memory.read(&value, 4, 4 * element);
    return value;
  }

  std::unique_ptr<kernel> compiled;
  buffer memory, table;
};

TEST_P(kernel_views, are_apart_or_start_together) {
  EXPECT_EQ(refusal_of(from(0), from(8), table.view()), nothing_refused);
  EXPECT_EQ(number(8), 3);
  EXPECT_EQ(refusal_of(from(0), from(0), table.view()), nothing_refused);
  EXPECT_EQ(number(0), 3);
  EXPECT_EQ(refusal_of(from(0), from(8), from(0)), nothing_refused);
  EXPECT_EQ(number(8), 9);
  EXPECT_THAT(refusal_of(from(0), from(7), table.view()),
              HasSubstr("the output starts 28 bytes behind the start of the input, which takes 32 "
                        "bytes, so that they overlap; give them places apart"));
  EXPECT_THAT(refusal_of(table.view(), from(4), from(0)),
              HasSubstr("the output starts 16 bytes behind the start of the table"));
  EXPECT_EQ(number(8), 9) << "what is refused does not run";
}

TEST_P(kernel_views, have_memory) {
  const buffer_view whole = from(0), null{nullptr, 0, 32};
  EXPECT_THAT(refusal_of({}, from(8), table.view()),
              HasSubstr("the input of kernel 'sums' is an empty view; give it a buffer"));
  EXPECT_THAT(refusal_of(whole, {}, table.view()), HasSubstr("the output of kernel 'sums' is an"));
  EXPECT_THAT(refusal_of(whole, from(8), {}), HasSubstr("the table of kernel 'sums' is an empty"));
  EXPECT_THAT(refusal_of(null, from(8), table.view()),
              HasSubstr("the input has a size of 32 bytes and no memory, for its handle is null"));
}

TEST_P(kernel_views, are_of_the_queues_device) {
  const queue host{first_device(engine::host)};
  const buffer elsewhere{host, 64};
  const auto sentence = HasSubstr("is memory of host:0 and the queue is of " +
                                  std::string{name_of(GetParam())} + ":0");
  EXPECT_THAT(refusal_of(elsewhere.view(), from(8), table.view()), sentence);
  EXPECT_THAT(refusal_of(from(0), elsewhere.view(), table.view()), sentence);
  EXPECT_THAT(refusal_of(from(0), from(8), elsewhere.view()), sentence);
}

TEST_P(kernel_views, are_refused_by_a_kernel_that_was_moved_from) {
  const kernel owner = std::move(*compiled);
  const auto sentence =
      HasSubstr("this kernel was moved from; use the kernel that it was moved to");
  EXPECT_THAT(refusal_of(from(0), from(8), table.view()), sentence);
  EXPECT_THAT(refusal([&] { (void)compiled->resources(); }), sentence);
  EXPECT_EQ(owner.resources().threads, 1);
}

INSTANTIATE_TEST_SUITE_P(engines, kernel_views, compiled_engines(), engine_name);

}  // namespace
