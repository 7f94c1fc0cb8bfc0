// SPDX-License-Identifier: Apache-2.0
// An electron microscope's contrast transfer function (CTF) of a weak phase object. At k = (x, y)
// in 1/A, of radius rho and angle alpha from the x axis,
//
//     D    = (u + v)/2 + relative defocus + |u - v|/2 cos 2 (alpha - a)
//     chi  = -pi lambda D rho^2 + pi/2 Cs lambda^3 rho^4 - phase shift - asin(A) + even terms
//     CTF  = -sin(chi) exp(-B rho^2 / 4) exp(i odd terms)
//
// A term Zpm is its coefficient times rho^p cos(m alpha), or sin; beam tilt (tx, ty) in rad is Z31c
// and Z31s with the coefficients 2 pi Cs lambda^2 (tx, ty).
#pragma once

#include <array>
#include <complex>
#include <cstddef>  // size_t
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wingbeat::microscopy {

struct optics {
  double voltage_kv = 300;
  double pixel_size_angstrom = 0;
  double defocus_u_angstrom = 0, defocus_v_angstrom = 0;  ///< Positive: underfocus.
  double astigmatism_degrees = 0;  ///< Direction of the larger defocus, from the x axis.
  double cs_mm = 2.7;              ///< Spherical aberration.
  double amplitude_contrast = 0.07;
  double phase_shift_degrees = 0;
  double b_factor_angstrom2 = 0;
  /// Coefficients by name, in rad A^p. Even: Z42c, Z42s, Z44c, Z44s, Z60; odd: Z31c, Z31s, Z33c,
  /// Z33s.
  std::map<std::string, double> zernikes = {};
  std::optional<std::array<double, 2>> beam_tilt_mrad = {};  ///< {x, y}; not beside Z31c or Z31s.
  /// Anisotropic magnification M of (y, x), rows {yy, yx}, {xy, xx}: the phases are those at
  /// M^-T k, the envelope of B is that at k.
  std::array<double, 4> magnification = {1, 0, 0, 1};

  /// Returns whether the CTF is complex, by odd terms.
  [[nodiscard]] bool is_complex() const;
};

/// Throws `plan_error` for optics that no microscope has, in a sentence that names the value.
void require_valid(const optics& given);

/// The CTF of one defocus and one spherical aberration.
class contrast_transfer {
 public:
  /// Throws as `require_valid` does, and for a relative defocus or aberration that is no number.
  contrast_transfer(const optics& given, double relative_defocus_angstrom, double cs_mm);

  /// Returns the CTF at a frequency in cycles/pixel; its imaginary part is 0 unless `is_complex`.
  [[nodiscard]] std::complex<double> at(double y, double x) const;

 private:
  struct term {
    double coefficient;
    int power, fold;
    bool is_sine;
  };
  [[nodiscard]] static double sum_of(const std::vector<term>& terms, double rho, double alpha);

  double pixel_size_, envelope_, astigmatism_angle_;
  std::array<double, 4> transform_;  ///< M^-T.
  double defocus_, astigmatism_;     ///< Factors of -rho^2: pi lambda times A.
  double aberration_;                ///< Factor of rho^4.
  double constant_;
  std::vector<term> even_, odd_;
};

/// Returns the CTF of an image of n x n pixels, [ky][kx] of n and n/2 + 1 bins in the order of
/// rfft2: one float a bin, or its real and imaginary part if `given.is_complex()`. factors: what
/// each bin is multiplied by before it is rounded; empty: 1.
[[nodiscard]] std::vector<float> ctf_of(const optics& given, std::size_t n,
                                        double relative_defocus_angstrom, double cs_mm,
                                        std::span<const double> factors = {});

}  // namespace wingbeat::microscopy
