// SPDX-License-Identifier: Apache-2.0
// The bytes that each launch of a template search moves, planned for an H200: 512 x 512 templates
// in 4,096 x 4,096 have 3,585 rows of scores, which lie in blocks of four but for the last, and
// whose scores a workgroup keeps while it takes all templates of a run. The formulas are worked out
// by hand.
#include <gtest/gtest.h>

#include "backend/planning_engine.hpp"  // planning_engine
#include "convolving/program.hpp"       // running_program
#include "convolving/scores.hpp"        // score_store, kept_of

namespace {

using namespace wingbeat;

constexpr std::size_t image = 4096, tile = 512, wanted = image - tile + 1, bins = image / 2 + 1;
constexpr std::size_t key_bytes = 8, bin_bytes = 8;

class launch_bytes : public ::testing::Test {
 protected:
  launch_bytes() : on(engine.open(engine.devices().front())) {
    spec = {.image = {image, image},
            .kernel = {tile, tile},
            .kind = operation::correlate,
            .mode = extent::valid};
  }

  [[nodiscard]] std::vector<std::size_t> of_run(std::size_t templates) const {
    const auto axes = convolving::geometry_of(spec);
    const auto program =
        convolving::running_program(on, {spec, axes, templates, /*prepared=*/1, &engine});
    std::vector<std::size_t> bytes;
    for (const auto& step : program.steps) bytes.push_back(step.traffic_bytes());
    return bytes;
  }

  void use_store(search_spec kept, std::size_t templates, bool has_fp64 = true) {
    kept.image = spec.image;
    kept.templates = spec.kernel;
    kept.mode = spec.mode;
    spec.kernels = templates;
    spec.store = convolving::score_store(convolving::kept_of(kept, templates, has_fp64));
  }

  /// Expects the last launch of 1 and of 8 templates a run to move so many bytes for each place,
  /// and for each score, beside the bins that it reads.
  void expect_for_each(const search_spec& kept, std::size_t bytes_of_place,
                       std::size_t bytes_of_score = 0, bool has_fp64 = true) {
    for (const std::size_t templates : {1, 8}) {
      use_store(kept, templates, has_fp64);
      const auto bytes = of_run(templates);
      ASSERT_EQ(bytes.size(), 3U);
      const std::size_t row = bins * bin_bytes + wanted * bytes_of_score;
      EXPECT_EQ(bytes[2], templates * wanted * row + wanted * wanted * bytes_of_place)
          << templates << " templates";
    }
  }

  backend::planning_engine engine;
  std::shared_ptr<backend::queue> on;
  convolution_spec spec;
};

constexpr std::size_t both_ways = 2;  // read and written

TEST_F(launch_bytes, count_the_largest_score_of_each_template) {
  expect_for_each({}, both_ways * key_bytes);
}

TEST_F(launch_bytes, count_sums_and_sums_of_squares) {
  expect_for_each({.keeps_sums = true}, both_ways * (key_bytes + 2 * sizeof(double)));
  expect_for_each({.keeps_sums = true}, both_ways * (key_bytes + 2 * sizeof(float)), 0, false);
}

TEST_F(launch_bytes, count_counts) {
  expect_for_each({.keeps_counts = true}, both_ways * (key_bytes + 4));
}

TEST_F(launch_bytes, count_norms_of_windows_once) {
  expect_for_each({.is_normalised = true}, both_ways * key_bytes + sizeof(float));
}

TEST_F(launch_bytes, count_everything_together) {
  expect_for_each({.is_normalised = true, .keeps_sums = true, .keeps_counts = true},
                  both_ways * (key_bytes + 2 * sizeof(double) + 4), sizeof(float));
}

TEST_F(launch_bytes, count_each_template_where_a_workgroup_would_leave_others_without_work) {
  constexpr std::size_t small = 256, small_wanted = small - 64 + 1, templates = 8;
  device_info device = engine.devices().front();
  device.compute_units = 132;
  on = engine.open(device);
  spec.image = {small, small};
  spec.kernel = {64, 64};
  use_store({}, templates);
  const auto bytes = of_run(templates);
  ASSERT_EQ(bytes.size(), 3U);
  const std::size_t row = (small / 2 + 1) * bin_bytes + small_wanted * both_ways * key_bytes;
  EXPECT_EQ(bytes[2], templates * small_wanted * row);
}

TEST_F(launch_bytes, count_the_table_of_sums_of_templates_once_for_each) {
  spec.mode = extent::same;
  constexpr std::size_t templates = 8, table_bytes = (tile + 1) * (tile + 1) * sizeof(float);
  use_store({.is_normalised = true}, templates);
  const auto bytes = of_run(templates);
  ASSERT_EQ(bytes.size(), 3U);
  const std::size_t padded_bins = convolving::geometry_of(spec)[1].padded / 2 + 1;
  const std::size_t norms = image * image * sizeof(float), keys = image * image * key_bytes;
  EXPECT_EQ(bytes[2],
            templates * (image * padded_bins * bin_bytes + table_bytes) + norms + both_ways * keys);
}

TEST_F(launch_bytes, count_the_values_of_maps_likewise) {
  const auto bytes = of_run(1);
  ASSERT_EQ(bytes.size(), 3U);
  EXPECT_EQ(bytes[2], wanted * (bins * bin_bytes + wanted * sizeof(float)));
}

TEST_F(launch_bytes, count_a_reduction_and_what_is_cleared) {
  constexpr std::size_t sums_bytes = 64;
  spec.store = {.out_bytes = sums_bytes,
                .element_bytes = 4,
                .source = {.text = "struct sums { using element = float; };", .type = "sums"},
                .partial_bytes = 4,
                .clears_output = true};
  const auto bytes = of_run(1);
  ASSERT_EQ(bytes.size(), 4U);
  EXPECT_EQ(bytes[2], sums_bytes) << "cleared";
  EXPECT_EQ(bytes[3], wanted * bins * bin_bytes + both_ways * sums_bytes);
}

TEST_F(launch_bytes, are_what_your_store_states) {
  spec.store = {.out_bytes = 64,
                .element_bytes = 4,
                .source = {.text = "struct sums { using element = float; };", .type = "sums"},
                .moved_bytes = wanted * 100};
  const auto bytes = of_run(1);
  ASSERT_EQ(bytes.size(), 3U);
  EXPECT_EQ(bytes[2], wanted * (bins * bin_bytes + 100));
}

/// Local memory has no room for the sums of four rows.
TEST_F(launch_bytes, are_fewer_in_local_memory_where_sums_are_in_registers) {
  for (const bool keeps_sums : {false, true}) {
    use_store({.keeps_sums = keeps_sums}, 8);
    const auto axes = convolving::geometry_of(spec);
    const auto shape =
        convolving::running_program(on, {spec, axes, 8, 1, &engine}).passes().back().shape();
    EXPECT_EQ(shape.held_bytes, keeps_sums ? 16U : 0U);
    EXPECT_EQ(shape.kept_bytes, 2 * 5U);
    EXPECT_EQ(shape.threads(), 512U);
  }
}

}  // namespace
