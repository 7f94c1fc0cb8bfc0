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
using distributing::parts_of;
using distributing::phased_transform;
using ::testing::HasSubstr;

class cut_transform_on : public on_engine {
 protected:
  /// Returns what ranks have after a forward transform whose rows are made in chunks.
  std::vector<std::vector<std::byte>> run(std::size_t n_ranks, bin_distribution bins,
                                          std::size_t chunk_bytes, const std::string& explained) {
    const plan_spec spec{.lengths = {9, 8, 6}};
    const domain ranks = domain::of_devices(std::vector<device_info>(n_ranks, on->device()));
    cut_transform cut{ranks, phased_transform{spec, bins, n_ranks}, chunk_bytes};
    cut.prepare();
    EXPECT_THAT(cut.explain(), HasSubstr(explained));
    const std::size_t out_axis = bins == bin_distribution::natural ? 0 : 1;
    std::vector<std::byte> whole(input_bytes(spec));
    fill_numbers(whole, spec.real);
    const auto inputs = parts_of(slabs(spec.lengths, 0, n_ranks), whole);
    auto results = parts_of(slabs(spec.lengths, out_axis, n_ranks), whole);
    std::vector<buffer> memory;
    std::vector<buffer_view> in_views, out_views;
    for (std::size_t rank = 0; rank < n_ranks; ++rank) {
      memory.emplace_back(*on, inputs[rank].size());
      memory.back().write(inputs[rank].data(), inputs[rank].size());
      in_views.push_back(memory.back().view());
      memory.emplace_back(*on, results[rank].size());
      out_views.push_back(memory.back().view());
    }
    for (int repeat = 0; repeat < 2; ++repeat) cut.run(in_views, out_views);
    ranks.wait();
    for (std::size_t rank = 0; rank < n_ranks; ++rank) {
      memory[2 * rank + 1].read(results[rank].data(), results[rank].size());
    }
    return results;
  }
};

TEST_P(cut_transform_on, copies_chunks_of_rows) {
  constexpr std::size_t one_row = 8 * 6 * sizeof(std::complex<float>);
  for (const std::size_t n_ranks : cases<std::size_t>({2}, {3, 4})) {
    const auto whole =
        run(n_ranks, bin_distribution::transposed, cut_transform::usual_chunk_bytes, "stores to");
    EXPECT_EQ(run(n_ranks, bin_distribution::transposed, one_row, "copies to the ranks"), whole);
    if (leaves_out()) continue;
    EXPECT_EQ(run(n_ranks, bin_distribution::natural, one_row, "copies to the ranks"),
              run(n_ranks, bin_distribution::natural, cut_transform::usual_chunk_bytes, "stores"));
  }
  if (leaves_out()) return;
  EXPECT_EQ(run(2, bin_distribution::transposed, 2 * one_row, "in 2 chunks"),
            run(2, bin_distribution::transposed, one_row, "in 5 chunks"));
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
