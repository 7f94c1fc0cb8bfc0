// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Kernels with parameters of their own: several buffers of several types, numbers and structs by
// value, on every device here that compiles kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/memory.hpp"     // contents, filled
#include "support/on_engine.hpp"  // on_engine, compiled_engines, engine_name
#include "support/refusal.hpp"    // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

struct affine {
  float gain, offset;
};

/// sums[i] = gain a[i] + offset + b[i], in doubles; counts[i] = number of the workgroup + step.
const kernel_spec mixed{
    .text = R"(
#include "wingbeat/device/port.hpp"
using wingbeat::device::size;
struct affine { float gain, offset; };
WINGBEAT_KERNEL(4)
void mixed(WINGBEAT_GLOBAL const float* a, size a_first, WINGBEAT_GLOBAL double* sums,
           size sums_first, affine map, WINGBEAT_GLOBAL const short* b, size b_first,
           WINGBEAT_GLOBAL unsigned* counts, size counts_first,
           unsigned step WINGBEAT_SCRATCH_PARAMETER) {
  const size i = wingbeat::device::group::index() * 4 + wingbeat::device::group::thread();
  sums[sums_first + i] = double(map.gain * a[a_first + i] + map.offset) + b[b_first + i];
  counts[counts_first + i] = unsigned(wingbeat::device::group::index()) + step;
}
)",
    .entry = "mixed",
    .threads = 4,
    .parameters = {kernel_parameter::input(sizeof(float)), kernel_parameter::output(sizeof(double)),
                   kernel_parameter::value<affine>(), kernel_parameter::input(sizeof(short)),
                   kernel_parameter::output(sizeof(unsigned)),
                   kernel_parameter::value<unsigned>()}};

class kernel_operands : public on_engine {
 protected:
  void SetUp() override {
    on_engine::SetUp();
    if (IsSkipped()) return;
    mixer = std::make_unique<kernel>(*on, mixed);
    for (int i = 0; i < 16; ++i)
      a_values.push_back(static_cast<float>(i)), b_values.push_back(static_cast<short>(100 * i));
    a = filled(*on, a_values);
    b = filled(*on, b_values);
    sums = filled(*on, std::vector<double>(16, -1));
    counts = buffer{*on, 64};
  }

  static buffer_view from(const buffer& whole, std::size_t offset_bytes, std::size_t size_bytes) {
    buffer_view view = whole.view();
    view.offset_bytes += offset_bytes;
    view.size_bytes = size_bytes;
    return view;
  }

  std::unique_ptr<kernel> mixer;
  std::vector<float> a_values;
  std::vector<short> b_values;
  buffer a, b, sums, counts;
};

TEST_P(kernel_operands, are_passed_in_order_with_their_first_elements) {
  // Eight elements: of a from 2 on, of b from 3 on, of sums from 4 on, of counts from 5 on.
  mixer->enqueue(*on, 2,
                 {from(a, 8, 32), from(sums, 32, 64), affine{3, 0.5f}, from(b, 6, 16),
                  from(counts, 20, 32), 7U});
  const auto got = contents<double>(sums);
  const auto numbers = contents<unsigned>(counts);
  for (std::size_t i = 0; i < 16; ++i) {
    const bool is_written = i >= 4 && i < 12;
    const double expected =
        3.0 * static_cast<double>(i - 2) + 0.5 + 100.0 * static_cast<double>(i - 1);
    EXPECT_EQ(got[i], is_written ? expected : -1.0) << i;
  }
  for (std::size_t i = 5; i < 13; ++i) EXPECT_EQ(numbers[i], 7 + (i - 5) / 4) << i;
}

TEST_P(kernel_operands, values_change_from_launch_to_launch) {
  for (const float gain : {1.0f, -2.0f}) {
    mixer->enqueue(*on, 4, {a.view(), sums.view(), affine{gain, 0}, b.view(), counts.view(), 0U});
    const auto got = contents<double>(sums);
    for (int i = 0; i < 16; ++i) EXPECT_EQ(got[std::size_t(i)], gain * float(i) + 100 * i);
  }
}

TEST_P(kernel_operands, that_are_not_as_the_parameters_are_refused) {
  const auto refused = [&](std::vector<kernel_argument> arguments) {
    return refusal([&] { mixer->enqueue(*on, 1, std::span<const kernel_argument>{arguments}); });
  };
  const affine map{1, 0};
  EXPECT_THAT(refused({a.view(), sums.view(), map, b.view(), counts.view()}),
              HasSubstr("6 parameters and was given 5"));
  EXPECT_THAT(refused({a.view(), sums.view(), map, b.view(), 1U, counts.view()}),
              HasSubstr("argument 4"));
  EXPECT_THAT(refused({a.view(), sums.view(), 1.0f, b.view(), counts.view(), 1U}),
              HasSubstr("argument 2 of kernel 'mixed' has 4 bytes; its parameter has 8"));
  EXPECT_THAT(refused({from(a, 2, 8), sums.view(), map, b.view(), counts.view(), 1U}),
              HasSubstr("argument 0 of kernel 'mixed' starts at byte 2"));
  EXPECT_THAT(refused({a.view(), sums.view(), map, b.view(), buffer_view{}, 1U}),
              HasSubstr("argument 4"));
  EXPECT_THAT(refused({from(sums, 8, 64), sums.view(), map, b.view(), counts.view(), 1U}),
              HasSubstr("argument 0"));
  EXPECT_THAT(refused({a.view(), from(counts, 0, 64), map, b.view(), from(counts, 8, 56), 1U}),
              HasSubstr("argument 4"))
      << "two that are written";
  EXPECT_THAT(refusal([&] { mixer->enqueue(*on, 1, a.view(), sums.view(), b.view(), 1); }),
              HasSubstr("other form of enqueue"));
}

INSTANTIATE_TEST_SUITE_P(engines, kernel_operands, compiled_engines(), engine_name);

}  // namespace
