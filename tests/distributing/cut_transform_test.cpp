// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Rows in chunks, which are copied to other ranks: the same bits as rows at once, which are stored
// there.
#include "distributing/cut_transform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributing/ranks.hpp"  // fill_numbers, parts_of
#include "support/on_engine.hpp"   // on_engine, all_engines, engine_name

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using distributing::cut_transform;
using distributing::handover;
using distributing::parts_of;
using distributing::phase;
using distributing::phased_transform;
using ::testing::HasSubstr;

constexpr std::size_t whole_bytes = std::size_t{1} << 30;  // of chunks that are not cut

class cut_transform_on : public on_engine {
 protected:
  /// Returns what ranks have after a transform of which they make chunks, of noise.
  std::vector<std::vector<std::byte>> run(std::size_t n_ranks, bin_distribution bins,
                                          std::size_t chunk_bytes, const std::string& explained,
                                          const plan_spec& spec = {.lengths = {9, 8, 6}},
                                          handover way = handover::copies) {
    const domain ranks = domain::of_devices(std::vector<device_info>(n_ranks, on->device()));
    cut_transform cut{ranks, phased_transform{spec, bins, n_ranks, way}, chunk_bytes};
    cut.prepare();
    EXPECT_THAT(cut.explain(), HasSubstr(explained));
    const phased_transform plain{spec, bins, n_ranks};  // ranks have the same parts in any way
    const std::vector<phase>& phases = plain.phases();
    std::vector<std::byte> whole(input_bytes(spec));
    fill_numbers(whole, spec.real);
    const auto inputs =
        parts_of(boxes_of(spec, phases.front().in, phases.front().cut, n_ranks), whole);
    std::vector<std::vector<std::byte>> results;
    std::vector<buffer> memory;
    std::vector<buffer_view> in_views, out_views;
    for (std::size_t rank = 0; rank < n_ranks; ++rank) {
      memory.emplace_back(*on, inputs[rank].size());
      memory.back().write(inputs[rank].data(), inputs[rank].size());
      in_views.push_back(memory.back().view());
      const box part = boxes_of(spec, phases.back().out, phases.back().left_cut(), n_ranks)[rank];
      results.emplace_back(part.count() * (output_bytes(spec) / outputs_of(spec)));
      memory.emplace_back(*on, results.back().size());
      out_views.push_back(memory.back().view());
    }
    for (int repeat = 0; repeat < 2; ++repeat) cut.run(in_views, out_views);
    ranks.wait();
    for (std::size_t rank = 0; rank < n_ranks; ++rank) {
      memory[2 * rank + 1].read(results[rank].data(), results[rank].size());
    }
    return results;
  }

  /// Returns how far that is from what a plan of one device makes.
  double difference_in_chunks(std::size_t n_ranks, bin_distribution bins, std::size_t chunk_bytes,
                              const plan_spec& spec, handover way = handover::copies) {
    const bool is_copied = way == handover::copies;
    const auto parts = run(n_ranks, bins, chunk_bytes,
                           is_copied ? "copies to the ranks" : "beside the next chunk", spec, way);
    const phased_transform steps{spec, bins, n_ranks, handover::copies};
    const phase& last = steps.phases().back();
    std::vector<std::byte> in(input_bytes(spec)), expected(output_bytes(spec));
    fill_numbers(in, spec.real);
    const plan alone{*on, spec};
    buffer alone_in{*on, in.size()};
    const buffer alone_out{*on, expected.size()};
    alone_in.write(in.data(), in.size());
    alone.enqueue(*on, alone_in.view(), alone_out.view());
    alone_out.read(expected.data(), expected.size());
    if (spec.lengths.size() == 1) {
      std::vector<std::size_t> lengths = steps.lengths();
      lengths.insert(lengths.begin(), spec.batch);
      expected = distributing::as_two_axes(expected, lengths);
    }
    const auto whole =
        distributing::whole_of(boxes_of(spec, last.out, last.left_cut(), n_ranks), parts);
    return difference<float>(whole, expected);
  }

 private:
  static std::vector<box> boxes_of(const plan_spec& spec, std::vector<std::size_t> lengths,
                                   std::size_t axis, std::size_t n_ranks) {
    lengths.insert(lengths.begin(), spec.batch);
    return slabs(lengths, 1 + axis, n_ranks);
  }
  static std::size_t outputs_of(const plan_spec& spec) {
    const bool has_reals = spec.kind == transform::inverse_to_real;
    return output_bytes(spec) / ((has_reals ? 1 : 2) * sizeof(float));
  }
};

TEST_P(cut_transform_on, copies_chunks_of_rows) {
  constexpr std::size_t one_row = 8 * 6 * sizeof(std::complex<float>);
  for (const std::size_t n_ranks : cases<std::size_t>({2}, {3, 4})) {
    const auto whole = run(n_ranks, bin_distribution::transposed, whole_bytes, "stores to");
    EXPECT_EQ(run(n_ranks, bin_distribution::transposed, one_row, "copies to the ranks"), whole);
    if (leaves_out()) continue;
    EXPECT_EQ(run(n_ranks, bin_distribution::natural, one_row, "copies to the ranks"),
              run(n_ranks, bin_distribution::natural, whole_bytes, "stores"));
  }
  if (leaves_out()) return;
  EXPECT_EQ(run(2, bin_distribution::transposed, 2 * one_row, "in 2 chunks"),
            run(2, bin_distribution::transposed, one_row, "in 5 chunks"));
}

