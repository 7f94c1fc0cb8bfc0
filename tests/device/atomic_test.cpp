// SPDX-License-Identifier: Apache-2.0
// Many threads update the same few numbers; sums are of integers that every type holds exactly, so
// that an update lost is a number less. A thread sanitizer sees an update that is not atomic.
#include "wingbeat/device/atomic.hpp"

#include <gtest/gtest.h>

#include <atomic>  // atomic_ref
#include <cmath>   // isnan, signbit
#include <limits>
#include <thread>  // jthread
#include <vector>

#include "device/numbers_expected.hpp"  // first_cells, expect_cells
#include "device/numbers_probe.hpp"     // update
#include "wingbeat/emulate.hpp"         // run_workgroup

namespace {

using namespace wingbeat::test;
using namespace wingbeat::device;

template <class T>
class atomics : public ::testing::Test {};

using numbers = ::testing::Types<int, unsigned, wingbeat::device::size, float, double>;
TYPED_TEST_SUITE(atomics, numbers);

TYPED_TEST(atomics, lose_no_update_of_any_thread) {
  auto cells = first_cells<TypeParam>();
  // Workgroups at once, as on a device.
  std::vector<std::jthread> workgroups;
  for (unsigned index = 0; index < update_workgroups; ++index) {
    workgroups.emplace_back([&cells, index] {
      wingbeat::run_workgroup(
          update_threads,
          [&](wingbeat::emulated_group group) {
            group.barrier();  // all begin together
            update(cells.data(), unsigned(group.index()) * update_threads + group.thread());
          },
          index);
    });
  }
  workgroups.clear();
  expect_cells(cells);
}

/// Threads that outbid each other, and so raise the same maximum at the same time.
TYPED_TEST(atomics, lose_no_update_where_threads_meet) {
  constexpr unsigned n_threads = 4, n_rounds = 200'000;
  TypeParam sum = 0, highest = 0;
  std::vector<unsigned> n_fallen(n_threads, 0);
  wingbeat::run_workgroup(n_threads, [&](wingbeat::emulated_group group) {
    const std::atomic_ref current{highest};
    group.barrier();
    for (unsigned round = 0; round < n_rounds; ++round) {
      const auto bid =
          TypeParam(current.load() + TypeParam(1 + (group.thread() + round) % n_threads));
      atomic_add(&sum, 1);
      atomic_max(&highest, bid);
      n_fallen[group.thread()] += current.load() < bid;
    }
  });
  EXPECT_EQ(sum, TypeParam(n_threads * n_rounds));
  EXPECT_GE(highest, TypeParam(n_rounds));
  EXPECT_EQ(n_fallen, std::vector<unsigned>(n_threads, 0));
}

TEST(atomic_max, of_reals_orders_signs_zeros_and_infinities) {
  const float infinite = std::numeric_limits<float>::infinity();
  const float ascending[] = {-infinite, -3.0f, -1e-40f, -0.0f, 0.0f, 1e-40f, 2.0f, infinite};
  for (const float initial : ascending) {
    for (const float value : ascending) {
      float cell = initial;
      atomic_max(&cell, value);
      const bool grows = value > initial || (value == initial && std::signbit(initial));
      EXPECT_EQ(cell, grows ? value : initial) << initial << ", " << value;
      EXPECT_EQ(std::signbit(cell), std::signbit(grows ? value : initial))
          << initial << ", " << value;
    }
    float cell = initial;
    atomic_max(&cell, std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(cell, initial);
    atomic_max(&cell, -std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(cell, initial);
  }
}

TEST(atomic_add, takes_values_of_other_types_as_the_elements) {
  double real = 0.5;
  unsigned integer = 7;
  atomic_add(&real, 1);
  atomic_add(&integer, -1);
  EXPECT_EQ(real, 1.5);
  EXPECT_EQ(integer, 6U);
}

TEST(atomic_add, carries_nan_and_infinity_into_the_sum) {
  float sum = 1;
  atomic_add(&sum, std::numeric_limits<float>::infinity());
  EXPECT_EQ(sum, std::numeric_limits<float>::infinity());
  atomic_add(&sum, -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(sum));
  atomic_add(&sum, 1.0f);  // NaN differs from itself, and the update ends nevertheless
  EXPECT_TRUE(std::isnan(sum));
}

}  // namespace
