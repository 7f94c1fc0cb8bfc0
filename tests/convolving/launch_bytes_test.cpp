// SPDX-License-Identifier: Apache-2.0
// The bytes that each launch of a template search moves, planned for an H200: 512 x 512 templates
// in 4,096 x 4,096 have 3,585 rows of scores, of which blocks of four leave one to a launch of its
// own.
#include <gtest/gtest.h>

#include "backend/planning_engine.hpp"  // planning_engine
#include "convolving/chain.hpp"         // running_chain
#include "convolving/scores.hpp"        // score_store, kept_scores

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
    const auto chain =
        convolving::running_chain(on, {spec, axes, templates, /*prepared=*/1, &engine});
    std::vector<std::size_t> bytes;
    for (const auto& stage : chain.stages) bytes.push_back(stage.plan->traffic_bytes());
    return bytes;
  }

  backend::planning_engine engine;
  std::shared_ptr<backend::queue> on;
  convolution_spec spec;
};

TEST_F(launch_bytes, count_the_scores_of_a_launchs_own_rows) {
  spec.store = convolving::score_store({.axes = convolving::geometry_of(spec)});
  for (const std::size_t templates : {1, 8}) {
    spec.kernels = templates;
    const auto bytes = of_run(templates);
    ASSERT_EQ(bytes.size(), 4U);
    const std::size_t rows = wanted - 1;
    EXPECT_EQ(bytes[2], templates * rows * bins * bin_bytes + rows * wanted * key_bytes);
    EXPECT_EQ(bytes[3], templates * bins * bin_bytes + wanted * key_bytes);
  }
}

TEST_F(launch_bytes, count_the_values_of_maps_likewise) {
  const auto bytes = of_run(1);
  ASSERT_EQ(bytes.size(), 4U);
  EXPECT_EQ(bytes[3], bins * bin_bytes + wanted * sizeof(float));
}

TEST_F(launch_bytes, count_a_reduction_whole_wherever_it_is_reached) {
  constexpr std::size_t sums_bytes = 64;
  spec.store = {.out_bytes = sums_bytes,
                .element_bytes = 4,
                .source = {.text = "struct sums { using element = float; };", .type = "sums"},
                .partial_bytes = 4,
                .clears_output = true};
  const auto bytes = of_run(1);
  ASSERT_EQ(bytes.size(), 4U);
  EXPECT_EQ(bytes[3], bins * bin_bytes + sums_bytes);
}

}  // namespace
