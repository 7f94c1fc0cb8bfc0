// SPDX-License-Identifier: Apache-2.0
#include "microscopy/orientations.hpp"

#include <algorithm>  // max, min
#include <charconv>   // from_chars
#include <cmath>      // abs, acos, asin, atan2, ceil, cos, fmod, nearbyint, sin, sqrt
#include <cstdint>    // uint32_t
#include <limits>
#include <numbers>  // pi

#include "text/reject.hpp"  // reject, reject_if

namespace wingbeat::microscopy {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double most_orientations = std::numeric_limits<std::uint32_t>::max();

/// Returns how many angles from `first` on, a step apart, are below `last`; at least 1.
double n_angles(double first, double last, double step) {
  return std::max(1.0, std::ceil((last - first) / step));
}

void require_range(const char* angle, double first, double last, double step) {
  if (step > 0 && step <= 360 && first >= -360 && first <= last && last <= 360) return;
  reject(
      "{} goes from {} to {} degrees in steps of {}; give a step above 0 and a range "
      "within -360 to 360, the smaller angle first",
      angle, first, last, step);
}

std::vector<euler_angles> uniform_directions(const grid_spec& spec) {
  const angle_ranges& r = spec.ranges;
  std::vector<euler_angles> directions;
  // In radians, because the rounding decides whether a ring has one direction more.
  const double range = r.phi_last * degree - r.phi_first * degree;
  const double n_theta = n_angles(r.theta_first, r.theta_last + spec.theta_step, spec.theta_step);
  for (double i = 0; i < n_theta; ++i) {
    const double theta = r.theta_first + i * spec.theta_step;
    const bool is_pole = std::abs(theta * degree) < 1e-10 && r.phi_first < 0 && r.phi_last >= 0;
    const double wanted = std::abs(spec.theta_step * degree / (std::sin(theta * degree) + 1e-6));
    const double step = range > 0 ? range / std::nearbyint(range / std::min(wanted, range)) : 1;
    const double n_phi = is_pole ? 1 : n_angles(0, range, step);
    for (double j = 0; j < n_phi; ++j) {
      directions.push_back({is_pole ? 0 : r.phi_first + j * step / degree, theta, 0});
    }
  }
  return directions;
}

/// The rings of HEALPix from the north: ring i of polar caps has 4 i directions, z = 1 - i^2 / (3
/// n^2); ring i of the belt 4 n, z = (4 n - 2 i) / (3 n), every second one from phi = 0 on.
std::vector<euler_angles> healpix_directions(const grid_spec& spec) {
  const angle_ranges& r = spec.ranges;
  const double step = spec.theta_step * degree;
  const double wanted = std::floor(4 * std::numbers::pi / (step * step));
  const double n = std::max(std::ceil(std::sqrt(wanted / 12)), 1.0);
  std::vector<euler_angles> directions;
  for (double ring = 1; ring < 4 * n; ++ring) {
    const double from_pole = std::min({ring, 4 * n - ring, n});
    const bool is_cap = from_pole < n;
    // 1 - |z| = cap^2 / 3, without cancellation
    const double cap = from_pole / n;
    const double angle = is_cap ? 2 * std::asin(cap / std::sqrt(6)) / degree
                                : std::acos((4 * n - 2 * ring) / (3 * n)) / degree;
    const double theta = is_cap && ring > 2 * n ? 180 - angle : angle;
    if (theta < r.theta_first || theta > r.theta_last) continue;
    const bool starts_at_0 = !is_cap && std::fmod(ring + n, 2) == 1;
    for (double j = starts_at_0 ? 0 : 0.5; j < 4 * from_pole; ++j) {
      const double phi = 90 * j / from_pole;
      if (phi >= r.phi_first && phi <= r.phi_last) directions.push_back({phi, theta, 0});
    }
  }
  return directions;
}

std::vector<euler_angles> cartesian_directions(const grid_spec& spec) {
  const angle_ranges& r = spec.ranges;
  const double n_phi = n_angles(r.phi_first, r.phi_last, spec.phi_step),
               n_theta = n_angles(r.theta_first, r.theta_last, spec.theta_step);
  std::vector<euler_angles> directions;
  for (double i = 0; i < n_phi; ++i) {
    for (double j = 0; j < n_theta; ++j) {
      directions.push_back(
          {r.phi_first + i * spec.phi_step, r.theta_first + j * spec.theta_step, 0});
    }
  }
  return directions;
}

double positive_degrees(double radians) {
  const double angle = radians / degree;
  return angle < 0 ? angle + 360 : angle;
}

}  // namespace

rotation rotation_of(const euler_angles& angles) {
  const auto half = [](double angle) {
    return static_cast<float>(angle) * static_cast<float>(degree) / 2;
  };
  const float a = half(angles.phi), b = half(angles.theta), c = half(angles.psi);
  // Rz(phi) Ry(theta), then times Rz(psi)
  const float u = -std::sin(a) * std::sin(b), v = std::cos(a) * std::sin(b),
              s = std::sin(a) * std::cos(b), t = std::cos(a) * std::cos(b);
  float x = u * std::cos(c) + v * std::sin(c), y = v * std::cos(c) - u * std::sin(c),
        z = t * std::sin(c) + s * std::cos(c), w = t * std::cos(c) - s * std::sin(c);
  const float norm = std::sqrt(x * x + y * y + z * z + w * w);
  x /= norm, y /= norm, z /= norm, w /= norm;
  return {
      x * x - y * y - z * z + w * w,  2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w),
      -x * x + y * y - z * z + w * w, 2 * (y * z - x * w), 2 * (x * z - y * w), 2 * (y * z + x * w),
      -x * x - y * y + z * z + w * w};
}

