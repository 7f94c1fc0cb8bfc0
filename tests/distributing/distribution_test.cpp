// SPDX-License-Identifier: Apache-2.0
// Boxes of ranks, and what changes hands between them, against every element's own rank.
#include "wingbeat/distribution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>  // mt19937

#include "distributing/ranks.hpp"  // drawn_boxes
#include "support/refusal.hpp"     // refusal

namespace {

using namespace wingbeat;
using ::testing::HasSubstr;
using wingbeat::test::drawn_boxes;
using wingbeat::test::nothing_refused;
using wingbeat::test::refusal;

TEST(distribution, gives_the_first_ranks_one_more) {
  const auto sizes = [](std::size_t length, std::size_t ranks) {
    std::vector<std::size_t> list;
    std::size_t next = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const index_range share = share_of(length, rank, ranks);
      EXPECT_EQ(share.first, next);
      next = share.end;
      list.push_back(share.end - share.first);
    }
    EXPECT_EQ(next, length);
    return list;
  };
  EXPECT_EQ(sizes(11, 4), (std::vector<std::size_t>{3, 3, 3, 2}));
  EXPECT_EQ(sizes(2, 3), (std::vector<std::size_t>{1, 1, 0}));
  EXPECT_EQ(sizes(8, 1), (std::vector<std::size_t>{8}));
  EXPECT_THAT(refusal([] { (void)share_of(5, 0, 0); }), HasSubstr("rank 0 of 0"));
  EXPECT_THAT(refusal([] { (void)share_of(5, 9, 3); }), HasSubstr("give a rank below"));
}

/// Elements of three bytes, which are their number.
using element = std::array<unsigned char, 3>;

/// Returns the elements of a packed box within the whole array.
std::vector<element> elements_of(const box& part, const box& whole) {
  std::vector<element> elements;
  for (std::size_t n = 0; n < whole.count(); ++n) {
    std::size_t left = n;
    bool is_inside = true;
    for (std::size_t axis = whole.lower.size(); axis-- > 0;) {
      const std::size_t index = left % whole.length(axis);
      left /= whole.length(axis);
      is_inside &= index >= part.lower[axis] && index < part.upper[axis];
    }
    if (!is_inside) continue;
    elements.push_back({static_cast<unsigned char>(n), static_cast<unsigned char>(n >> 8), 7});
  }
  return elements;
}

TEST(distribution, moves_every_element_to_its_rank) {
  std::mt19937 dice{1};
  for (int request = 0; request < 2000; ++request) {
    box whole;
    for (std::size_t axis = 1 + dice() % 4; axis > 0; --axis) whole.upper.push_back(1 + dice() % 6);
    whole.lower.resize(whole.upper.size());
    const std::size_t ranks = 1 + dice() % 8;
    const std::vector<box> before = drawn_boxes(whole, ranks, dice);
    const redistribution change{before, drawn_boxes(whole, ranks, dice)};
    std::vector<std::vector<element>> received;
    for (const box& each : change.after()) received.emplace_back(each.count());
    std::size_t kept = 0;
    for (const transfer& each : change.transfers()) {
      const auto sent = elements_of(change.before()[each.sender], whole);
      change.copy(each, sent.data(), received[each.receiver].data(), sizeof(element));
      if (each.sender == each.receiver) kept += each.elements.count();
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      ASSERT_EQ(received[rank], elements_of(change.after()[rank], whole)) << request;
    }
    EXPECT_EQ(change.sent() + kept, whole.count());
    EXPECT_LE(change.most_sent(), change.sent());
  }
}

TEST(distribution, counts_what_leaves_its_rank) {
  const redistribution change{slabs({5, 4}, 0, 3), slabs({5, 4}, 1, 3)};
  // Rows 2, 2, 1 and columns 2, 1, 1.
  EXPECT_EQ(change.sent(), 2U * 2 + 2 * 3 + 1 * 3);
  EXPECT_EQ(change.most_sent(), 6U);
  EXPECT_EQ(slabs({5, 4}, 1, 3)[2], (box{{0, 3}, {5, 4}}));
}

