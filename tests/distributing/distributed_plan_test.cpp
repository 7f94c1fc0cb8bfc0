// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Transforms over ranks of one device against plans of that device, on every engine that is here.
#include "wingbeat/distributed_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributing/ranks.hpp"  // difference_on
#include "support/on_engine.hpp"   // on_engine, all_engines, engine_name
#include "support/refusal.hpp"     // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::Not;

class distributed_plan_on : public on_engine {
 protected:
  [[nodiscard]] domain ranks_of(std::size_t count) const {
    return domain::of_devices(std::vector<device_info>(count, on->device()));
  }
};

/// random_requests draws all others.
TEST_P(distributed_plan_on, makes_what_one_device_makes) {
  EXPECT_LT(difference_on(ranks_of(2), {{.lengths = {8, 6, 10}}}), 1e-6);
  EXPECT_LT(difference_on(ranks_of(2), {{.lengths = {240}}}), 1e-6);
}

TEST_P(distributed_plan_on, tells_two_bins_from_two_reals) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  const plan_spec spec{.lengths = {3, 2}, .kind = transform::inverse_to_real};
  EXPECT_LT(difference_on(ranks_of(2), {spec}), 1e-6);
}

TEST_P(distributed_plan_on, cuts_one_axis_as_two) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  const distributed_plan cut{ranks_of(2), {{.lengths = {240}}, {}, false}};
  EXPECT_EQ(cut.in_boxes()[1], (box{{0, 0, 8}, {1, 15, 16}}));
  EXPECT_EQ(cut.out_boxes()[1], (box{{0, 8, 0}, {1, 15, 16}}));
}

TEST_P(distributed_plan_on, exchanges_what_is_in_ranges_alone) {
  const plan_spec padded{.lengths = {16, 12}, .valid_in = {{2, 9}, {3, 8}}};
  EXPECT_LT(difference_on(ranks_of(2), {padded}), 1e-6);
  if (leaves_out()) return;
  const distributed_plan cut{ranks_of(2), {padded, {}, false}};
  EXPECT_EQ(cut.in_boxes()[1], (box{{0, 6, 3}, {1, 9, 8}}));
  EXPECT_EQ(cut.out_boxes()[1], (box{{0, 0, 6}, {1, 16, 12}}));
  EXPECT_EQ(cut.sent_bytes(), 7U * 12 / 2 * 8) << "of 7 rows, not of 16";
}

TEST_P(distributed_plan_on, takes_boxes_of_every_shape) {
  distributed_spec spec{{.lengths = {8, 6, 10}}};
  spec.in_boxes = pencils({1, 8, 6, 10}, 1, 2, 3, 3);
  EXPECT_EQ(spec.in_boxes[4], (box{{0, 4, 0, 4}, {1, 8, 6, 7}}));
  EXPECT_LT(difference_on(ranks_of(6), spec), 1e-6);
  if (leaves_out()) return;
  spec.out_boxes = pencils({1, 8, 6, 10}, 2, 3, 1, 2);
  EXPECT_LT(difference_on(ranks_of(6), spec), 1e-6);
  const distributed_plan cut{ranks_of(6), {spec.transform, {}, false, spec.in_boxes}};
  EXPECT_EQ(cut.in_boxes(), spec.in_boxes);
  EXPECT_GT(cut.sent_bytes(),
            distributed_plan(ranks_of(6), {spec.transform, {}, false}).sent_bytes());
  EXPECT_THAT(cut.explain(), HasSubstr("moves the boxes given: "));
  spec.in_boxes[4].upper[3] = 6;
  EXPECT_THAT(refusal([&] { (void)distributed_plan(ranks_of(6), spec); }),
              HasSubstr("give boxes of the same elements"));
  EXPECT_THAT(refusal([&] { (void)distributed_plan(ranks_of(2), spec); }), HasSubstr("6 boxes"));
  EXPECT_THAT(refusal([&] {
                (void)distributed_plan(ranks_of(2), {{.lengths = {64}}, bin_distribution{7}});
              }),
              HasSubstr("bins is 7"));
  const std::vector<box> halves = slabs({1, 60}, 1, 2);
  EXPECT_THAT(refusal([&] {
                (void)distributed_plan(ranks_of(2), {{.lengths = {60}}, {}, false, halves});
              }),
              HasSubstr("boxes were given of one axis that is cut"));
  const distributed_plan alone{ranks_of(2), {{.lengths = {61}}, {}, true, slabs({1, 61}, 1, 2)}};
  EXPECT_THAT(alone.explain(), HasSubstr("moves the boxes given to rank 0: 61 elements"));
}

