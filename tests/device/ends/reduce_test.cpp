// SPDX-License-Identifier: Apache-2.0
// A store that reduces, behind every body: each element is added once, to its own row, and a
// workgroup finishes each of its rows once.
#include "wingbeat/device/ends/reduce.hpp"

#include <gtest/gtest.h>

#include "device/ends/fixed_rows.hpp"  // as
#include "device/grid/pass_probe.hpp"  // run_tiles, whole_rows, cluster_rows
#include "support/signal.hpp"          // noise
#include "wingbeat/device/atomic.hpp"  // atomic_add

namespace {

using namespace wingbeat::test;

/// Of a row: how many elements, the sum of their numbers, and how often it was finished.
struct tally {
  unsigned count, numbers, finished;
};

struct tallied {
  using element = tally;
  struct partial {
    unsigned count, numbers;
  };
  static partial start() { return {0, 0}; }
  static void add(partial& sum, size, size i, wingbeat::device::complex<float>) {
    sum.count += 1;
    sum.numbers += static_cast<unsigned>(i);
  }
  static void combine(partial& sum, partial other) {
    sum.count += other.count;
    sum.numbers += other.numbers;
  }
  static void finish(tally* out, size row, partial sum) {
    wingbeat::device::atomic_add(&out[row].count, sum.count);
    wingbeat::device::atomic_add(&out[row].numbers, sum.numbers);
    wingbeat::device::atomic_add(&out[row].finished, 1U);
  }
};

template <class Base>
using reduced = shaped<Base, &tile_shape::partial_bytes, unsigned{sizeof(tallied::partial)}>;

/// The functor behind a pass whose rows have `Length` elements.
template <size Length>
struct tallying_store
    : ends::fused_reduce<tallied, as<ends::fused_numbers{.length = Length, .is_dense = true}>> {
  using base =
      ends::fused_reduce<tallied, as<ends::fused_numbers{.length = Length, .is_dense = true}>>;
  tallying_store(tally* out) : base(out, nullptr) {}
};

template <class Base>
void check(unsigned workgroups_of_row = 1) {
  using policy = reduced<Base>;
  constexpr pass_numbers numbers = policy::numbers();
  constexpr size length = numbers.out.distance;
  const size batch = 5;
  const auto x = noise<float>(batch * numbers.in.distance, 1);
  std::vector<tally> out(batch + 1, {0, 0, 0});
  run_tiles<policy, plain_load<policy>, tallying_store<length>>(x.data(), out.data(), batch);
  for (size row = 0; row < batch; ++row) {
    EXPECT_EQ(out[row].count, length) << "row " << row;
    EXPECT_EQ(out[row].numbers, length * (length - 1) / 2) << "row " << row;
    EXPECT_EQ(out[row].finished, workgroups_of_row) << "row " << row;
  }
  EXPECT_EQ(out[batch].finished, 0U) << "lanes beyond the batch finish nothing";
}

TEST(ends_reduce, adds_each_element_of_whole_rows_once) {
  check<whole_rows<1, 1, 4>>();
  check<whole_rows<16, 16, 2>>();
  check<whole_rows<64, 8, 4>>();
  check<across<whole_rows<64, 8, 4>>>();
  check<whole_rows<512, 32, 1>>();
}

TEST(ends_reduce, adds_each_bin_of_real_rows_once) {
  check<to_bins<whole_rows<64, 8, 2>>>();
  check<from_bins<whole_rows<64, 8, 4>>>();
}

TEST(ends_reduce, finishes_a_row_in_every_workgroup_of_a_cluster) {
  check<cluster_rows<16, 16, 4, 4>>(4);
  check<cluster_rows<16, 8, 4, 1, 2>>(1);
}

}  // namespace
