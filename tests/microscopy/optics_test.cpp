// SPDX-License-Identifier: Apache-2.0
// Transfer functions against their formula in other terms, and against torch-ctf 0.6.0, which
// computes in fp32.
#include "microscopy/optics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>    // atan2, cos, exp, pow, sin, sqrt
#include <limits>   // numeric_limits
#include <numbers>  // pi

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat::microscopy;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using complex = std::complex<double>;

constexpr double pi = std::numbers::pi, no_number = std::numeric_limits<double>::quiet_NaN();

/// Optics without symmetries.
optics example() {
  return {.pixel_size_angstrom = 1.06,
          .defocus_u_angstrom = 6000,
          .defocus_v_angstrom = 5200,
          .astigmatism_degrees = 33};
}

/// Returns bin (ky, kx) of an image of 16 x 16 pixels.
complex bin_of(const optics& given, std::size_t ky, std::size_t kx, double defocus = 0,
               double cs_mm = 2.7) {
  const auto values = ctf_of(given, 16, defocus, cs_mm);
  const std::size_t bin = ky * 9 + kx;
  EXPECT_EQ(values.size(), std::size_t{16 * 9} * (given.is_complex() ? 2 : 1));
  if (!given.is_complex()) return values.at(bin);
  return {values.at(2 * bin), values.at(2 * bin + 1)};
}

/// The five bins that torch-ctf was asked for.
void expect_bins(const optics& given, const std::array<complex, 5>& expected, double defocus = 0,
                 double cs_mm = 2.7) {
  constexpr std::size_t places[5][2] = {{0, 0}, {1, 2}, {8, 8}, {13, 5}, {8, 0}};
  for (std::size_t i = 0; i < 5; ++i) {
    const complex found = bin_of(given, places[i][0], places[i][1], defocus, cs_mm);
    EXPECT_NEAR(std::abs(found - expected[i]), 0, 2e-5) << i << ": " << found;
  }
}

TEST(optics, agree_with_torch_ctf) {
  expect_bins(example(), {0.0699999928, 0.1286603659, -0.9984633327, -0.1335932761, 0.7284480333});
  optics other = example();
  other.voltage_kv = 200;
  other.amplitude_contrast = 0.1;
  other.phase_shift_degrees = 90;
  expect_bins(other, {0.9949874282, 0.2524549663, -0.8296155930, 0.2970775365, 0.9829155803}, -400,
              2.1);
  other = example();
  other.magnification = {1.02, 0.01, -0.03, 0.97};
  expect_bins(other, {0.0699999928, 0.4726491571, -0.9637396932, -0.8020752668, 0.4966985881});
}

TEST(optics, add_terms_as_torch_ctf_does) {
  optics even = example();
  even.zernikes = {{"Z42c", 30}, {"Z42s", -20}, {"Z44c", 50}, {"Z44s", 10}, {"Z60", -70}};
  EXPECT_FALSE(even.is_complex());
  expect_bins(even, {0.0699999928, 0.1297441274, -0.8714159727, -0.3060068488, 0.8599238396});
  optics odd = example();
  odd.zernikes = {{"Z31c", 3}, {"Z31s", -2}, {"Z33c", 1.5}, {"Z33s", 4}};
  EXPECT_TRUE(odd.is_complex());
  expect_bins(
      odd, {0.0699999928, complex{0.1286482364, 0.0017669672}, complex{-0.9929693341, 0.1045987904},
            complex{-0.1335690022, 0.0025466173}, complex{0.5887285471, 0.4289933145}});
  optics tilted = example();
  tilted.beam_tilt_mrad = {0.5, -0.3};
  EXPECT_TRUE(tilted.is_complex());
  expect_bins(tilted, {0.0699999928, complex{0.1285172254, 0.0060673445},
                       complex{-0.0460607447, 0.9974002838}, complex{-0.0016916256, -0.1335825622},
                       complex{-0.3489336669, 0.6394386888}});
}

