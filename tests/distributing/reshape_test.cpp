// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Elements of any size that change hands between ranks, of one process and of several.
#include "wingbeat/reshape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // raise

#include <cstdint>  // uint8_t
#include <random>   // mt19937

#include "distributing/ranks.hpp"  // drawn_boxes, draw_strides, part_of
#include "processes/ranks.hpp"     // free_address, refusals_of, start_child
#include "support/on_engine.hpp"   // on_engine, all_engines, engine_name

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::Each;
using ::testing::HasSubstr;

/// Returns elements of a packed array, no two neighbours of which are equal.
std::vector<std::byte> array_of(std::size_t count, std::size_t element_bytes) {
  std::vector<std::byte> array(count * element_bytes);
  for (std::size_t i = 0; i < array.size(); ++i) {
    array[i] = static_cast<std::byte>(1 + (i * 7 + i / 251) % 255);
  }
  return array;
}

reshape_spec drawn_reshape(std::size_t n_ranks, std::size_t element_bytes, std::mt19937& dice) {
  box whole;
  for (std::size_t axis = 1 + dice() % 4; axis > 0; --axis) {
    whole.lower.push_back(dice() % 3);
    whole.upper.push_back(whole.lower.back() + 1 + dice() % 7);
  }
  reshape_spec spec{drawn_boxes(whole, n_ranks, dice), drawn_boxes(whole, n_ranks, dice),
                    element_bytes};
  for (auto* boxes : {&spec.before, &spec.after}) {
    for (box& each : *boxes) {
      if (dice() % 2 == 0) draw_strides(each, dice);
    }
  }
  return spec;
}

class reshape_on : public on_engine {
 protected:
  [[nodiscard]] domain ranks_of(std::size_t count) const {
    return domain::of_devices(std::vector<device_info>(count, on->device()));
  }

  /// Moves an array twice, and looks at what ranks of this process have then.
  static void expect_moved(domain ranks, const reshape_spec& spec) {
    reshape moves{ranks, spec};
    const auto array = array_of(distributing::whole_box(spec.before).count(), spec.element_bytes);
    std::vector<buffer> memory;
    std::vector<buffer_view> in(ranks.size()), out(ranks.size());
    const auto filled = [&](std::size_t rank, const std::vector<std::byte>& bytes) {
      memory.emplace_back(ranks.at(rank), bytes.size() + spec.element_bytes);
      if (!bytes.empty()) memory.back().write(bytes.data(), bytes.size(), spec.element_bytes);
      buffer_view view = memory.back().view();
      view.offset_bytes += spec.element_bytes;
      view.size_bytes = bytes.size();
      return view;
    };
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (!ranks.has(rank)) continue;
      in[rank] = filled(rank, part_of(spec.before, rank, array));
      out[rank] = filled(rank, std::vector<std::byte>(moves.out_bytes(rank)));
    }
    for (int repeat = 0; repeat < 2; ++repeat) moves.enqueue(in, out);
    ranks.wait();
    for (std::size_t i = 0, rank = ranks.first(); i < memory.size(); i += 2, ++rank) {
      const auto wanted = part_of(spec.after, rank, array);
      ASSERT_EQ(moves.out_bytes(rank), wanted.size());
      std::vector<std::byte> found(wanted.size());
      if (!found.empty()) memory[i + 1].read(found.data(), found.size(), spec.element_bytes);
      EXPECT_TRUE(found == wanted) << "rank " << rank << " of " << ranks.size() << ": "
                                   << moves.explain() << distributing::text_of(spec.before) << "\n"
                                   << distributing::text_of(spec.after);
    }
  }
};

TEST_P(reshape_on, moves_elements_of_any_size) {
  std::mt19937 dice{7};
  const auto sizes = cases<std::size_t>({2, 12}, {1, 3, 4, 6, 8, 16, 24, 40});
  for (const std::size_t element_bytes : sizes) {
    for (const std::size_t n_ranks : {1U, 2U, 3U, 4U, 5U, 7U, 8U}) {
      for (int request = 0; request < (leaves_out() ? 2 : 8); ++request) {
        expect_moved(ranks_of(n_ranks), drawn_reshape(n_ranks, element_bytes, dice));
      }
    }
  }
}

