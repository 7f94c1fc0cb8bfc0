// SPDX-License-Identifier: Apache-2.0
// A search over orientations on several queues, against the same one on one queue.
#include "searching/orientations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convolving/search_check.hpp"  // noise_of
#include "support/refusal.hpp"          // refusal
#include "wingbeat/devices.hpp"         // first_device

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using searching::shared_orientation_search;
using ::testing::HasSubstr;

const orientation_spec spec{
    .image = {20, 26}, .box = 8, .filters = 2, .orientations_at_once = 2, .table_threshold = 1.0};

std::vector<plane_axes> rotations() {
  std::vector<plane_axes> result(73);
  const auto values = noise_of<float>(6 * result.size(), 4);
  for (std::size_t i = 0; i < values.size(); ++i) result[i / 6][i % 6] = values[i] / 2;
  return result;
}

shared_orientation_search begun(std::size_t n_queues) {
  std::vector<queue> queues;
  for (std::size_t i = 0; i < n_queues; ++i) queues.emplace_back(first_device(engine::host));
  shared_orientation_search search{queues, spec};
  search.begin(noise_of<float>(20 * 26, 1));
  search.set_volume(noise_of<float>(8 * 8 * 5 * 2, 2));
  search.set_filters(noise_of<float>(2 * 8 * 5, 3));
  return search;
}

TEST(shared_orientation_search, keeps_the_same_bits_on_several_queues) {
  shared_orientation_search alone = begun(1), three = begun(3);
  alone.add(rotations(), 5);
  std::vector<std::size_t> reports;
  three.add(rotations(), 5, [&](std::size_t n_done) { reports.push_back(n_done); });
  EXPECT_EQ(reports.size(), 5);  // 73 rotations, 8 runs of 2 at a time
  EXPECT_EQ(reports.back(), 73);
  const search_state expected = alone.state(), found = three.state();
  EXPECT_EQ(found.templates, 2 * 73);
  EXPECT_EQ(found.keys, expected.keys);
  EXPECT_EQ(found.sums, expected.sums);
  const score_table table = three.take_table(), expected_table = alone.take_table();
  ASSERT_GT(expected_table.entries.size(), 20);
  ASSERT_EQ(table.entries.size(), expected_table.entries.size());
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    EXPECT_EQ(table.entries[i].number, expected_table.entries[i].number);
    EXPECT_EQ(table.entries[i].score, expected_table.entries[i].score);
  }
  EXPECT_EQ(three.project(rotations()[1]), alone.project(rotations()[1]));
}

TEST(shared_orientation_search, refuses_calls_after_one_that_failed) {
  shared_orientation_search search = begun(2);
  EXPECT_THROW(search.add(rotations(), 0,
                          [](std::size_t) { throw std::runtime_error{"the report failed"}; }),
               std::runtime_error);
  EXPECT_THAT(refusal([&] { search.add(rotations(), 100); }), HasSubstr("begin or restart"));
  EXPECT_THAT(refusal([&] { (void)search.state(); }), HasSubstr("begin or restart"));
  search.restart();
  search.add(rotations(), 0);
  EXPECT_EQ(search.state().templates, 2 * 73);
  EXPECT_THAT(refusal([] { shared_orientation_search{{}, spec}; }), HasSubstr("no queue"));
}

}  // namespace
