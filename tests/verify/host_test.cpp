// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 120
#include "verify/expect_lawful.hpp"

namespace {

TEST(host_engine, obeys_every_law) {
  const int max_log2 = wingbeat::test::is_full_run() ? 13 : 11;
  wingbeat::test::expect_lawful(wingbeat::engine::host, {.min_log2 = 1, .max_log2 = max_log2});
}

TEST(host_engine, obeys_every_law_at_lengths_that_are_no_powers_of_two) {
  wingbeat::test::expect_lawful(wingbeat::engine::host,
                                {.listed = {1, 3, 6, 13, 15, 31, 35, 100, 143, 360, 1000, 1925}});
}

TEST(host_engine, obeys_every_law_of_reals) {
  wingbeat::test::expect_lawful(wingbeat::engine::host, {.min_log2 = 1, .max_log2 = 10},
                                wingbeat::test::kinds_of_reals(true));
  wingbeat::test::expect_lawful(wingbeat::engine::host, {.listed = {3, 15, 35, 100, 143}},
                                wingbeat::test::kinds_of_reals(true));
}

TEST(host_engine, obeys_every_law_at_one_point) {
  wingbeat::test::expect_lawful(wingbeat::engine::host, {.listed = {1}}, {});
}

}  // namespace