TEST_P(reshape_on, moves_between_processes) {
  std::mt19937 dice{8};
  for (const bool shares_memory : {true, false}) {
    for (const std::size_t n_ranks : cases<std::size_t>({3}, {1, 2, 5, 8})) {
      std::vector<reshape_spec> specs;
      for (const std::size_t element_bytes : cases<std::size_t>({12}, {1, 2, 3, 16})) {
        specs.push_back(drawn_reshape(n_ranks, element_bytes, dice));
      }
      const std::string address = free_address();
      const auto sentences = refusals_of(n_ranks, [&](std::size_t rank) {
        const domain ranks = domain::at({address, rank, n_ranks}, queue{on->device()},
                                        {.may_share_memory = shares_memory});
        for (const reshape_spec& spec : specs) expect_moved(ranks, spec);
      });
      EXPECT_THAT(sentences, Each(""));
    }
  }
}

TEST_P(reshape_on, moves_long_rows_and_many_short_ones) {
  const std::vector<std::size_t> lengths = {3, 5000, 3};
  expect_moved(ranks_of(2), {slabs(lengths, 0, 2), slabs(lengths, 1, 2), 12});
  expect_moved(ranks_of(2), {slabs({70000}, 0, 2), {{{0}, {3}}, {{3}, {70000}}}, 3});
}

TEST_P(reshape_on, moves_voxels_from_slabs_to_pencils) {
  struct voxel {
    std::uint8_t red, green, blue;
  };
  const std::vector<std::size_t> lengths{8, 6, 5};
  const domain ranks = ranks_of(4);
  reshape to_pencils{
      ranks, {slabs(lengths, 0, 4), pencils(lengths, 0, 2, 1, 2), /*element_bytes=*/sizeof(voxel)}};
  std::vector<buffer> memory;
  std::vector<buffer_view> in_slabs, in_pencils;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    std::vector<voxel> slab;  // x y z as colours
    for (std::size_t i = 60 * rank; i < 60 * (rank + 1); ++i) {
      slab.push_back({static_cast<std::uint8_t>(i / 30), static_cast<std::uint8_t>(i / 5 % 6),
                      static_cast<std::uint8_t>(i % 5)});
    }
    memory.emplace_back(*on, to_pencils.in_bytes(rank)).write(slab.data(), 60 * sizeof(voxel));
    in_slabs.push_back(memory.back().view());
    in_pencils.push_back(memory.emplace_back(*on, to_pencils.out_bytes(rank)).view());
  }
  to_pencils.enqueue(in_slabs, in_pencils);
  ranks.wait();
  std::vector<voxel> pencil(4 * 3 * 5);  // rank 3 has x 4 .. 7, y 3 .. 5
  memory[7].read(pencil.data(), pencil.size() * sizeof(voxel));
  for (std::size_t i = 0; i < pencil.size(); ++i) {
    EXPECT_EQ(pencil[i].red, 4 + i / 15) << i;
    EXPECT_EQ(pencil[i].green, 3 + i / 5 % 3) << i;
    EXPECT_EQ(pencil[i].blue, i % 5) << i;
  }
}

TEST_P(reshape_on, says_what_goes_where) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  const reshape moves{ranks_of(2), {slabs({4, 6}, 0, 2), slabs({4, 6}, 1, 2), 12}};
  EXPECT_EQ(moves.in_bytes(0), 2U * 6 * 12);
  EXPECT_EQ(moves.sent_bytes(), 12U * 12);
  EXPECT_EQ(moves.workspace_bytes(0), 0U);
  EXPECT_EQ(moves.explain(),
            "24 elements of 12 bytes on 2 ranks: 144 bytes over links, 72 of them from rank 0, "
            "stored there\n");
  const std::string address = free_address();
  const auto sentences = refusals_of(2, [&](std::size_t rank) {
    const domain ranks = domain::at({address, rank, 2}, *on, {.may_share_memory = false});
    const reshape sends{ranks, {slabs({4, 6}, 0, 2), slabs({4, 6}, 1, 2), 12}};
    EXPECT_EQ(sends.workspace_bytes(rank), 2 * 72U);
    EXPECT_EQ(sends.workspace_bytes(1 - rank), 0U);
    EXPECT_THAT(sends.explain(), HasSubstr("sent by"));
  });
  EXPECT_THAT(sentences, Each(""));
}

