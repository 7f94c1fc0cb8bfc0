// SPDX-License-Identifier: Apache-2.0
// A molecule in noise, from the search over all orientations to its refinement.
#include <gtest/gtest.h>

#include <algorithm>  // max, min
#include <cmath>      // acos, exp, sin, sqrt
#include <complex>
#include <numbers>  // pi

#include "convolving/search_check.hpp"  // noise_of
#include "microscopy/detections.hpp"
#include "microscopy/refinement.hpp"
#include "support/memory.hpp"  // filled, contents

namespace {

using namespace wingbeat;
using namespace wingbeat::microscopy;
using namespace wingbeat::test;

constexpr std::size_t n = 16, columns = n / 2 + 1, height = 60, width = 52;

/// The spectrum of random points up to 5 pixels from the centre along each axis, blurred, as
/// `orientation_search::set_volume` takes it.
std::vector<std::complex<float>> molecule() {
  const auto places = noise_of<float>(3 * 20, 9);
  std::vector<std::complex<float>> spectrum;
  for (std::size_t i = 0; i < n * n * columns; ++i) {
    const double z = static_cast<double>(i / columns / n) - n / 2.0,
                 y = static_cast<double>(i / columns % n) - n / 2.0,
                 x = static_cast<double>(i % columns);
    std::complex<double> sum = 0;
    for (std::size_t point = 0; point < places.size(); point += 3) {
      const double turns = places[point] * x + places[point + 1] * y + places[point + 2] * z;
      sum += std::polar(1.0, -2 * std::numbers::pi * turns * 5 / double{n});
    }
    spectrum.emplace_back(sum * std::exp(-(x * x + y * y + z * z) / 60));
  }
  return spectrum;
}

/// One for each of two defoci, without low frequencies, in which all orientations are alike.
std::vector<float> filters() {
  std::vector<float> values;
  for (std::size_t i = 0; i < 2 * n * columns; ++i) {
    const std::size_t row = i / columns % n;
    const auto y = static_cast<double>(std::min(row, n - row)),
               x = static_cast<double>(i % columns);
    const double phase = (y * y + x * x) / (i < n * columns ? 20 : 12);
    values.push_back(static_cast<float>(std::sin(phase)));
  }
  return values;
}

/// Degrees of the rotation from one orientation to another.
double angle_between(const euler_angles& a, const euler_angles& b) {
  const rotation p = rotation_of(a), q = rotation_of(b);
  double trace = 0;
  for (std::size_t i = 0; i < 9; ++i) trace += p[i] * q[i];
  return std::acos(std::min((trace - 1) / 2, 1.0)) * 180 / std::numbers::pi;
}

TEST(planted, molecules_are_detected_and_refined) {
  queue on{first_device(engine::host)};
  const search_space space{orientation_grid{{.psi_step = 20, .theta_step = 20}}, {-300, 300}};
  orientation_search search{on, {.image = {height, width}, .box = n, .filters = 2}};
  const buffer volume = filled(on, molecule()), filter_memory = filled(on, filters());
  search.set_volume(on, volume.view());
  search.set_filters(on, filter_memory.view());

  const euler_angles truth{100, 67, 215};
  constexpr float score = 20;
  std::vector<float> image = noise_of<float>(height * width, 3);
  for (float& pixel : image) pixel *= std::sqrt(3.0F / (height * width));  // uniform within +-1
  const buffer projection{on, 2 * n * n * sizeof(float)};
  search.project(on, axes_of(rotation_of(truth)), projection.view());
  const auto templates = contents<float>(projection);
  for (std::size_t i = 0; i < n * n; ++i) {
    image[(21 + i / n) * width + 30 + i % n] +=
        score * templates[n * n + i] / float{height * width};
  }

  std::vector<plane_axes> axes;
  for (std::size_t i = 0; i < space.orientations.count(); ++i) {
    axes.push_back(axes_of(rotation_of(space.orientations.angles(i))));
  }
  const buffer image_memory = filled(on, image);
  search.begin(on, image_memory.view());
  search.add(on, axes, 0);
  const search_state state = search.state(on);
  const score_maps maps = maps_of(state);
  const auto found = detections_of(maps, state.templates, {.threshold = 4.5, .radius = 5});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].y, 21);
  EXPECT_EQ(found[0].x, 30);
  const search_space::point point = space.at(found[0].number);
  EXPECT_LT(angle_between(point.angles, truth), 20);
  EXPECT_EQ(point.defocus_offset, 300);

  refinement refined_search{on, {.image = {height, width}, .box = n, .filters = 2, .reach = 4}};
  refined_search.set_volume(on, volume.view());
  const auto orientations =
      rotations_around(point.angles, orientation_grid{tilts_within(20, 20, 4, 4)});
  const detection refined = refined_search.refine(on, image, maps, orientations, filters(),
                                                  found[0].y - 2, found[0].x + 1);
  EXPECT_EQ(refined.y, 21);
  EXPECT_EQ(refined.x, 30);
  EXPECT_EQ(refined.number % 2, 1);
  EXPECT_LT(angle_between(angles_of(orientations[refined.number / 2]), truth), 5);
  EXPECT_GT(refined.score, found[0].score);
  EXPECT_NEAR(refined.largest, score, 4);
}

}  // namespace
