// SPDX-License-Identifier: Apache-2.0
// Two chained passes on the host, several workgroups at once, which wait for each other as on a
// device: chunks that do not divide the batch, and places of the workspace given to chunk after
// chunk. Every workgroup runs in threads, so that the thread sanitizer sees what is not announced.
#include "wingbeat/device/grid/chain.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "device/grid/pass_probe.hpp"  // as_pass, rounded_table, whole_rows
#include "planner/recipe.hpp"          // launch
#include "support/oracle.hpp"          // dft
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // is_accurate

namespace {

using namespace wingbeat::test;
using wingbeat::emulated_group;
using wingbeat::run_workgroup;
namespace planner = wingbeat::planner;

/// Rows of 128 as 8 x 16: columns of 8, then columns of 16 after 8.
struct first_of_two : whole_rows<8, 4, 8> {
  using loops = nest<loop<16, 1, 8>>;
  static constexpr bool lanes_across = true, stage_out = true;
  static constexpr size total = 128, batch_in = total, batch_out = total, in_stride = 16;
};
struct second_of_two : whole_rows<16, 8, 8> {
  using loops = nest<loop<8, 1, 1>>;
  static constexpr bool lanes_across = true;
  static constexpr size prior = 8, total = 128, batch_in = total, batch_out = total;
  static constexpr size in_stride = 8, out_stride = 8, out_step = 8;
  static constexpr unsigned turn_along = 0, out_along = 0;
};

template <size ChunkRows, unsigned Ring>
struct chained {
  static constexpr size chunk_rows = ChunkRows;
  static constexpr unsigned ring = Ring;
};

template <class Policy>
using pass_of = grid::pass<Policy, plain_load<Policy>, plain_store<Policy>, emulated_group>;
using first = pass_of<first_of_two>;
using second = pass_of<second_of_two>;

/// Calls work(group, local memory) of workgroups 0, 1 .., `at_once` of them at a time.
template <class Work>
void run_at_once(size n_workgroups, unsigned at_once, unsigned n_threads, size scratch_bytes,
                 const Work& work) {
  std::atomic<size> next = 0;
  std::vector<std::jthread> residents;
  for (unsigned i = 0; i < at_once; ++i) {
    residents.emplace_back([&] {
      for (size index = next++; index < n_workgroups; index = next++) {
        const auto scratch = local_memory(scratch_bytes);
        run_workgroup(
            n_threads, [&](emulated_group group) { work(group, scratch.get()); }, index);
      }
    });
  }
}

/// What the planner says of the same chain.
template <class Chained>
planner::launch as_launch(size batch) {
  planner::launch both;
  both.passes = {as_pass<first_of_two>(), as_pass<second_of_two>()};
  both.passes[0].rows = both.passes[1].rows = batch;
  both.chunk_rows = Chained::chunk_rows;
  both.ring = Chained::ring;
  return both;
}

template <class Chained>
void check(size batch, unsigned at_once) {
  constexpr size n = 128, guard = 16;
  using chain = grid::chain<first, second, Chained, emulated_group>;
  const planner::launch both = as_launch<Chained>(batch);
  const auto first_roots = rounded_table<float>(both.passes[0]);
  const auto second_roots = rounded_table<float>(both.passes[1]);
  const auto in = noise<float>(n * batch, 1);
  values<float> middle(n * Chained::chunk_rows * Chained::ring + guard, poison<complex<float>>());
  values<float> out(n * batch + guard, poison<complex<float>>());
  std::vector<unsigned> counters(both.counter_bytes() / sizeof(unsigned));
  run_at_once(both.workgroups(), at_once, chain::workgroup_threads, both.scratch_bytes(),
              [&](emulated_group group, char* scratch) {
                const first one({in.data()}, {middle.data()}, first_roots.data(), scratch, group);
                const second two({middle.data()}, {out.data()}, second_roots.data(), scratch,
                                 group);
                chain(counters.data(), batch, scratch, group).run(one, two);
              });
  for (size b = 0; b < batch; ++b) {
    const auto expected = dft(picked(in, b * n, n), direction::forward);
    ASSERT_TRUE(is_accurate<float>(picked(out, b * n, n), expected, n))
        << "row " << b << " of " << batch << ", " << at_once << " workgroups at once";
  }
  for (size i = 0; i < guard; ++i) {
    EXPECT_TRUE(is_poison(out[n * batch + i])) << "behind the output";
    EXPECT_TRUE(is_poison(middle[middle.size() - guard + i])) << "behind the workspace";
  }
}

TEST(grid_chain, chunks_that_divide_the_batch) {
  check<chained<2, 3>>(12, 1);
  check<chained<2, 3>>(12, 5);
}

TEST(grid_chain, chunks_that_do_not_divide_the_batch) {
  check<chained<4, 2>>(11, 4);
  check<chained<3, 3>>(7, 3);
  check<chained<8, 3>>(5, 4);
  check<chained<4, 3>>(1, 2);
}

TEST(grid_chain, gives_places_of_the_workspace_to_chunk_after_chunk) {
  check<chained<1, 2>>(20, 6);
  check<chained<1, 3>>(20, 8);
}

TEST(grid_chain, has_as_many_workgroups_as_the_planner_launches) {
  using four = chained<4, 3>;
  using chain = grid::chain<first, second, four, emulated_group>;
  EXPECT_EQ(as_launch<four>(11).workgroups(), size{4} * chain::tiles);
  EXPECT_EQ(grid::counter_bytes(11, 4), 256U);
  EXPECT_EQ(grid::counter_bytes(1000, 10), 1024U) << "201 counters";
}

}  // namespace