rotation product(const rotation& a, const rotation& b) {
  rotation result{};
  for (std::size_t i = 0; i < 9; ++i) {
    const std::size_t row = i / 3 * 3, column = i % 3;
    result[i] = a[row] * b[column] + a[row + 1] * b[column + 3] + a[row + 2] * b[column + 6];
  }
  return result;
}

std::array<double, 3> projected(const rotation& r, const std::array<double, 3>& point) {
  std::array<double, 3> result{};
  for (std::size_t i = 0; i < 9; ++i) result[i % 3] += r[i] * point[i / 3];
  return result;
}

euler_angles angles_of(const rotation& r) {
  const double xz = r[2], yz = r[5], zx = r[6], zy = r[7];
  const double sine = std::sqrt(xz * xz + yz * yz);
  const double theta = std::atan2(sine, double{r[8]}) / degree;
  constexpr double rounding = 1e-6;
  // At the poles only phi + psi, or phi - psi, is known.
  if (sine < rounding) {
    const double sign = r[8] > 0 ? 1 : -1;
    return {positive_degrees(std::atan2(sign * r[3], double{r[4]})), r[8] > 0 ? 0.0 : 180.0, 0};
  }
  return {positive_degrees(std::atan2(yz, xz)), theta, positive_degrees(std::atan2(zy, -zx))};
}

plane_axes axes_of(const rotation& r, const std::array<double, 4>& magnification) {
  const auto [yy, yx, xy, xx] = magnification;
  const double determinant = yy * xx - yx * xy;
  reject_if(!(std::abs(determinant) > 0) || !std::isfinite(determinant),
            "a magnification of {{{}, {}, {}, {}}} has no inverse; give one "
            "near {{1, 0, 0, 1}}",
            yy, yx, xy, xx);
  plane_axes axes{};
  for (std::size_t row = 0; row < 3; ++row) {
    const auto element = [&](std::size_t column) {
      const double value = r[3 * row + column];
      return std::abs(value) < 1e-8 ? 0 : value;
    };
    // kx' = (yy kx - yx ky) / det,  ky' = (xx ky - xy kx) / det
    axes[2 * row] = static_cast<float>((element(0) * yy - element(1) * xy) / determinant);
    axes[2 * row + 1] = static_cast<float>((element(1) * xx - element(0) * yx) / determinant);
  }
  return axes;
}

angle_ranges ranges_of(std::string_view symmetry) {
  if (symmetry == "T") return {0, 180, 0, 54.7356};
  if (symmetry == "O") return {0, 90, 0, 54.7356};
  if (symmetry == "I") return {0, 180, 0, 31.7};
  const char group = symmetry.empty() ? ' ' : symmetry.front();
  const char* const last = symmetry.data() + symmetry.size();
  unsigned order = 0;
  if (group == 'C' || group == 'D') {
    const char* const end = std::from_chars(symmetry.data() + 1, last, order).ptr;
    if (order > 0 && end == last) return {0, 360.0 / order, 0, group == 'C' ? 180.0 : 90.0};
  }
  reject("\"{}\" is no symmetry; choose C1, C2, .., D1, D2, .., T, O or I", symmetry);
}

orientation_grid::orientation_grid(const grid_spec& spec) : spec_(spec) {
  const angle_ranges& r = spec.ranges;
  require_range("phi", r.phi_first, r.phi_last, spec.phi_step);
  require_range("theta", r.theta_first, r.theta_last, spec.theta_step);
  require_range("psi", r.psi_first, r.psi_last, spec.psi_step);
  const double n_psi = n_angles(r.psi_first, r.psi_last, spec.psi_step);
  const bool is_cartesian = spec.directions == direction_grid::cartesian;
  const double most =
      n_psi * n_angles(r.theta_first, r.theta_last + spec.theta_step, spec.theta_step) *
      n_angles(r.phi_first, r.phi_last, is_cartesian ? spec.phi_step : spec.theta_step);
  constexpr std::array makers{uniform_directions, healpix_directions, cartesian_directions};
  if (most < most_orientations)
    directions_ = makers[static_cast<std::size_t>(spec.directions)](spec);
  n_psi_ = static_cast<std::size_t>(n_psi);
  if (!directions_.empty()) return;
  reject(
      "steps of {} and {} degrees make {:.0f} orientations in these ranges; give others, "
      "for 1 to {:.0f}",
      spec.psi_step, spec.theta_step, most < most_orientations ? 0 : most, most_orientations - 1);
}

euler_angles orientation_grid::angles(std::size_t number) const {
  euler_angles result = directions_[number / n_psi_];
  result.psi = spec_.ranges.psi_first + static_cast<double>(number % n_psi_) * spec_.psi_step;
  if (spec_.has_tilts) result.psi -= result.phi;
  return result;
}

grid_spec offsets_within(double psi_step, double theta_step, double fine_psi_step,
                         double fine_theta_step) {
  constexpr double rounding = 1e-6;  // the last psi is one of them
  return {.psi_step = fine_psi_step,
          .theta_step = fine_theta_step,
          .ranges = {-psi_step, psi_step, -theta_step, theta_step, -psi_step, psi_step + rounding}};
}

grid_spec tilts_within(double psi_step, double theta_step, double fine_psi_step,
                       double fine_theta_step) {
  grid_spec spec = offsets_within(psi_step, theta_step, fine_psi_step, fine_theta_step);
  spec.ranges.phi_first = spec.ranges.theta_first = 0;
  spec.ranges.phi_last = 360;
  spec.has_tilts = true;
  return spec;
}

std::vector<rotation> rotations_around(const euler_angles& found, const orientation_grid& offsets) {
  const rotation centre = rotation_of(found);
  std::vector<rotation> result(offsets.count());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = product(rotation_of(offsets.angles(i)), centre);
  }
  return result;
}

}  // namespace wingbeat::microscopy
