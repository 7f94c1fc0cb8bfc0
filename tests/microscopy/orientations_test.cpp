// SPDX-License-Identifier: Apache-2.0
// Rotations by products of matrices in double precision; counts and directions that torch-so3 and
// healpy have.
#include "microscopy/orientations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // abs, cos, sin
#include <numbers>

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::microscopy;
using namespace wingbeat::test;
using ::testing::HasSubstr;

using matrix = std::array<double, 9>;

matrix times(const matrix& a, const matrix& b) {
  matrix result{};
  for (std::size_t i = 0; i < 27; ++i) {
    const std::size_t row = i / 9, column = i / 3 % 3, k = i % 3;
    result[3 * row + column] += a[3 * row + k] * b[3 * k + column];
  }
  return result;
}

matrix by_definition(const euler_angles& angles) {
  const auto c = [](double x) { return std::cos(x * std::numbers::pi / 180); };
  const auto s = [](double x) { return std::sin(x * std::numbers::pi / 180); };
  const auto about_z = [&](double x) { return matrix{c(x), -s(x), 0, s(x), c(x), 0, 0, 0, 1}; };
  const double y = angles.theta;
  const matrix about_y{c(y), 0, s(y), 0, 1, 0, -s(y), 0, c(y)};
  return times(times(about_z(angles.phi), about_y), about_z(angles.psi));
}

template <class Matrix>
void expect_near(const rotation& got, const Matrix& expected, double error = 4e-7) {
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(got[i], expected[i], error) << i;
}

const std::vector<euler_angles> examples{{0, 0, 0},     {30, 40, 50},   {271, 13, 358.5},
                                         {180, 90, 90}, {12, 180, 77},  {12, 0, 77},
                                         {300, 91, 1},  {0.5, 179, 200}};

TEST(orientations, rotations_are_products_of_three) {
  for (const euler_angles& angles : examples) {
    expect_near(rotation_of(angles), by_definition(angles));
    expect_near(product(rotation_of({7, 8, 9}), rotation_of(angles)),
                times(by_definition({7, 8, 9}), by_definition(angles)));
  }
}

TEST(orientations, angles_give_their_rotation_again) {
  for (const euler_angles& angles : examples) {
    const euler_angles found = angles_of(rotation_of(angles));
    expect_near(rotation_of(found), by_definition(angles), 1e-6);
    EXPECT_GE(std::min({found.phi, found.theta, found.psi}), 0);
    EXPECT_LT(std::max(found.phi, found.psi), 360);
    EXPECT_NEAR(found.theta, angles.theta, 1e-4);
  }
}

