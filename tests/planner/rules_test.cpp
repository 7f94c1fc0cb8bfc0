// SPDX-License-Identifier: Apache-2.0
// Lengths that no data describes: how they are cut, and that their shapes fit every device.
#include "planner/rules.hpp"

#include <gtest/gtest.h>

#include "planner/devices.hpp"          // hopper, ampere, opencl
#include "planner/pieces.hpp"           // axis_request, pieces_of
#include "programs/transforms.hpp"      // make_program
#include "wingbeat/device/factors.hpp"  // greatest_factor
#include "wingbeat/good_length.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace planner;

using parts = std::vector<std::size_t>;

TEST(divisors, are_all_there_in_order) {
  EXPECT_EQ(divisors_of(1), parts{1});
  EXPECT_EQ(divisors_of(13), (parts{1, 13}));
  EXPECT_EQ(divisors_of(60), (parts{1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60}));
}

TEST(even_parts, are_as_equal_as_can_be) {
  EXPECT_EQ(even_parts(1 << 17, 2), (parts{512, 256}));
  EXPECT_EQ(even_parts(1 << 25, 3), (parts{512, 256, 256}));
  EXPECT_EQ(even_parts(1000000, 2), (parts{1000, 1000}));
  EXPECT_EQ(even_parts(65610, 2), (parts{270, 243}));
  EXPECT_EQ(even_parts(10000000, 3), (parts{250, 200, 200}));
  EXPECT_EQ(even_parts(13 * 13, 3), (parts{13, 13, 1}));
}

/// Whatever the device, each pass fits it, and the passes make the whole axis.
void expect_fit(const device_info& device, std::size_t n, transform kind, precision real) {
  const plan_spec spec{.lengths = {n}, .batch = 3, .kind = kind, .real = real};
  const bool has_pairs = kind == transform::forward_from_real && n % 2 == 0;
  std::size_t product = 1;
  for (const planner::pass& each : programs::make_program(spec, device).passes()) {
    const auto& shape = each.shape();
    product *= shape.length;
    EXPECT_EQ(shape.length % shape.elements_per_thread, 0U) << n << ": " << each.describe();
    EXPECT_LE(shape.threads(), device.max_workgroup) << n << ": " << each.describe();
    EXPECT_LE(shape.scratch_bytes(), device.local_memory_bytes) << n << ": " << each.describe();
  }
  EXPECT_EQ(product, has_pairs ? n / 2 : n);
}

TEST(rules, give_every_device_shapes_that_fit) {
  for (const device_info& device :
       {hopper(), ampere(), opencl(true, 48 << 10, 256), opencl(false, 256 << 10, 4096)}) {
    for (std::size_t n = 3; n < max_length; n += n / 3 + 1) {
      const std::size_t good = good_length(n);
      for (const precision real : {precision::fp32, precision::fp64}) {
        expect_fit(device, good, transform::forward, real);
        expect_fit(device, good, transform::forward_from_real, real);
      }
    }
  }
}

TEST(rules, read_and_write_whole_sectors) {
  const device_info device = hopper();
  for (const std::size_t n : {100000, 1000000, 10000000}) {
    for (const auto& each :
         programs::make_program(plan_spec{.lengths = {n}, .batch = 2}, device).passes()) {
      EXPECT_GE(each.shape().lanes * each.shape().element_bytes, 32U) << each.describe();
    }
  }
}

TEST(rules, give_threads_all_elements_of_a_large_radix) {
  for (const std::size_t n : {51, 57, 69, 85, 87, 115}) {
    for (const precision real : {precision::fp32, precision::fp64}) {
      const auto steps = programs::make_program(plan_spec{.lengths = {n}, .real = real}, hopper());
      EXPECT_EQ(steps.passes().front().shape().elements_per_thread,
                device::greatest_factor(static_cast<unsigned>(n)))
          << n;
    }
  }
}

/// They are complex numbers of which half is 0, or made of reals, so that instructions bind, not
/// memory.
TEST(rules, count_the_operations_of_odd_rows_of_reals) {
  const auto elements_of = [](plan_spec spec) {
    const auto passes = programs::make_program(request::resolved_spec{std::move(spec)}, hopper());
    return passes.passes().front().shape().elements_per_thread;
  };
  for (const auto& [n, least] : {std::pair<std::size_t, unsigned>{65, 13}, {105, 15}, {225, 15}}) {
    for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
      EXPECT_GE(elements_of({.lengths = {n}, .batch = 100000, .kind = kind}), least) << n;
    }
    EXPECT_LT(elements_of({.lengths = {n}, .batch = 100000}), least) << n << ", complex";
  }
  const axis_request computed{.total = 105, .is_computed = true, .transforms = 100000};
  const auto pieces = pieces_of(computed, tuning::for_device(hopper()), hopper());
  EXPECT_GE(pieces.front().shape.elements_per_thread, 15U) << "of a functor";
}

TEST(rules, leave_powers_of_two_to_the_data) {
  const planner::rule_request request{.length = 4096, .bank_bytes = 128};
  EXPECT_FALSE(planner::row_by_rule(request, {}, hopper()));
}

}  // namespace
