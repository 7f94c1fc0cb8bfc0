// SPDX-License-Identifier: Apache-2.0
#include "microscopy/optics.hpp"

#include <algorithm>  // any_of, find
#include <cmath>      // abs, asin, atan2, cos, exp, hypot, isfinite, pow, sin, sqrt
#include <numbers>    // pi
#include <string_view>

#include "microscopy/half_plane.hpp"  // half_plane
#include "text/formatted.hpp"         // joined
#include "text/reject.hpp"            // reject

namespace wingbeat::microscopy {
namespace {

using std::numbers::pi;

constexpr double radians = pi / 180;

/// The terms' names: Z, the power of rho, the fold of the angle, and c or s.
constexpr std::array<std::string_view, 9> zernike_names = {"Z31c", "Z31s", "Z33c", "Z33s", "Z42c",
                                                           "Z42s", "Z44c", "Z44s", "Z60"};

bool is_odd(std::string_view name) {
  return name.starts_with("Z3");
}

/// Returns the wavelength of electrons in A: h c / sqrt(eV (2 m c^2 + eV)).
double wavelength(double voltage_kv) {
  constexpr double planck = 6.62607015e-34, light = 299792458, mass = 9.1093837139e-31,
                   charge = 1.602176634e-19;
  const double energy = charge * voltage_kv * 1e3;
  return 1e10 * planck * light / std::sqrt(energy * (2 * mass * light * light + energy));
}

double determinant(const std::array<double, 4>& m) {
  return m[0] * m[3] - m[1] * m[2];
}

void require_within(std::string_view name, double value, double low, double high,
                    std::string_view allowed) {
  if (value >= low && value <= high) return;
  reject("{} is {}; give {}", name, value, allowed);
}

void require_finite(std::string_view name, double value) {
  if (!std::isfinite(value)) reject("{} is {}; give a number", name, value);
}

void require_terms(const optics& given) {
  for (const auto& [name, coefficient] : given.zernikes) {
    if (std::find(zernike_names.begin(), zernike_names.end(), name) == zernike_names.end()) {
      reject("there is no Zernike coefficient {}; choose from {}", name,
             joined(zernike_names, ", "));
    }
    require_finite(name, coefficient);
  }
  if (!given.beam_tilt_mrad) return;
  require_finite("beam tilt x", (*given.beam_tilt_mrad)[0]);
  require_finite("beam tilt y", (*given.beam_tilt_mrad)[1]);
  if (given.zernikes.contains("Z31c") || given.zernikes.contains("Z31s")) {
    reject("beam tilt and Z31c or Z31s were given, which state the same; give one of them");
  }
}

}  // namespace

bool optics::is_complex() const {
  return beam_tilt_mrad || std::any_of(zernikes.begin(), zernikes.end(),
                                       [](const auto& term) { return is_odd(term.first); });
}

void require_valid(const optics& given) {
  require_within("voltage", given.voltage_kv, 1, 1e4, "1 to 10000 kV");
  require_within("pixel size", given.pixel_size_angstrom, 1e-3, 1e3, "0.001 to 1000 A");
  require_within("defocus u", given.defocus_u_angstrom, -1e7, 1e7, "-1e7 to 1e7 A");
  require_within("defocus v", given.defocus_v_angstrom, -1e7, 1e7, "-1e7 to 1e7 A");
  require_within("spherical aberration", given.cs_mm, 0, 1e3, "0 to 1000 mm");
  require_within("amplitude contrast", given.amplitude_contrast, 0, 1, "0 to 1");
  require_within("B factor", given.b_factor_angstrom2, 0, 1e6, "0 to 1e6 A^2");
  require_finite("astigmatism angle", given.astigmatism_degrees);
  require_finite("phase shift", given.phase_shift_degrees);
  for (const double element : given.magnification) require_finite("magnification", element);
  if (determinant(given.magnification) == 0) {
    reject(
        "the magnification {{{}}} has no inverse; give {{1, 0, 0, 1}} for "
        "none",
        joined(given.magnification, ", "));
  }
  require_terms(given);
}

contrast_transfer::contrast_transfer(const optics& given, double relative_defocus_angstrom,
                                     double cs_mm) {
  require_valid(given);
  require_within("relative defocus", relative_defocus_angstrom, -1e7, 1e7, "-1e7 to 1e7 A");
  require_within("spherical aberration", cs_mm, 0, 1e3, "0 to 1000 mm");
  const double lambda = wavelength(given.voltage_kv), cs = cs_mm * 1e7,
               u = given.defocus_u_angstrom, v = given.defocus_v_angstrom;
  const auto& m = given.magnification;
  const double scale = 1 / determinant(m);
  pixel_size_ = given.pixel_size_angstrom;
  envelope_ = given.b_factor_angstrom2 / 4;
  astigmatism_angle_ = given.astigmatism_degrees * radians;
  transform_ = {scale * m[3], -scale * m[2], -scale * m[1], scale * m[0]};
  defocus_ = pi * lambda * ((u + v) / 2 + relative_defocus_angstrom);
  astigmatism_ = pi * lambda * std::abs(u - v) / 2;
  aberration_ = pi / 2 * cs * lambda * lambda * lambda;
  constant_ = given.phase_shift_degrees * radians + std::asin(given.amplitude_contrast);
  for (const auto& [name, coefficient] : given.zernikes) {
    (is_odd(name) ? odd_ : even_)
        .push_back({coefficient, name[1] - '0', name[2] - '0', name.back() == 's'});
  }
  if (!given.beam_tilt_mrad) return;
  const double tilt = 2 * pi * cs * lambda * lambda * 1e-3;
  odd_.push_back({tilt * (*given.beam_tilt_mrad)[0], 3, 1, false});
  odd_.push_back({tilt * (*given.beam_tilt_mrad)[1], 3, 1, true});
}

double contrast_transfer::sum_of(const std::vector<term>& terms, double rho, double alpha) {
  double sum = 0;
  for (const term& each : terms) {
    const double angle = each.fold * alpha;
    sum += each.coefficient * std::pow(rho, each.power) *
           (each.is_sine ? std::sin(angle) : std::cos(angle));
  }
  return sum;
}

std::complex<double> contrast_transfer::at(double y, double x) const {
  const double squared = (y * y + x * x) / (pixel_size_ * pixel_size_);
  const double ky = (transform_[0] * y + transform_[1] * x) / pixel_size_,
               kx = (transform_[2] * y + transform_[3] * x) / pixel_size_;
  const double rho = std::hypot(ky, kx), rho2 = rho * rho, alpha = std::atan2(ky, kx);
  const double defocus = defocus_ + astigmatism_ * std::cos(2 * (alpha - astigmatism_angle_));
  const double chi =
      -defocus * rho2 + aberration_ * rho2 * rho2 - constant_ + sum_of(even_, rho, alpha);
  const double real = -std::sin(chi) * std::exp(-envelope_ * squared);
  return odd_.empty() ? real : std::polar(1.0, sum_of(odd_, rho, alpha)) * real;
}

std::vector<float> ctf_of(const optics& given, std::size_t n, double relative_defocus_angstrom,
                          double cs_mm, std::span<const double> factors) {
  const contrast_transfer transfer{given, relative_defocus_angstrom, cs_mm};
  const half_plane plane{n, n};
  std::vector<float> result;
  for (std::size_t bin = 0; bin < plane.bins(); ++bin) {
    const std::complex<double> value =
        transfer.at(plane.y(bin), plane.x(bin)) * (factors.empty() ? 1 : factors[bin]);
    result.push_back(static_cast<float>(value.real()));
    if (given.is_complex()) result.push_back(static_cast<float>(value.imag()));
  }
  return result;
}

}  // namespace wingbeat::microscopy