TEST_P(distributed_plan_on, takes_boxes_with_strides) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  domain ranks = ranks_of(2);
  const plan_spec spec{.lengths = {4, 6}};
  distributed_plan packed{ranks, {spec, {}, false}};
  // Rank 0 has values transposed, rank 1 in rows of 8.
  distributed_plan strided{
      ranks,
      {spec, {}, false, {{{0, 0, 0}, {1, 2, 6}, {12, 1, 2}}, {{0, 2, 0}, {1, 4, 6}, {16, 8, 1}}}}};
  EXPECT_EQ(strided.in_bytes(1), 14 * sizeof(std::complex<float>));
  std::vector<std::complex<float>> rows(12), columns(12), wide(14);
  for (std::size_t i = 0; i < 12; ++i) {
    rows[i] = {static_cast<float>(i * i % 7), static_cast<float>(i)};
    columns[i % 6 * 2 + i / 6] = wide[i / 6 * 8 + i % 6] = rows[i];
  }
  const auto filled = [&](const auto& values) {
    buffer memory{*on, values.size() * sizeof values[0]};
    memory.write(values.data(), memory.size_bytes());
    return memory;
  };
  const buffer as_rows = filled(rows), as_columns = filled(columns), as_wide = filled(wide);
  std::vector<buffer> out;
  for (int i = 0; i < 4; ++i) out.emplace_back(*on, packed.out_bytes(0));
  packed.enqueue(std::vector{as_rows.view(), as_rows.view()},
                 std::vector{out[0].view(), out[1].view()});
  strided.enqueue(std::vector{as_columns.view(), as_wide.view()},
                  std::vector{out[2].view(), out[3].view()});
  ranks.wait();
  for (std::size_t rank = 0; rank < 2; ++rank) {
    std::vector<std::byte> expected(packed.out_bytes(rank)), found(expected);
    out[rank].read(expected.data(), expected.size());
    out[2 + rank].read(found.data(), found.size());
    EXPECT_EQ(found, expected);
  }
}

TEST_P(distributed_plan_on, sends_numbers_of_16_bits_as_fp32) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  distributed_spec mixed{{.lengths = {6, 8}}};
  mixed.transform.out.stored = precision::fp16;
  EXPECT_LT(difference_on(ranks_of(2), mixed), 1e-3);
  const distributed_plan cut{ranks_of(2),
                             {{.lengths = {6, 8}, .real = precision::fp16}, {}, false}};
  EXPECT_EQ(cut.in_bytes(0), 3U * 8 * 4);
  EXPECT_EQ(cut.sent_bytes(), 6U * 8 / 2 * 8) << "as fp32";
}

TEST_P(distributed_plan_on, gives_ranks_whole_transforms_where_there_are_enough) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  EXPECT_EQ(difference_on(ranks_of(3), {{.lengths = {30}, .batch = 7}}), 0);
  const distributed_plan rows{ranks_of(3), {{.lengths = {30}, .batch = 7}}};
  EXPECT_EQ(rows.in_boxes()[1], (box{{3, 0}, {5, 30}}));
  EXPECT_EQ(rows.sent_bytes(), 0U);
  EXPECT_THAT(rows.explain(), HasSubstr("7 transforms on 3 ranks"));
}

TEST_P(distributed_plan_on, uses_one_device_where_several_are_no_quicker) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  const distributed_plan alone{ranks_of(2), {{.lengths = {16, 16}}}};
  EXPECT_TRUE(alone.uses_one_device());
  EXPECT_EQ(alone.in_bytes(0), 16U * 16 * 8);
  EXPECT_EQ(alone.in_bytes(1), 0U);
  EXPECT_THAT(alone.explain(), HasSubstr("rank 0 makes it alone"));
  const distributed_plan large{ranks_of(2), {{.lengths = {256, 256, 64}}}};
  EXPECT_TRUE(large.uses_one_device()) << "ranks of one device gain nothing";
  EXPECT_THAT(refusal([&] {
                distributed_plan(ranks_of(2), {{.lengths = {61}}, {}, false});
              }),
              HasSubstr("1 transform is not cut, of one axis of reals or of a prime length"));
  EXPECT_TRUE(distributed_plan(ranks_of(2), {{.lengths = {8, 8}, .kind = transform::dct2}})
                  .uses_one_device());
}

TEST_P(distributed_plan_on, uses_one_device_for_what_it_cannot_cut) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  constexpr bin_distribution natural = bin_distribution::natural;
  const std::vector<box> halves = slabs({1, 16}, 1, 2);
  const struct {
    distributed_spec spec;
    std::string refused;
  } cases[] = {
      {{{.lengths = {16}, .valid_in = {{2, 9}}}}, "a range of one axis was given"},
      {{{.lengths = {16}, .valid_out = {{0, 5}}}}, "a range of one axis was given"},
      {{{.lengths = {16}}, natural}, "bins of one axis are cut in natural distribution"},
      {{{.lengths = {16}}, {}, true, halves}, "boxes were given of one axis that is cut"},
      {{{.lengths = {8, 6}, .kind = transform::inverse_to_real}, natural}, "two axes to reals"},
      {{{.lengths = {8, 6}, .real = precision::fp16}, natural},
       "stored as fp32, and fp16 was requested"},
      {{{.lengths = {61}}}, "of a prime length"},
  };
  for (const auto& [spec, refused] : cases) {
    EXPECT_TRUE(distributed_plan(ranks_of(2), spec).uses_one_device()) << refused;
    EXPECT_EQ(difference_on(ranks_of(2), spec, /*may_use_one_device=*/true), 0) << refused;
    distributed_spec forced = spec;
    forced.may_use_one_device = false;
    const std::string sentence = refusal([&] { (void)distributed_plan(ranks_of(2), forced); });
    EXPECT_THAT(sentence, HasSubstr(refused));
    EXPECT_THAT(sentence, HasSubstr("set may_use_one_device"));
  }
}