/// The formula for 300 kV with the known wavelength, and astigmatism as a quadratic form.
double by_formula(const optics& given, double ky, double kx, double defocus, double cs_mm) {
  const double lambda = 0.01968748889772767, a = given.astigmatism_degrees * pi / 180;
  const double along = kx * std::cos(a) + ky * std::sin(a),
               across = ky * std::cos(a) - kx * std::sin(a), k2 = kx * kx + ky * ky;
  const double large = std::max(given.defocus_u_angstrom, given.defocus_v_angstrom) + defocus,
               small = std::min(given.defocus_u_angstrom, given.defocus_v_angstrom) + defocus;
  const double phase = pi * lambda * (large * along * along + small * across * across) -
                       pi / 2 * cs_mm * 1e7 * std::pow(lambda, 3) * k2 * k2 +
                       given.phase_shift_degrees * pi / 180;
  const double w = given.amplitude_contrast;
  return (std::sqrt(1 - w * w) * std::sin(phase) + w * std::cos(phase)) *
         std::exp(-given.b_factor_angstrom2 * k2 / 4);
}

TEST(optics, follow_the_formula_at_every_bin) {
  optics given = example();
  given.b_factor_angstrom2 = 60;
  given.phase_shift_degrees = 20;
  for (const bool is_swapped : {false, true}) {
    if (is_swapped) std::swap(given.defocus_u_angstrom, given.defocus_v_angstrom);
    for (const std::size_t n : {12, 7}) {
      const auto values = ctf_of(given, n, 350, 1.4);
      ASSERT_EQ(values.size(), n * (n / 2 + 1));
      for (std::size_t bin = 0; bin < values.size(); ++bin) {
        const auto length = static_cast<double>(n);
        const auto row = static_cast<double>(bin / (n / 2 + 1));
        const double ky = (row < length / 2 ? row : row - length) / length / 1.06,
                     kx = static_cast<double>(bin % (n / 2 + 1)) / length / 1.06;
        EXPECT_NEAR(values[bin], by_formula(given, ky, kx, 350, 1.4), 2e-7) << bin;
      }
    }
  }
}

TEST(optics, are_refused_where_no_microscope_has_them) {
  const auto refused = [](auto change) {
    optics given = example();
    change(given);
    return refusal([&] { require_valid(given); });
  };
  EXPECT_EQ(refused([](optics&) {}), nothing_refused);
  EXPECT_THAT(refused([](optics& o) { o.voltage_kv = 0; }), HasSubstr("voltage is 0"));
  EXPECT_THAT(refused([](optics& o) { o.pixel_size_angstrom = 0; }), HasSubstr("pixel size is 0"));
  EXPECT_THAT(refused([](optics& o) { o.defocus_u_angstrom = no_number; }),
              HasSubstr("defocus u is nan"));
  EXPECT_THAT(refused([](optics& o) { o.defocus_v_angstrom = 1e9; }), HasSubstr("defocus v"));
  EXPECT_THAT(refused([](optics& o) { o.cs_mm = -1; }), HasSubstr("spherical aberration is -1"));
  EXPECT_THAT(refused([](optics& o) { o.amplitude_contrast = 1.5; }), HasSubstr("give 0 to 1"));
  EXPECT_THAT(refused([](optics& o) { o.b_factor_angstrom2 = -3; }), HasSubstr("B factor is -3"));
  EXPECT_THAT(refused([](optics& o) { o.phase_shift_degrees = no_number; }),
              HasSubstr("phase shift"));
  EXPECT_THAT(refused([](optics& o) { o.astigmatism_degrees = no_number; }),
              HasSubstr("astigmatism"));
  EXPECT_THAT(refused([](optics& o) { o.magnification = {1, 2, 2, 4}; }), HasSubstr("no inverse"));
  EXPECT_THAT(refused([](optics& o) {
                o.zernikes = {{"Z99", 1}};
              }),
              HasSubstr("no Zernike coefficient Z99; choose from Z31c"));
  EXPECT_THAT(refused([](optics& o) {
                o.zernikes = {{"Z60", no_number}};
              }),
              HasSubstr("Z60 is nan"));
  EXPECT_THAT(refused([](optics& o) {
                o.beam_tilt_mrad = {no_number, 0};
              }),
              HasSubstr("beam tilt x"));
  EXPECT_THAT(refused([](optics& o) {
                o.beam_tilt_mrad = {1, 0};
                o.zernikes = {{"Z31s", 1}};
              }),
              HasSubstr("give one of them"));
  EXPECT_THAT(refusal([&] { (void)ctf_of(example(), 8, no_number, 2.7); }),
              HasSubstr("relative defocus"));
  EXPECT_THAT(refusal([&] { (void)ctf_of(example(), 8, 0, -2); }), HasSubstr("aberration is -2"));
}

}  // namespace