TEST_P(reshape_on, refuses_what_cannot_be_moved) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  const std::vector<box> rows = slabs({4, 6}, 0, 2), columns = slabs({4, 6}, 1, 2);
  const auto refused = [&](const reshape_spec& spec) {
    return refusal([&] { (void)reshape(ranks_of(2), spec); });
  };
  EXPECT_THAT(refused({rows, columns, 0}), HasSubstr("element_bytes is 0"));
  EXPECT_THAT(refused({rows, slabs({4, 7}, 1, 2), 1}), HasSubstr("of the same elements"));
  EXPECT_THAT(refused({slabs({4}, 0, 3), slabs({4}, 0, 3), 1}), HasSubstr("boxes of 3 ranks were"));
  EXPECT_THAT(
      refused({rows, columns, std::size_t{1} << 61}),
      HasSubstr("with element_bytes 2305843009213693952; give at most 1152921504606846975"));
  const std::vector<box> vast = slabs({std::size_t{1} << 33, std::size_t{1} << 33}, 0, 2);
  EXPECT_THAT(refused({vast, vast, 1}), HasSubstr("the box of rank 0 has about 3.69e+19 elements"));
  const std::vector<box> deep = slabs({1, 1, 1, 1, 1, 1, 2}, 6, 2);
  EXPECT_THAT(refused({deep, deep, 1}), HasSubstr("boxes of 7 axes"));
  reshape moves{ranks_of(2), {rows, columns, 1}};
  for (const auto bytes : {&reshape::in_bytes, &reshape::out_bytes, &reshape::workspace_bytes}) {
    EXPECT_THAT(refusal([&] { (void)(moves.*bytes)(2); }), HasSubstr("rank 2 of 2 was asked for"));
  }
  const buffer a{*on, 12}, b{*on, 12}, c{*on, 12}, small{*on, 11};
  const auto given = [&](std::vector<buffer_view> in, std::vector<buffer_view> out) {
    return refusal([&] { moves.enqueue(in, out); });
  };
  EXPECT_THAT(given({a.view(), small.view()}, {b.view(), c.view()}),
              HasSubstr("input of rank 1 holds 11 bytes; this reshape needs 12"));
  EXPECT_THAT(given({a.view(), b.view()}, {c.view(), a.view()}),
              HasSubstr("output of rank 1 overlaps the input of rank 0"));
  EXPECT_THAT(given({a.view()}, {b.view()}), HasSubstr("1 inputs and 1 outputs"));
}

TEST_P(reshape_on, is_refused_by_all_processes) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  const std::string address = free_address();
  const std::vector<box> rows = slabs({4, 6}, 0, 3), columns = slabs({4, 6}, 1, 3);
  const auto sentences = refusals_of(3, [&](std::size_t rank) {
    const domain ranks = domain::at({address, rank, 3}, *on, {5});
    EXPECT_THAT(refusal([&] {
                  (void)reshape(ranks, {rows, columns, 1 + rank / 2});
                }),
                HasSubstr("rank 2 requests another reshape than rank 0"));
    EXPECT_THAT(refusal([&] {
                  (void)reshape(ranks, {rows, columns, rank == 1 ? 0U : 1U});
                }),
                HasSubstr(rank == 1 ? "element_bytes is 0" : "rank 1 fails: element_bytes is 0"));
    expect_moved(ranks, {rows, columns, 3});  // it is of use yet
  });
  EXPECT_THAT(sentences, Each(""));
}

TEST_P(reshape_on, names_a_rank_that_is_killed) {
  if (on->device().runs_on != engine::host) GTEST_SKIP() << "the same on every engine";
  const std::string address = free_address();
  std::vector<pid_t> children;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    children.push_back(start_child([&, rank] {
      const queue own{first_device(engine::host)};
      const domain ranks = domain::at({address, rank, 3}, own, {5});
      reshape moves{ranks, {slabs({4, 6}, 0, 3), slabs({4, 6}, 1, 3), 2}};
      const buffer in{own, 64}, out{own, 64};
      moves.enqueue(in.view(), out.view());
      if (rank == 1) ::raise(SIGKILL);
      const std::string sentence = message_of([&] {
        for (int run = 0; run < 2; ++run) moves.enqueue(in.view(), out.view());
      });
      return sentence == "rank 1 has ended or was lost" ? 0 : 2;
    }));
  }
  EXPECT_EQ(exit_code_of(children[0]), 0);
  EXPECT_EQ(exit_code_of(children[1]), -SIGKILL);
  EXPECT_EQ(exit_code_of(children[2]), 0);
}

INSTANTIATE_TEST_SUITE_P(engines, reshape_on, all_engines(), engine_name);

}  // namespace
