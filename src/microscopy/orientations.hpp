// SPDX-License-Identifier: Apache-2.0
// Orientations of a volume: ZYZ angles, their rotations, and grids of them over all directions.
//
//     R = Rz(phi) Ry(theta) Rz(psi), on columns (x, y, z)
//
// phi and theta choose a plane through the volume, psi turns the projection in its plane.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <string_view>
#include <vector>

#include "wingbeat/orientation_search.hpp"  // plane_axes

namespace wingbeat::microscopy {

/// Degrees.
struct euler_angles {
  double phi = 0, theta = 0, psi = 0;
};

/// Row by row.
using rotation = std::array<float, 9>;

/// Returns the rotation of angles rounded to fp32, by fp32 arithmetic with quaternions.
[[nodiscard]] rotation rotation_of(const euler_angles& angles);
/// Returns a b: first b, then a.
[[nodiscard]] rotation product(const rotation& a, const rotation& b);
/// Returns where a projection with this orientation shows a point (x, y, z) of the volume, from its
/// centre: inverse of R times the point, z along the beam.
[[nodiscard]] std::array<double, 3> projected(const rotation& r,
                                              const std::array<double, 3>& point);
/// Returns angles with theta from 0 to 180, phi and psi from 0 to below 360; psi is 0 where theta
/// is 0 or 180.
[[nodiscard]] euler_angles angles_of(const rotation& r);

/// Returns the axes on which a projection reads its bins. magnification: A = {yy, yx, xy, xx}, as
/// Leopard-EM's `mag_matrix`; the place (y, x) of an image shows what lies at A (y, x) of one
/// without distortion, so that bin (ky, kx) is read at R (kx', ky', 0), (ky', kx') = inverse of A,
/// transposed, (ky, kx). Elements of R below 1e-8 in magnitude are 0. Throws `plan_error` for a
/// matrix without an inverse.
[[nodiscard]] plane_axes axes_of(const rotation& r,
                                 const std::array<double, 4>& magnification = {1, 0, 0, 1});

/// Angles in degrees. The last of phi and psi, and of theta in cartesian grids, is excluded.
struct angle_ranges {
  double phi_first = 0, phi_last = 360;
  double theta_first = 0, theta_last = 180;
  double psi_first = 0, psi_last = 360;
};

/// Returns the ranges that hold an orientation of each kind of a volume with a symmetry: C1, C2,
/// .., D1, D2, .., T, O or I. They are simple ranges, so that those of T, O and I hold some twice.
/// Throws `plan_error` for another name.
[[nodiscard]] angle_ranges ranges_of(std::string_view symmetry);

/// The grids of directions (phi, theta) of torch-so3.
enum class direction_grid {
  /// Rings of theta at `theta_step`, the last at most a step beyond the range; on each about
  /// (range of phi) sin(theta) / `theta_step` directions.
  uniform,
  healpix,   ///< Rings of HEALPix of at least 41253 / `theta_step`^2 directions on the sphere.
  cartesian  ///< All pairs of phi and theta, at `phi_step` and `theta_step`.
};

struct grid_spec {
  direction_grid directions = direction_grid::uniform;
  double psi_step = 1.5, theta_step = 2.5;
  double phi_step = 2.5;  ///< Of cartesian grids.
  angle_ranges ranges = {};
  /// psi is counted from -phi, so that phi is the direction of a tilt by theta, and turns nothing.
  bool has_tilts = false;
};

/// A sequence of orientations. psi varies fastest, so that neighbours lie in one plane through the
/// volume. Holds directions, not orientations.
class orientation_grid {
 public:
  /// Throws `plan_error` for steps and ranges without angles, and for about 2^32 orientations.
  explicit orientation_grid(const grid_spec& spec);

  [[nodiscard]] std::size_t count() const { return directions_.size() * n_psi_; }
  [[nodiscard]] euler_angles angles(std::size_t number) const;
  /// Returns the number of the same orientation in Leopard-EM's order, in which psi varies slowest.
  [[nodiscard]] std::size_t leopard_number(std::size_t number) const {
    return number % n_psi_ * directions_.size() + number / n_psi_;
  }

 private:
  grid_spec spec_;
  std::size_t n_psi_;
  std::vector<euler_angles> directions_;  ///< psi 0; in the order of torch-so3.
};

/// Returns the grid of offsets that Leopard-EM refines by: theta within a coarse step, psi and phi
/// within a coarse step of psi, at the fine steps. They tilt about axes near one axis only.
[[nodiscard]] grid_spec offsets_within(double psi_step, double theta_step, double fine_psi_step,
                                       double fine_theta_step);
/// Returns one of tilts up to a coarse step in all directions: for 2.5 degrees by 0.25, 16 times as
/// many.
[[nodiscard]] grid_spec tilts_within(double psi_step, double theta_step, double fine_psi_step,
                                     double fine_theta_step);

/// Returns the rotations R_offset R of all offsets.
[[nodiscard]] std::vector<rotation> rotations_around(const euler_angles& found,
                                                     const orientation_grid& offsets);

}  // namespace wingbeat::microscopy
