// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Refined detections against the largest z of direct sums over the image, and a planted molecule.
#include "microscopy/refinement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // cos, exp, sqrt
#include <complex>
#include <limits>
#include <numbers>  // pi

#include "convolving/search_check.hpp"  // noise_of
#include "support/memory.hpp"           // filled, contents
#include "support/on_engine.hpp"        // on_engine, all_engines, engine_name
#include "support/refusal.hpp"          // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::microscopy;
using namespace wingbeat::test;
using ::testing::HasSubstr;

constexpr std::size_t n = 12, bins = n * (n / 2 + 1), n_filters = 2, reach = 3;
constexpr std::size_t height = 30, width = 34, edge = n + 2 * reach;
const refinement_spec spec{
    .image = {height, width}, .box = n, .filters = n_filters, .reach = reach};

/// The spectrum of points at (x, y, z) from the centre, as `orientation_search::set_volume` takes
/// it; they are blurred, so that few bins matter.
std::vector<std::complex<float>> spectrum_of(const std::vector<std::array<double, 3>>& points) {
  std::vector<std::complex<float>> spectrum;
  for (std::size_t i = 0; i < n * bins; ++i) {
    const auto centred = [](std::size_t bin) { return static_cast<double>(bin) - n / 2.0; };
    const double z = centred(i / bins), y = centred(i / (n / 2 + 1) % n),
                 x = static_cast<double>(i % (n / 2 + 1));
    std::complex<double> sum = 0;
    for (const auto& [px, py, pz] : points) {
      sum += std::polar(1.0, -2 * std::numbers::pi * (px * x + py * y + pz * z) / double{n});
    }
    spectrum.emplace_back(sum * std::exp(-(x * x + y * y + z * z) / 20));
  }
  return spectrum;
}

std::vector<float> example_filters() {
  std::vector<float> filters;
  for (std::size_t i = 0; i < n_filters * bins; ++i) {
    const std::size_t bin = i % bins, ky = bin / (n / 2 + 1), kx = bin % (n / 2 + 1);
    const double y = static_cast<double>(std::min(ky, n - ky)), x = static_cast<double>(kx);
    const double radius2 = y * y + x * x;
    filters.push_back(
        static_cast<float>(i < bins ? std::cos(0.1 * radius2) : std::exp(-radius2 / 9)));
  }
  return filters;
}

const std::vector<std::array<double, 3>> molecule{{2, 1, 0}, {-3, 0, 1}, {0, 2, -3}, {1, -3, 2}};

class refinement_on : public on_engine {
 protected:
  /// Returns the templates of one orientation, [filter][y][x], for the searched part.
  std::vector<float> templates_of(const rotation& orientation) {
    if (!projector) {
      projector.emplace(*on,
                        orientation_spec{.image = {edge, edge}, .box = n, .filters = n_filters});
      projector->set_volume(*on, filled(*on, spectrum_of(molecule)).view());
      projector->set_filters(*on, filled(*on, example_filters()).view());
    }
    const buffer out{*on, n_filters * n * n * sizeof(float)};
    projector->project(*on, axes_of(orientation), out.view());
    return contents<float>(out);
  }

  detection found(const std::vector<float>& image, const score_maps& maps,
                  std::span<const rotation> orientations, std::size_t y, std::size_t x) {
    refinement search{*on, spec};
    search.set_volume(*on, filled(*on, spectrum_of(molecule)).view());
    return search.refine(*on, image, maps, orientations, example_filters(), y, x);
  }

  /// Sums over all places from (top, left) on.
  detection by_definition(const std::vector<float>& image, const score_maps& maps,
                          std::span<const rotation> orientations, std::size_t top,
                          std::size_t left) {
    detection best;
    best.score = -std::numeric_limits<double>::infinity();
    for (std::size_t number = 0; number < orientations.size() * n_filters; ++number) {
      const auto templates = templates_of(orientations[number / n_filters]);
      for (std::size_t i = 0; i < (2 * reach + 1) * (2 * reach + 1); ++i) {
        const std::size_t y = top + i / (2 * reach + 1), x = left + i % (2 * reach + 1);
        double sum = 0;
        for (std::size_t j = 0; j < n * n; ++j) {
          sum += double{templates[number % n_filters * n * n + j]} *
                 image[(y + j / n) * width + x + j % n];
        }
        sum *= std::sqrt(double{height * width}) / edge;
        const std::size_t place = y * maps.width + x;
        if (maps.deviation[place] == 0) continue;
        const double z = (sum - maps.mean[place]) / maps.deviation[place];
        if (z > best.score)
          best = {{z, number, y, x}, sum, maps.mean[place], maps.deviation[place]};
      }
    }
    return best;
  }

  std::optional<orientation_search> projector;
};

score_maps maps_with(float spread) {
  score_maps maps{.height = height - n + 1, .width = width - n + 1};
  maps.mean = noise_of<float>(maps.height * maps.width, 5);
  maps.deviation = noise_of<float>(maps.height * maps.width, 6);
  for (float& each : maps.mean) each *= spread;
  for (float& each : maps.deviation) each = each < -0.8F ? 0 : 1 + spread * each;
  return maps;
}

