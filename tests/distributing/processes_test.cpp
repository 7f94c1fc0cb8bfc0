// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Ranks that meet over loopback, in threads and in processes of their own, against plans of one
// device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // raise

#include "distributing/ranks.hpp"  // difference_on
#include "processes/ranks.hpp"     // free_address, refusals_of
#include "support/on_engine.hpp"   // on_engine, all_engines, engine_name

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class processes_on : public on_engine {
 protected:
  /// Runs requests as ranks in threads.
  void expect_equal(std::size_t n_ranks, const std::vector<distributed_spec>& specs,
                    bool shares_memory) const {
    const std::string address = free_address();
    const auto sentences = refusals_of(n_ranks, [&](std::size_t rank) {
      const domain ranks = domain::at({address, rank, n_ranks}, queue{on->device()},
                                      {.may_share_memory = shares_memory});
      for (std::size_t i = 0; i < specs.size(); ++i) {
        EXPECT_LT(difference_on(ranks, specs[i]),
                  specs[i].transform.real == precision::fp64 ? 1e-14 : 1e-6)
            << i << " on " << n_ranks << " ranks" << (shares_memory ? " that share memory" : "");
      }
    });
    EXPECT_THAT(sentences, Each(""));
  }
};

/// thread_ranks makes random requests on the host.
TEST_P(processes_on, make_what_one_device_makes) {
  for (const bool shares_memory : {true, false}) {
    expect_equal(2, {{{.lengths = {8, 6, 10}}}}, shares_memory);
    if (leaves_out()) continue;
    expect_equal(
        3,
        {{{.lengths = {7, 9}, .batch = 2, .kind = transform::forward_from_real}},
         {{.lengths = {7, 6, 10}, .kind = transform::inverse_to_real}, bin_distribution::natural},
         {{.lengths = {240}}}},
        shares_memory);
  }
}

TEST_P(processes_on, are_more_than_a_kernel_has_pointers) {
  if (on->device().runs_on != engine::host) GTEST_SKIP() << "the same on all";
  const std::size_t n_ranks = domain::max_sharing_ranks + 5;
  expect_equal(n_ranks,
               {{{.lengths = {44, 23, 3}, .batch = 2}},
                {{.lengths = {44, 23, 3}, .kind = transform::inverse_to_real}},
                {{.lengths = {25, 48}, .kind = transform::forward_from_real}},
                {{.lengths = {7, 30, 2}, .real = precision::fp64}, bin_distribution::natural},
                {{.lengths = {720}}}},
               /*shares_memory=*/true);
}

TEST_P(processes_on, refuse_requests_that_differ) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  const std::string address = free_address();
  const auto sentences = refusals_of(3, [&](std::size_t rank) {
    const domain ranks = domain::at({address, rank, 3}, queue{on->device()}, {5});
    EXPECT_THAT(refusal([&] {
                  distributed_plan(ranks, {{.lengths = {8, 8 + rank / 2}}});
                }),
                HasSubstr("rank 2 requests another transform than rank 0"));
    EXPECT_THAT(refusal([&] {
                  distributed_plan(ranks, {{.lengths = {8, rank == 1 ? 0U : 8U}}});
                }),
                HasSubstr(rank == 1 ? "length" : "rank 1 fails: "));
    // The domain is of use yet.
    EXPECT_LT(difference_on(ranks, {{.lengths = {8, 8}}}), 1e-6);
    const distributed_plan alone{ranks, {{.lengths = {8, 8}}}};
    EXPECT_TRUE(alone.uses_one_device());
    EXPECT_EQ(alone.in_bytes(rank), rank == 0 ? 512U : 0U);
    EXPECT_THAT(alone.explain(), HasSubstr("rank 0 makes it alone"));
  });
  EXPECT_THAT(sentences, Each(""));
  EXPECT_THAT(refusal([&] { (void)domain::at({address, 0, 513}, *on); }), HasSubstr("513 ranks"));
}

TEST_P(processes_on, are_told_what_one_of_them_is_refused) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  for (const bool shares_memory : {true, false}) {
    for (const bool is_plan : {true, false}) {
      const std::string address = free_address();
      const auto sentences = refusals_of(3, [&](std::size_t rank) {
        const domain ranks = domain::at({address, rank, 3}, *on, {5, shares_memory});
        distributed_plan plan{ranks, {{.lengths = {6, 6}}, {}, false}};
        reshape moves{ranks, {slabs({6, 6}, 0, 3), slabs({6, 6}, 1, 3), 8}};
        const buffer in{*on, 96}, out{*on, 96}, small{*on, 8};
        const auto run = [&](const buffer& source) {
          return message_of([&] {
            is_plan ? plan.enqueue(source.view(), out.view())
                    : moves.enqueue(source.view(), out.view());
          });
        };
        EXPECT_EQ(run(in), "");
        const std::string refused = "the input of rank 1 holds 8 bytes; this ";
        EXPECT_THAT(run(rank == 1 ? small : in),
                    StartsWith(rank == 1 ? refused : "rank 1 fails: " + refused));
        EXPECT_THAT(run(in), StartsWith("rank 1 fails: " + refused)) << "one run off else";
      });
      EXPECT_THAT(sentences, Each(""));
    }
  }
}

TEST_P(processes_on, name_a_rank_that_is_killed) {
  if (on->device().runs_on != engine::host) GTEST_SKIP() << "the same on every engine";
  const std::string address = free_address();
  std::vector<pid_t> children;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    children.push_back(start_child([&, rank] {
      const domain ranks = domain::at({address, rank, 3}, queue{first_device(engine::host)}, {5});
      if (difference_on(ranks, {{.lengths = {8, 9, 10}}}) > 1e-6) return 1;
      if (rank == 2) ::raise(SIGKILL);
      const std::string sentence = message_of([&] {
        (void)difference_on(ranks, {{.lengths = {8, 8}}});
      });
      return sentence == "rank 2 has ended or was lost" ? 0 : 2;
    }));
  }
  EXPECT_EQ(exit_code_of(children[0]), 0);
  EXPECT_EQ(exit_code_of(children[1]), 0);
  EXPECT_EQ(exit_code_of(children[2]), -SIGKILL);
}

INSTANTIATE_TEST_SUITE_P(engines, processes_on, all_engines(), engine_name);

}  // namespace
