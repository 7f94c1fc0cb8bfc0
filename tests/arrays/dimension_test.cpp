// SPDX-License-Identifier: Apache-2.0
// The dimensions beside an axis, against a walk over all elements of both arrays; merging, which
// changes no offset; the levels of a cut axis.
#include "arrays/dimension.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // rotate
#include <array>
#include <map>
#include <random>

#include "arrays/walk.hpp"
#include "request/resolved.hpp"     // input_array, output_array
#include "support/random_plan.hpp"  // random_plan, as_initialiser

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace arrays;

/// Offsets in the array read, the one written and the one multiplied by.
using offsets = std::vector<std::array<std::size_t, 3>>;

/// Returns where a list leads, the last dimension fastest.
template <class Dimension>
offsets walked(const std::vector<Dimension>& slowest_first) {
  std::vector<std::size_t> counts;
  for (const Dimension& each : slowest_first) counts.push_back(each.count);
  offsets result;
  for_each_index(counts, [&](const std::vector<std::size_t>& index) {
    std::array<std::size_t, 3> position{};
    for (std::size_t d = 0; d < index.size(); ++d) {
      position[0] += index[d] * slowest_first[d].in;
      position[1] += index[d] * slowest_first[d].out;
      position[2] += index[d] * slowest_first[d].filter;
    }
    result.push_back(position);
  });
  return result;
}

/// Returns the units of all elements at the first valid index of axis `a`, ordered by the indices
/// of the batch, then by those of the other axes.
std::vector<std::size_t> column_starts(const array& source, std::size_t a) {
  std::map<std::vector<std::size_t>, std::size_t> by_index;
  const std::size_t n_axes = source.axes.size();
  for_each_valid(source, [&](std::size_t unit, std::vector<std::size_t> index) {
    if (index[a] != source.axes[a].valid.first) return;
    std::rotate(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(n_axes), index.end());
    by_index[index] = unit;
  });
  std::vector<std::size_t> result;
  for (const auto& [index, unit] : by_index) result.push_back(unit);
  return result;
}

TEST(dimensions_beside, lead_to_every_column) {
  int n_checked = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const plan_spec spec = random_plan(seed, {.max_points = 1 << 9, .longest_axis = 1 << 9}).spec;
    if (request::traits_of(spec.kind).is_real()) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + as_initialiser(spec));
    const array input = request::input_array(spec);
    array output = request::output_array(spec);
    for (std::size_t a = 0; a < spec.lengths.size(); ++a) {
      for (std::size_t other = 0; other < spec.lengths.size(); ++other) {
        output.axes[other].valid = input.axes[other].valid;  // passes leave other axes alone
      }
      const arrays::axis_span span{a, 1};
      const offsets columns = walked(arrays::dimensions_beside(input, output, span));
      const auto in = column_starts(input, a), out = column_starts(output, a);
      ASSERT_EQ(columns.size(), in.size());
      for (std::size_t c = 0; c < columns.size(); ++c) {
        ASSERT_EQ(columns[c][0] + arrays::offset_beside(input, span) + input.axes[a].first_offset(),
                  in[c]);
        ASSERT_EQ(
            columns[c][1] + arrays::offset_beside(output, span) + output.axes[a].first_offset(),
            out[c]);
        ++n_checked;
      }
    }
  }
  EXPECT_GE(n_checked, 10000);
}

TEST(dimensions_beside, leave_out_all_axes_of_a_span) {
  const plan_spec spec{.lengths = {2, 4, 8}, .batch = {3, 5}};
  const array in = request::input_array(spec);
  const auto list = arrays::dimensions_beside(in, in, {1, 2});
  ASSERT_EQ(list.size(), 3U);
  EXPECT_FALSE(list[0].axis || list[1].axis);
  EXPECT_EQ(list[0].count, 3U);
  EXPECT_EQ(list[1].count, 5U);
  EXPECT_EQ(list[2].axis, 0U);
  EXPECT_EQ(list[2].in, 32U);
}

TEST(merge, changes_no_offset_and_leaves_no_pair_that_continues) {
  std::mt19937 random(1);
  const auto draw = [&](unsigned n) {
    return std::size_t{std::uniform_int_distribution<unsigned>(0, n - 1)(random)};
  };
  int n_merged = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<dimension> list;
    dimension next{1, draw(3), draw(3), draw(2)};
    for (std::size_t n = 1 + draw(5); n > 0; --n) {
      next.count = 1 + draw(4);
      list.push_back(next);
      next = {1, next.in * next.count, next.out * next.count, next.filter * next.count};
      (draw(3) == 0 ? next.in : draw(2) == 0 ? next.out : next.filter) += draw(3);
    }
    const auto slowest_first = [](const std::vector<dimension>& fastest_first) {
      return std::vector<dimension>(fastest_first.rbegin(), fastest_first.rend());
    };
    std::vector<dimension> merged = list;
    arrays::merge(merged);
    ASSERT_EQ(walked(slowest_first(merged)), walked(slowest_first(list)));
    n_merged += static_cast<int>(list.size() - merged.size());
    for (std::size_t d = 0; d + 1 < merged.size(); ++d) {
      const dimension &inner = merged[d], &outer = merged[d + 1];
      const bool goes_on = outer.in == inner.count * inner.in &&
                           outer.out == inner.count * inner.out &&
                           outer.filter == inner.count * inner.filter;
      ASSERT_FALSE(goes_on);
    }
  }
  EXPECT_GE(n_merged, 500);
}

TEST(merge, joins_only_what_it_may) {
  const std::vector<dimension> list{{2, 1, 1}, {3, 2, 2}, {4, 6, 6}};
  std::vector<dimension> merged = list;
  std::vector<std::size_t> counts;
  arrays::merge(
      merged, [](const dimension&, const dimension& outer) { return outer.count != 3; },
      [&](const dimension& each) { counts.push_back(each.count); });
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged[0].count, 2U);
  EXPECT_EQ(merged[1].count, 12U);
  EXPECT_EQ(merged[1].in, 2U);
  EXPECT_EQ(counts, std::vector<std::size_t>{12});
  merged = list;
  arrays::merge(merged);
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].count, 24U);
  merged.clear();
  arrays::merge(merged);
  EXPECT_TRUE(merged.empty());
}

TEST(nested_levels, count_every_index_once) {
  const std::vector<std::size_t> counts{4, 2, 8};
  const auto levels = arrays::nested_levels(counts);
  ASSERT_EQ(levels.size(), 3U);
  std::size_t expected = 0;
  for (std::size_t c = 0; c < 8; ++c) {
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t a = 0; a < 4; ++a) {
        EXPECT_EQ(a * levels[0].stride + b * levels[1].stride + c * levels[2].stride, expected++);
      }
    }
  }
  for (std::size_t l = 0; l < 3; ++l) EXPECT_EQ(levels[l].count, counts[l]);
}

}  // namespace