TEST_P(distributed_plan_on, counts_what_goes_over_links) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  const distributed_plan cut{ranks_of(2), {{.lengths = {8, 16}}, {}, false}};
  EXPECT_EQ(cut.sent_bytes(), 16U * 8 / 2 * 8);
  EXPECT_EQ(cut.out_boxes()[1], (box{{0, 0, 8}, {1, 8, 16}}));
  EXPECT_EQ(cut.workspace_bytes(0), 0U) << "received in the output";
  for (const auto bytes : {&distributed_plan::in_bytes, &distributed_plan::out_bytes,
                           &distributed_plan::workspace_bytes}) {
    EXPECT_THAT(refusal([&] { (void)(cut.*bytes)(7); }), HasSubstr("rank 7 of 2 was asked for"));
  }
  EXPECT_THAT(cut.explain(), HasSubstr("512 bytes over links, 256 of them from rank 0"));
  const bool names_ends = GetParam() != engine::reference;
  EXPECT_EQ(cut.explain().find("the store to all ranks") != std::string::npos, names_ends);
  EXPECT_THAT(cut.explain(), Not(HasSubstr("your store"))) << "none was given";
  const bool has_times = cut.explain().find("ms expected") != std::string::npos;
  EXPECT_EQ(has_times, GetParam() == engine::cuda) << "those of GPUs";
}

TEST_P(distributed_plan_on, refuses_requests_that_it_cannot_cut) {
  const auto refused = [&](const plan_spec& spec) {
    return refusal([&] { (void)distributed_plan(ranks_of(2), {spec}); });
  };
  const auto natural_refused = [&](const plan_spec& spec) {
    return refusal([&] {
      (void)distributed_plan(ranks_of(2), {spec, bin_distribution::natural, false});
    });
  };
  EXPECT_THAT(natural_refused({.lengths = {8, 8}, .real = precision::fp16}),
              HasSubstr("stored as fp32, and fp16 was requested"));
  EXPECT_THAT(refused({.lengths = {8, 8}, .in = {.strides = {9, 1}}}), HasSubstr("a layout"));
  EXPECT_THAT(refused({.lengths = {8, 0}}), HasSubstr("length"));
  EXPECT_THAT(refusal([&] { (void)ranks_of(17); }), HasSubstr("17 ranks"));
  EXPECT_THAT(refusal([&] { (void)domain::of_devices({}); }), HasSubstr("0 ranks"));
}

TEST_P(distributed_plan_on, refuses_memory_that_ranks_would_overwrite) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  domain ranks = ranks_of(2);
  distributed_plan cut{ranks, {{.lengths = {8, 8}}, {}, false}};
  const buffer a{*on, 256}, b{*on, 256}, c{*on, 256}, small{*on, 255};
  const auto given = [&](std::vector<buffer_view> in, std::vector<buffer_view> out) {
    return refusal([&] { cut.enqueue(in, out); });
  };
  EXPECT_THAT(given({a.view()}, {b.view()}), HasSubstr("1 inputs and 1 outputs were given for 2"));
  EXPECT_THAT(given({a.view(), b.view()}, {c.view(), small.view()}),
              HasSubstr("output of rank 1 holds 255 bytes"));
  EXPECT_THAT(given({a.view(), b.view()}, {b.view(), c.view()}),
              HasSubstr("the output of rank 0 overlaps the input of rank 1"));
}

INSTANTIATE_TEST_SUITE_P(engines, distributed_plan_on, all_engines(), engine_name);

TEST(domain, is_of_devices_that_reach_each_other) {
  const device_info host = first_device(engine::host), oracle = first_device(engine::reference);
  EXPECT_EQ(domain::of_devices({host, oracle, host}).size(), 3U);
  const std::vector<device_info> others = devices(engine::opencl);
  if (others.empty()) return;
  EXPECT_EQ(domain::of_devices({others.front(), others.front()}).size(), 2U);
  EXPECT_THAT(refusal([&] {
                (void)domain::of_devices({host, others.front()});
              }),
              HasSubstr("does not reach the memory of opencl 0"));
}

}  // namespace
