// SPDX-License-Identifier: Apache-2.0
#include "microscopy/projection_filters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max, min
#include <array>
#include <cmath>  // hypot

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat::microscopy;
using namespace wingbeat::test;
using ::testing::HasSubstr;

constexpr std::size_t n = 10, bins = 60;

optics example() {
  return {.pixel_size_angstrom = 1.2,
          .defocus_u_angstrom = 9000,
          .defocus_v_angstrom = 8000,
          .astigmatism_degrees = 20};
}

const radial_filter filter{.curves = {{{0, 0.3, 0.5}, {0.2, 0.9, 1}}},
                           .bandpass = {true, 0.05, 0.4, 0.1}};

double filter_at(std::size_t bin) {
  const std::size_t ky = std::min(bin / 6, n - bin / 6), kx = bin % 6;
  return filter.at(std::hypot(static_cast<double>(ky), static_cast<double>(kx)) / 10);
}

TEST(projection_filters, are_ordered_by_aberration_then_defocus) {
  constexpr std::array defoci = {-200.0, 0.0, 300.0};
  constexpr std::array aberrations = {2.7, 2.0};
  const auto values = projection_filters(example(), n, filter, defoci, aberrations);
  ASSERT_EQ(values.size(), 6 * bins);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t d = 0; d < 3; ++d) {
      const auto ctf = ctf_of(example(), n, defoci[d], aberrations[c]);
      for (std::size_t bin = 0; bin < bins; ++bin) {
        EXPECT_NEAR(values[(c * 3 + d) * bins + bin], filter_at(bin) * ctf[bin], 1e-7) << c << d;
      }
    }
  }
}

TEST(projection_filters, have_the_microscopes_aberration_unless_others_are_given) {
  optics microscope = example();
  microscope.cs_mm = 1.3;
  EXPECT_EQ(projection_filters(microscope, n, filter, std::array{50.0}),
            projection_filters(example(), n, filter, std::array{50.0}, std::array{1.3}));
  EXPECT_NE(projection_filters(microscope, n, filter, std::array{50.0}),
            projection_filters(example(), n, filter, std::array{50.0}));
}

TEST(projection_filters, are_complex_by_odd_terms) {
  optics microscope = example();
  microscope.zernikes = {{"Z33c", 40}};
  const auto values = projection_filters(microscope, n, filter, std::array{0.0, 100.0});
  const auto ctf = ctf_of(microscope, n, 100, 2.7);
  ASSERT_EQ(values.size(), 4 * bins);
  double imaginary = 0;
  for (std::size_t i = 0; i < 2 * bins; ++i) {
    EXPECT_NEAR(values[2 * bins + i], filter_at(i / 2) * ctf[i], 1e-7);
    if (i % 2 == 1) imaginary = std::max(imaginary, std::abs(double{ctf[i]}));
  }
  EXPECT_GT(imaginary, 0.1);
}

TEST(projection_filters, are_refused_of_odd_edges_and_without_defoci) {
  EXPECT_THAT(refusal([&] { (void)projection_filters(example(), 9, filter, std::array{0.0}); }),
              HasSubstr("edge is 9; give an even number"));
  EXPECT_THAT(refusal([&] { (void)projection_filters(example(), n, filter, {}); }),
              HasSubstr("no relative defocus"));
  optics microscope = example();
  microscope.voltage_kv = -1;
  EXPECT_THAT(refusal([&] { (void)projection_filters(microscope, n, filter, std::array{0.0}); }),
              HasSubstr("voltage is -1"));
}

}  // namespace
