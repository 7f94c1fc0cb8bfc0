// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Functors that weigh elements by their numbers, on ranks and on one device.
#include "distributing/part_functors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributing/ranks.hpp"    // difference_on
#include "distributing/weighed.hpp"  // weigh
#include "request/resolved.hpp"      // points_of
#include "support/on_engine.hpp"     // on_engine, all_engines, engine_name
#include "support/refusal.hpp"       // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
plan_spec weighed(std::size_t batch, transform kind, std::vector<std::size_t> lengths = {6, 10}) {
  plan_spec spec{.lengths = std::move(lengths), .batch = batch, .kind = kind};
  const std::size_t count = batch * request::points_of(spec);
  weigh(spec, /*at_load=*/true, /*at_store=*/true, count, count);
  return spec;
}

class part_functors_on : public on_engine {
 protected:
  [[nodiscard]] double difference_on(std::size_t n_ranks, const plan_spec& spec) const {
    return test::difference_on(domain::of_devices(std::vector<device_info>(n_ranks, on->device())),
                               {spec});
  }
};

TEST_P(part_functors_on, are_given_the_numbers_of_the_whole_array) {
  EXPECT_LT(difference_on(2, weighed(1, transform::forward)), 1e-6) << "cut along axes";
  if (leaves_out()) return;
  EXPECT_LT(difference_on(3, weighed(2, transform::forward)), 1e-6) << "of a batch";
  EXPECT_LT(difference_on(2, weighed(1, transform::inverse)), 1e-6);
  EXPECT_LT(difference_on(2, weighed(5, transform::forward)), 1e-6) << "whole transforms";
  EXPECT_LT(difference_on(3, weighed(1, transform::forward, {5, 4, 6})), 1e-6) << "three axes";
  EXPECT_LT(difference_on(3, weighed(2, transform::inverse, {5, 4, 6})), 1e-6) << "three axes";
  EXPECT_LT(difference_on(3, weighed(1, transform::forward, {60})), 1e-6) << "one axis as two";
  EXPECT_LT(difference_on(3, weighed(2, transform::inverse, {60})), 1e-6) << "one axis as two";
}

TEST_P(part_functors_on, are_given_the_numbers_of_ranges) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  for (const transform kind : {transform::forward, transform::inverse}) {
    plan_spec spec{.lengths = {6, 8, 10}, .kind = kind};
    spec.valid_in = {{1, 5}, {2, 7}, {3, 10}};
    spec.valid_out = {{0, 6}, {1, 8}, {4, 9}};
    weigh(spec, /*at_load=*/true, /*at_store=*/true, 4 * 5 * 7, 6 * 7 * 5);
    EXPECT_LT(difference_on(3, spec), 1e-6) << name_of(kind);
  }
}

TEST_P(part_functors_on, are_refused_where_elements_are_moved_once_more) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  const domain ranks = domain::of_devices({on->device(), on->device()});
  const auto refused = [&](const distributed_spec& spec) {
    return refusal([&] { (void)distributed_plan(ranks, spec); });
  };
  const plan_spec spec = weighed(1, transform::forward);
  EXPECT_THAT(refused({spec, bin_distribution::natural, false}),
              HasSubstr("choose bin_distribution"));
  EXPECT_THAT(refused({spec, {}, false, slabs({1, 6, 10}, 2, 2)}), HasSubstr("boxes were given"));
  plan_spec adds = spec;
  adds.store.clears_output = true;
  EXPECT_THAT(refused({adds, {}, false}), HasSubstr("it stores every element"));
}

INSTANTIATE_TEST_SUITE_P(engines, part_functors_on, all_engines(), engine_name);

}  // namespace