TEST_P(cut_transform_on, copies_chunks_of_columns) {
  const auto off = [&](std::size_t n_ranks, std::size_t chunk_bytes, const plan_spec& spec,
                       bin_distribution bins = bin_distribution::transposed) {
    return difference_in_chunks(n_ranks, bins, chunk_bytes, spec);
  };
  EXPECT_LT(off(2, 600, {.lengths = {4, 6, 10}, .batch = 2, .kind = transform::inverse}), 1e-6);
  if (leaves_out()) return;
  EXPECT_LT(off(3, 256, {.lengths = {4, 6, 10}, .batch = 2}), 1e-6);
  EXPECT_LT(off(2, 4096, {.lengths = {1026, 5}, .kind = transform::inverse}), 1e-6);
  EXPECT_LT(off(3, 9000, {.lengths = {1026, 7, 4}, .kind = transform::inverse_to_real}), 1e-6);
  EXPECT_LT(off(2, 9000, {.lengths = {1026, 4, 3}}, bin_distribution::natural), 1e-6);
  constexpr std::size_t two_of_a_prime = 2 * 4099;  // neighbours are 4,099 apart
  EXPECT_LT(off(2, 4000, {.lengths = {two_of_a_prime}, .batch = 2}), 1e-6);
}

TEST_P(cut_transform_on, stores_chunks_beside_the_first_pass_of_columns) {
  const auto off = [&](std::size_t n_ranks, std::size_t chunk_bytes, const plan_spec& spec) {
    return difference_in_chunks(n_ranks, bin_distribution::transposed, chunk_bytes, spec,
                                handover::beside);
  };
  EXPECT_LT(off(2, 9000, {.lengths = {1030, 6}}), 1e-6);
  if (leaves_out()) return;
  EXPECT_LT(off(3, 4000, {.lengths = {1044, 7}, .batch = 2}), 1e-6);
}

TEST(phased_transform, makes_columns_in_two_passes_beside) {
  const auto columns_of = [](std::vector<std::size_t> lengths, std::size_t n_ranks,
                             transform kind = transform::forward) {
    const plan_spec spec{.lengths = std::move(lengths), .kind = kind};
    return distributing::column_lengths(spec, bin_distribution::transposed, n_ranks);
  };
  using lengths = std::vector<std::size_t>;
  EXPECT_EQ(columns_of({16384, 16384}, 2), (lengths{128, 128}));
  EXPECT_EQ(columns_of({16384, 16384}, 2, transform::forward_from_real), lengths{});
  EXPECT_EQ(columns_of({1044, 7}, 3), (lengths{18, 58}));
  EXPECT_EQ(columns_of({16384, 16384}, 3), lengths{}) << "shares of rows are uneven";
  EXPECT_EQ(columns_of({1024, 1024}, 2), lengths{}) << "one pass";
  EXPECT_EQ(columns_of({2 * 1031, 8}, 2), lengths{}) << "a prime that one pass does not make";
  EXPECT_EQ(columns_of({16384, 16384}, 2, transform::inverse), lengths{});
  const phased_transform image{
      {.lengths = {16384, 16384}}, bin_distribution::transposed, 2, handover::beside};
  EXPECT_TRUE(image.has_follower(0));
  EXPECT_EQ(image.lengths(), (lengths{16384, 16384})) << "ranks have parts of two axes";
  EXPECT_EQ(image.first_cut(), 0U);
  EXPECT_EQ(image.last_cut(), 1U);
  EXPECT_EQ(image.sent_bytes(0, 0), 8192 * 8192 * sizeof(std::complex<float>));
  EXPECT_EQ(image.transforms(0, 0, 8, false).store.max_workgroups,
            phased_transform::usual_workgroups);
  EXPECT_EQ(image.transforms(1, 0, 8, false).store.max_workgroups, 0U);
}

TEST(phased_transform, copies_where_columns_are_no_two_passes) {
  const auto way_of = [](std::vector<std::size_t> lengths, transform kind) {
    const plan_spec spec{.lengths = std::move(lengths), .kind = kind};
    return phased_transform{spec, bin_distribution::transposed, 2, handover::beside}.way();
  };
  EXPECT_EQ(way_of({16384, 64}, transform::forward), handover::beside);
  EXPECT_EQ(way_of({64, 64}, transform::forward), handover::copies);
  EXPECT_EQ(way_of({64, 64, 64}, transform::forward), handover::copies);
}

TEST(phased_transform, sends_whole_rows_on_the_way_back) {
  const phased_transform back{
      {.lengths = {1024, 1024, 1024}, .kind = transform::inverse}, bin_distribution::transposed, 2};
  ASSERT_EQ(back.phases().size(), 3U);
  EXPECT_EQ(back.phases()[1].axes, std::vector<std::size_t>{2});
  EXPECT_FALSE(back.is_scattered(1));
  EXPECT_EQ(back.sent_bytes(0), 0U);
}

TEST(phased_transform, tells_where_a_tile_stores_far_apart) {
  const auto is_scattered = [](std::vector<std::size_t> lengths, transform kind) {
    const plan_spec spec{.lengths = std::move(lengths), .kind = kind};
    return phased_transform{spec, bin_distribution::transposed, 2}.is_scattered(0);
  };
  EXPECT_FALSE(is_scattered({1024, 1024, 1024}, transform::forward)) << "8 KiB apart";
  EXPECT_FALSE(is_scattered({16384, 16384}, transform::forward)) << "neighbours";
  EXPECT_TRUE(is_scattered({1024, 1024, 1024}, transform::inverse_to_real)) << "planes";
  EXPECT_TRUE(is_scattered({64, 16384, 64}, transform::forward)) << "columns of two passes";
  EXPECT_TRUE(is_scattered({16384, 16384}, transform::inverse)) << "rows of 2^14";
  EXPECT_TRUE(is_scattered({std::size_t{1} << 28}, transform::forward)) << "rows of 2^18";
}

INSTANTIATE_TEST_SUITE_P(engines, cut_transform_on, all_engines(), engine_name);

}  // namespace