const orientation_grid offsets{offsets_within(20, 20, 20, 20)};

TEST_P(refinement_on, finds_the_largest_z_near_the_place) {
  std::vector<float> image = noise_of<float>(height * width, 1);
  for (float& pixel : image) pixel /= std::sqrt(float{height * width});
  const score_maps maps = maps_with(0.5F);
  const auto orientations = rotations_around({30, 40, 50}, offsets);
  struct example {
    std::size_t y, x, top, left;
  };
  for (const auto& [y, x, top, left] :
       {example{9, 12, 6, 9}, example{0, 22, 0, 16}, example{18, 1, 12, 0}, example{3, 3, 0, 0}}) {
    const detection got = found(image, maps, orientations, y, x);
    const detection expected = by_definition(image, maps, orientations, top, left);
    EXPECT_EQ(got.number, expected.number);
    EXPECT_EQ(got.y, expected.y);
    EXPECT_EQ(got.x, expected.x);
    EXPECT_NEAR(got.score, expected.score, 1e-4);
    EXPECT_NEAR(got.largest, expected.largest, 1e-4);
    EXPECT_EQ(got.mean, expected.mean);
    EXPECT_EQ(got.deviation, expected.deviation);
  }
}

TEST_P(refinement_on, recovers_a_planted_molecule) {
  const auto orientations = rotations_around({30, 40, 50}, offsets);
  const std::size_t planted = orientations.size() - 2;
  std::vector<float> image = noise_of<float>(height * width, 2);
  for (float& pixel : image) pixel /= std::sqrt(float{height * width});
  const auto templates = templates_of(orientations[planted]);
  for (std::size_t j = 0; j < n * n; ++j) {
    // A score of 30: the template has a sum of squares of about the pixels of the part.
    image[(10 + j / n) * width + 11 + j % n] +=
        30 * templates[n * n + j] / static_cast<float>(edge) / std::sqrt(float{height * width});
  }
  const detection got = found(image, maps_with(0), orientations, 12, 9);
  EXPECT_EQ(got.number, planted * n_filters + 1);
  EXPECT_EQ(got.y, 10);
  EXPECT_EQ(got.x, 11);
  EXPECT_NEAR(got.largest, 30, 3);
  EXPECT_EQ(got.score, got.largest);
}

// A point of the volume is at its place in the projection.
TEST_P(refinement_on, points_are_projected_to_their_place) {
  orientation_search search{*on, {.image = {n, n}, .box = n}};
  search.set_volume(*on, filled(*on, spectrum_of({{3, 1, -2}})).view());
  search.set_filters(*on, filled(*on, std::vector<float>(bins, 1)).view());
  const buffer out{*on, n * n * sizeof(float)};
  for (const euler_angles& angles : {euler_angles{0, 0, 0}, euler_angles{0, 0, 90},
                                     euler_angles{90, 90, 180}, euler_angles{90, 0, 180}}) {
    const rotation r = rotation_of(angles);
    search.project(*on, axes_of(r), out.view());
    const auto image = contents<float>(out);
    const auto darkest =
        static_cast<std::size_t>(std::min_element(image.begin(), image.end()) - image.begin());
    const auto [x, y, z] = projected(r, {3, 1, -2});
    EXPECT_EQ(static_cast<double>(darkest % n), std::round(x) + n / 2) << angles.phi;
    EXPECT_EQ(static_cast<double>(darkest / n), std::round(y) + n / 2) << angles.phi;
  }
}

TEST_P(refinement_on, refuses_what_does_not_fit) {
  const auto refused = [&](auto change) {
    refinement_spec other = spec;
    change(other);
    return refusal([&] { refinement{*on, other}; });
  };
  EXPECT_THAT(refused([](auto& s) { s.image = {30}; }), HasSubstr("image {30} has no place"));
  EXPECT_THAT(refused([](auto& s) { s.reach = 10; }), HasSubstr("and a smaller reach"));
  EXPECT_THAT(refused([](auto& s) { s.box = 32; }), HasSubstr("for a volume of 32"));
  const auto orientations = rotations_around({}, offsets);
  const std::vector<float> image(height * width);
  EXPECT_THAT(refusal([&] {
                (void)found({0, 0}, maps_with(0), orientations, 0, 0);
              }),
              HasSubstr("2 pixels, maps of 19x23"));
  EXPECT_THAT(refusal([&] { (void)found(image, maps_with(0), orientations, 19, 0); }),
              HasSubstr("place (19, 0)"));
  refinement search{*on, spec};
  search.set_volume(*on, filled(*on, spectrum_of(molecule)).view());
  EXPECT_THAT(refusal([&] {
                (void)search.refine(*on, image, maps_with(0), orientations, std::vector<float>(9),
                                    0, 0);
              }),
              HasSubstr("filters"));
}

INSTANTIATE_TEST_SUITE_P(engines, refinement_on, all_engines(), engine_name);

}  // namespace
