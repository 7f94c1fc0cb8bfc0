// SPDX-License-Identifier: Apache-2.0
// A planted particle is found again from a place, orientation and defocus near its own.
#include "microscopy/particle_refinement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // min
#include <cmath>      // acos, exp, sqrt
#include <numbers>    // pi

#include "convolving/search_check.hpp"        // noise_of
#include "microscopy/projection_filters.hpp"  // projection_filters
#include "microscopy/volume.hpp"              // volume_spectrum
#include "support/memory.hpp"                 // filled, contents
#include "support/refusal.hpp"                // refusal
#include "wingbeat/orientation_search.hpp"    // orientation_search

namespace {

using namespace wingbeat;
using namespace wingbeat::microscopy;
using namespace wingbeat::test;

constexpr std::size_t n = 24, height = 50, width = 60;
const optics microscope{
    .pixel_size_angstrom = 3, .defocus_u_angstrom = 9000, .defocus_v_angstrom = 8500};

/// Points up to 7 pixels from the centre, blurred.
std::vector<float> volume() {
  const auto places = noise_of<float>(3 * 12, 9);
  std::vector<float> values;
  for (std::size_t i = 0; i < n * n * n; ++i) {
    const auto centred = [](std::size_t at) { return static_cast<double>(at) - n / 2.0; };
    double sum = 0;
    for (std::size_t point = 0; point < places.size(); point += 3) {
      const double z = centred(i / n / n) - 7 * places[point],
                   y = centred(i / n % n) - 7 * places[point + 1],
                   x = centred(i % n) - 7 * places[point + 2];
      sum += std::exp(-(z * z + y * y + x * x) / 3);
    }
    values.push_back(static_cast<float>(sum));
  }
  return values;
}

double angle_between(const euler_angles& a, const euler_angles& b) {
  const rotation p = rotation_of(a), q = rotation_of(b);
  double trace = 0;
  for (std::size_t i = 0; i < 9; ++i) trace += p[i] * q[i];
  return std::acos(std::min((trace - 1) / 2, 1.0)) * 180 / std::numbers::pi;
}

class particle_refinement : public ::testing::Test {
 protected:
  particle_refinement() {
    orientation_search search{on, {.image = {height, width}, .box = n}};
    search.set_volume(on, spectrum.view());
    search.set_filters(
        on, filled(on, projection_filters(microscope, n, {}, std::array{truth.relative_defocus}))
                .view());
    const buffer out{on, n * n * sizeof(float)};
    search.project(on, axes_of(rotation_of(truth.angles)), out.view());
    const auto projection = contents<float>(out);
    image.values = noise_of<float>(height * width, 3);
    for (float& pixel : image.values) pixel *= std::sqrt(3.0F / (height * width));
    for (std::size_t i = 0; i < n * n; ++i) {
      image.values[(truth.place.y + i / n) * width + truth.place.x + i % n] +=
          80 * projection[i] / float{height * width};
    }
    maps.height = height - n + 1, maps.width = width - n + 1;
    maps.mean.assign(maps.height * maps.width, 0.5F);
    maps.deviation.assign(maps.height * maps.width, 2);
  }

  std::vector<located_particle> refined(std::span<const located_particle> found,
                                        const refinement_steps& steps) {
    return refined_particles(on, {microscope, image, height, width, n, spectrum.view()}, maps,
                             steps, found, [&](std::size_t n_done) { n_reported = n_done; });
  }

  queue on{first_device(engine::host)};
  const buffer spectrum = volume_spectrum(on, volume(), {n, n, n});
  const located_particle truth{{{0, 0, 11, 20}}, {100, 67, 215}, 250};
  micrograph image;
  score_maps maps;
  std::size_t n_reported = 0;
};

TEST_F(particle_refinement, finds_orientation_defocus_and_place) {
  located_particle near = truth;
  near.angles = {104, 61, 218};
  near.relative_defocus = 0;
  near.place.y = 13, near.place.x = 17;
  const refinement_steps steps{
      .psi_degrees = 12, .theta_degrees = 12, .defocus_angstrom = 400, .reach = 5};
  const auto result = refined(std::array{near, truth}, steps);
  EXPECT_EQ(result.size(), 2);
  EXPECT_EQ(n_reported, 4);
  for (const located_particle& each : result) {
    EXPECT_EQ(each.place.y, truth.place.y);
    EXPECT_EQ(each.place.x, truth.place.x);
    EXPECT_LT(angle_between(each.angles, truth.angles), 2.5);
    EXPECT_NEAR(each.relative_defocus, truth.relative_defocus, 200);
    EXPECT_NEAR(each.place.largest, 80, 4);
    EXPECT_NEAR(each.place.score, (each.place.largest - 0.5) / 2, 1e-6);
  }
  EXPECT_GT(angle_between(near.angles, truth.angles), 5);
}

TEST_F(particle_refinement, keeps_the_defocus_and_places_without_a_deviation) {
  const auto kept = refined(std::array{truth}, {.defocus_angstrom = 0, .rounds = 1, .reach = 0});
  EXPECT_EQ(kept.at(0).relative_defocus, truth.relative_defocus);
  EXPECT_LT(angle_between(kept.at(0).angles, truth.angles), 2);
  maps.deviation.assign(maps.height * maps.width, 0);
  const auto same = refined(std::array{truth}, {.rounds = 1});
  EXPECT_EQ(same.at(0).angles.psi, truth.angles.psi);
  EXPECT_EQ(same.at(0).place.y, truth.place.y);
  EXPECT_THAT(refusal([&] { (void)refined({}, {.parts = 0}); }), ::testing::HasSubstr("0 parts"));
}

}  // namespace