TEST(distribution, places_elements_by_strides) {
  // Columns of 3 rows, 5 apart, and the last column alone.
  const box columns{{0, 0}, {3, 2}, {1, 5}}, column{{0, 2}, {3, 3}, {2, 1}};
  EXPECT_EQ(columns.span(), 8U);
  EXPECT_EQ(column.span(), 5U);
  const redistribution change{{columns, column}, slabs({3, 3}, 0, 2)};
  std::vector<int> first(8, -1), second(5, -1);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 2; ++x) first[static_cast<std::size_t>(y + 5 * x)] = 3 * y + x;
    second[static_cast<std::size_t>(2 * y)] = 3 * y + 2;
  }
  std::vector<int> rows[2] = {std::vector<int>(6), std::vector<int>(3)};
  for (const transfer& each : change.transfers()) {
    change.copy(each, each.sender == 0 ? first.data() : second.data(), rows[each.receiver].data(),
                sizeof(int));
  }
  EXPECT_EQ(rows[0], (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(rows[1], (std::vector<int>{6, 7, 8}));
  const auto refused = [](const box& each) {
    return refusal([&] { (void)redistribution{{each}, slabs({3, 2}, 0, 1)}; });
  };
  EXPECT_THAT(refused({{0, 0}, {3, 2}, {1, 2}}), HasSubstr("let elements share memory"));
  EXPECT_THAT(refused({{0, 0}, {3, 2}, {2}}), HasSubstr("the strides of rank 0's box are not 2"));
  EXPECT_EQ(refused({{0, 0}, {3, 2}, {1, 3}}), wingbeat::test::nothing_refused);
}

TEST(distribution, refuses_axes_that_an_array_does_not_have) {
  EXPECT_THAT(refusal([] {
                (void)slabs({4, 4}, 2, 2);
              }),
              HasSubstr("axis 2 was given of an array of 2"));
  EXPECT_THAT(refusal([] { (void)pencils({4, 4}, 0, 2, 3, 2); }), HasSubstr("axis 3 was given"));
  EXPECT_THAT(refusal([] { (void)pencils({4, 4}, 5, 2, 1, 2); }), HasSubstr("axis 5 was given"));
  EXPECT_THAT(refusal([] { (void)slabs({4, 4}, 0, 0); }), HasSubstr("axis 0 was to be cut into 0"));
  EXPECT_THAT(refusal([] { (void)pencils({4, 4}, 0, 2, 1, 0); }), HasSubstr("into 0 parts"));
}

TEST(distribution, refuses_counts_that_no_memory_holds) {
  constexpr std::size_t absurd = std::size_t{1} << 60;
  EXPECT_THAT(refusal([] { (void)slabs({4, 4}, 0, absurd); }), HasSubstr("give 1 to 1048576"));
  EXPECT_THAT(refusal([] { (void)pencils({4, 4}, 0, absurd, 1, 2); }), HasSubstr("give 1 to"));
  EXPECT_THAT(refusal([] { (void)pencils({4, 4}, 0, 2, 1, absurd); }), HasSubstr("give 1 to"));
  EXPECT_THAT(refusal([] {
                (void)pencils({4, 4}, 0, 2048, 1, 1024);
              }),
              HasSubstr("2048 times 1024 parts were requested"));
}

TEST(distribution, copies_nothing_outside_its_boxes) {
  const std::vector<box> rows = slabs({4, 4}, 0, 2), columns = slabs({4, 4}, 1, 2);
  std::vector<int> from(8), to(8);
  const box part = common_part(rows[0], columns[1]);
  const auto refused = [&](const box& copied, const void* source, void* target) {
    return refusal([&] { copy_part(copied, rows[0], source, columns[1], target, 4); });
  };
  EXPECT_EQ(refused(part, from.data(), to.data()), nothing_refused);
  EXPECT_THAT(refused(part, nullptr, to.data()), HasSubstr("the source of a copy has no memory"));
  EXPECT_THAT(refused(part, from.data(), nullptr), HasSubstr("the target of a copy has no memory"));
  EXPECT_EQ(refused({{0, 0}, {0, 4}}, nullptr, nullptr), nothing_refused) << "no elements";
  EXPECT_THAT(refused(rows[1], from.data(), to.data()), HasSubstr("in the box of the source"));
  EXPECT_THAT(refused(rows[0], from.data(), to.data()), HasSubstr("in the box of the target"));
  EXPECT_THAT(refused({{0}, {2}}, from.data(), to.data()), HasSubstr("in the box of the source"));
  EXPECT_THAT(refused({{0, 2}, {2}}, from.data(), to.data()),
              HasSubstr("in the box of the source"));

  const redistribution moved{rows, columns};
  const auto refused_copy = [&](const transfer& foreign) {
    return refusal([&] { moved.copy(foreign, from.data(), to.data(), 4); });
  };
  EXPECT_EQ(refused_copy(moved.transfers().front()), nothing_refused);
  EXPECT_THAT(refused_copy({2, 0, part}), HasSubstr("from rank 2 to 0 was to be copied"));
  EXPECT_THAT(refused_copy({0, 5, part}), HasSubstr("from rank 0 to 5 was to be copied"));
  EXPECT_THAT(refused_copy({1, 1, part}), HasSubstr("in the box of the source"));
}

TEST(distribution, refuses_boxes_that_are_not_of_one_array) {
  const auto refused = [](std::vector<box> before, std::vector<box> after) {
    return refusal([&] { (void)redistribution(std::move(before), std::move(after)); });
  };
  const std::vector<box> rows = slabs({4, 4}, 0, 2);
  EXPECT_THAT(refused(rows, slabs({4, 4}, 1, 3)), HasSubstr("from 2 boxes to 3"));
  EXPECT_THAT(refused({}, {}), HasSubstr("from 0 boxes to 0"));
  EXPECT_THAT(refused(rows, slabs({4, 5}, 1, 2)), HasSubstr("16 elements before and 20 after"));
  EXPECT_THAT(refused(rows, {rows[0], {{1, 0}, {4, 4}}}), HasSubstr("ranks 0 and 1 overlap"));
  EXPECT_THAT(refused(rows, {rows[0], {{3, 0}, {2, 4}}}), HasSubstr("rank 1 is no box of 2 axes"));
}

}  // namespace