TEST(orientations, axes_are_columns_without_the_smallest_elements) {
  const plane_axes axes = axes_of(rotation_of({20, 0, 0}));
  EXPECT_EQ(axes[4], 0);
  EXPECT_EQ(axes[5], 0);
  EXPECT_EQ(axes_of({1, 1e-9F, 0, -1e-9F, 1, 0, 0, 2e-8F, 1}), (plane_axes{1, 0, 0, 1, 0, 2e-8F}));
  const matrix expected = by_definition({30, 40, 50});
  const plane_axes turned = axes_of(rotation_of({30, 40, 50}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(turned[i], expected[i / 2 * 3 + i % 2], 4e-7);
}

// k' A x = k x: a wave k of the distorted image is the wave k' of what it shows.
TEST(orientations, axes_undo_the_magnification) {
  const std::array a{1.02, 0.03, -0.05, 0.97};
  const plane_axes axes = axes_of(rotation_of({}), a);
  for (const auto& [kx, ky, x, y] :
       {std::array{1.0, 0.0, 3.0, 5.0}, std::array{-2.0, 7.0, 4.0, 1.0}}) {
    const double there_x = axes[0] * kx + axes[1] * ky, there_y = axes[2] * kx + axes[3] * ky;
    const double shown_y = a[0] * y + a[1] * x, shown_x = a[2] * y + a[3] * x;
    EXPECT_NEAR(there_x * shown_x + there_y * shown_y, kx * x + ky * y, 1e-5);
  }
  EXPECT_THAT(refusal([] {
                (void)axes_of(rotation_of({}), {1, 2, 2, 4});
              }),
              HasSubstr("has no inverse"));
}

std::size_t count_of(std::string_view symmetry, grid_spec spec = {}) {
  spec.ranges = ranges_of(symmetry);
  return orientation_grid{spec}.count();
}

TEST(orientations, grids_have_the_counts_of_torch_so3) {
  EXPECT_EQ(count_of("C1"), 1584480);
  EXPECT_EQ(count_of("C2"), 793920);
  EXPECT_EQ(count_of("D2"), 405600);
  EXPECT_EQ(count_of("T"), 176400);
  EXPECT_EQ(count_of("O"), 88320);
  EXPECT_EQ(count_of("I"), 67200);
  EXPECT_EQ(count_of("C1", {.psi_step = 2, .theta_step = 3}), 825480);
  EXPECT_EQ(count_of("C1", {.directions = direction_grid::cartesian}), 240U * 144 * 72);
}

TEST(orientations, psi_varies_fastest_and_slowest_in_leopards_order) {
  const orientation_grid grid{{.psi_step = 90, .theta_step = 60}};
  // theta 0, 60, 120, 180 have 1, 5, 5 and 1 directions.
  ASSERT_EQ(grid.count(), 4 * 12);
  EXPECT_EQ(grid.angles(3).psi, 270);
  EXPECT_EQ(grid.angles(3).theta, 0);
  EXPECT_EQ(grid.leopard_number(3), 3 * 12);
  EXPECT_EQ(grid.angles(4).psi, 0);
  EXPECT_EQ(grid.angles(4).theta, 60);
  EXPECT_NEAR(grid.angles(8).phi, 72, 1e-10);
  EXPECT_EQ(grid.leopard_number(8), 2);
  EXPECT_EQ(grid.angles(47).theta, 180);
  EXPECT_EQ(grid.leopard_number(47), 47);
}

TEST(orientations, cartesian_grids_vary_theta_before_phi) {
  const orientation_grid grid{{.directions = direction_grid::cartesian,
                               .psi_step = 360,
                               .theta_step = 45,
                               .phi_step = 120}};
  ASSERT_EQ(grid.count(), 12);
  EXPECT_EQ(grid.angles(3).theta, 135);
  EXPECT_EQ(grid.angles(4).phi, 120);
}

TEST(orientations, healpix_grids_have_the_directions_of_healpy) {
  const orientation_grid grid{
      {.directions = direction_grid::healpix, .psi_step = 360, .theta_step = 20}};
  ASSERT_EQ(grid.count(), 108);
  const auto expect = [&](std::size_t number, double phi, double theta) {
    EXPECT_NEAR(grid.angles(number).phi, phi, 1e-11) << number;
    EXPECT_NEAR(grid.angles(number).theta, theta, 1e-11) << number;
  };
  expect(0, 45, 15.642471012999277);
  expect(11, 337.5, 31.586338096527925);
  expect(12, 15, 48.18968510422141);
  expect(24, 0, 63.612200038757);
  expect(41, 165, 77.16041159309584);
  expect(60, 15, 102.83958840690416);
  expect(95, 345, 131.81031489577862);
  expect(96, 22.5, 148.41366190347208);
  expect(107, 315, 164.35752898700073);
  const grid_spec part{.directions = direction_grid::healpix, .psi_step = 360};
  EXPECT_EQ(count_of("C1", part), 6912);
  EXPECT_EQ(count_of("T", part), 746);
}

TEST(orientations, ranges_may_be_negative_or_one_angle) {
  const orientation_grid grid{
      {.psi_step = 0.5, .theta_step = 0.5, .ranges = {-1, 1, -0.5, 0.5, -1, 1.000001}}};
  // theta -0.5 and 0.5 have one direction at phi -1; theta 0 one at phi 0.
  ASSERT_EQ(grid.count(), 3 * 5);
  EXPECT_EQ(grid.angles(5).phi, 0);
  EXPECT_EQ(grid.angles(5).theta, 0);
  EXPECT_EQ(grid.angles(5).psi, -1);
  const orientation_grid one_angle{{.ranges = {10, 10, 20, 20, 30, 30}}};
  EXPECT_EQ(one_angle.count(), 1);
}

TEST(orientations, offsets_of_a_refinement_are_those_of_leopard) {
  const orientation_grid offsets{offsets_within(1.5, 2.5, 0.1, 0.25)};
  ASSERT_EQ(offsets.count(), 651);
  EXPECT_EQ(offsets.angles(0).theta, -2.5);
  EXPECT_EQ(offsets.angles(0).psi, -1.5);
  EXPECT_NEAR(offsets.angles(30).psi, 1.5, 1e-12);
  EXPECT_EQ(offsets.angles(650).theta, 2.5);
  const euler_angles found{30, 40, 50};
  const auto rotations = rotations_around(found, offsets);
  for (const std::size_t i : {0, 325, 600}) {
    expect_near(rotations[i], times(by_definition(offsets.angles(i)), by_definition(found)));
  }
}

// Of all rotations by up to 10 degrees, none is far from an offset.
TEST(orientations, tilts_go_in_all_directions) {
  const auto tilts = rotations_around({}, orientation_grid{tilts_within(5, 10, 2.5, 2.5)});
  EXPECT_EQ(tilts.size(), 5 * (1 + 6 + 13 + 19 + 25));
  for (double direction = 0; direction < 360; direction += 24) {
    const matrix wanted = by_definition({direction, 8, -3 - direction});
    double closest = -1;
    for (const rotation& each : tilts) {
      double trace = 0;
      for (std::size_t i = 0; i < 9; ++i) trace += each[i] * wanted[i];
      closest = std::max(closest, trace);
    }
    EXPECT_GT(closest, 1 + 2 * std::cos(2.2 * std::numbers::pi / 180)) << direction;
  }
  EXPECT_EQ((orientation_grid{tilts_within(1.5, 2.5, 0.1, 0.25)}.count()), 31 * 347);
}

TEST(orientations, points_lie_where_the_inverse_puts_them) {
  // psi = 90 turns the projection's x axis to the volume's y axis.
  const auto place = projected(rotation_of({0, 0, 90}), {1, 2, 3});
  EXPECT_NEAR(place[0], 2, 1e-6);
  EXPECT_NEAR(place[1], -1, 1e-6);
  EXPECT_NEAR(place[2], 3, 1e-6);
}

TEST(orientations, refuses_grids_without_orientations) {
  const auto refused = [](const grid_spec& spec) {
    return refusal([&] { orientation_grid{spec}; });
  };
  EXPECT_THAT(refused({.psi_step = 0}), HasSubstr("psi goes from 0 to 360 degrees in steps of 0"));
  EXPECT_THAT(refused({.ranges = {10, 0}}), HasSubstr("phi goes from 10 to 0 degrees"));
  EXPECT_THAT(refused({.psi_step = 0.01, .theta_step = 0.01}),
              HasSubstr("make 23329296000000 orientations"));
  EXPECT_THAT(refused({.directions = direction_grid::healpix, .ranges = {0, 360, 0, 0}}),
              HasSubstr("make 0 orientations"));
  for (const char* name : {"", "X", "C0", "C-1", "T2", "D2x", "c1"}) {
    EXPECT_THAT(refusal([&] { (void)ranges_of(name); }), HasSubstr("is no symmetry")) << name;
  }
}

}  // namespace
