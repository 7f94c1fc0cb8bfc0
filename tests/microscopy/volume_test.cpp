// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Spectra of volumes against sums by definition, and a search's projections against sums of voxels.
#include "microscopy/volume.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // pow, sin, sqrt
#include <complex>
#include <limits>   // numeric_limits
#include <numbers>  // pi
#include <vector>

#include "support/memory.hpp"               // contents, filled
#include "support/on_engine.hpp"            // on_engine, all_engines, engine_name
#include "support/refusal.hpp"              // refusal
#include "wingbeat/orientation_search.hpp"  // orientation_search

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using microscopy::volume_spectrum;
using ::testing::HasSubstr;
using complex = std::complex<double>;

std::vector<float> example(std::size_t n) {
  std::vector<float> values;
  for (std::size_t i = 0; i < n * n * n; ++i) {
    values.push_back(static_cast<float>((i * i * 7 + i * 3) % 31) / 31);
  }
  return values;
}

/// Returns a voxel's distance from the centre, in edges.
double offset(std::size_t i, std::size_t n) {
  return static_cast<double>(i) / static_cast<double>(n) - 0.5;
}

double corrected(const std::vector<float>& values, std::size_t i, std::size_t n) {
  const auto sinc = [](double f) {
    return f == 0 ? 1 : std::sin(std::numbers::pi * f) / (std::numbers::pi * f);
  };
  return values[i] /
         std::pow(sinc(offset(i / n / n, n)) * sinc(offset(i / n % n, n)) * sinc(offset(i % n, n)),
                  2);
}

class volume_on : public on_engine {
 protected:
  std::vector<std::complex<float>> spectrum(const std::vector<float>& values, std::size_t n) {
    return contents<std::complex<float>>(volume_spectrum(*on, values, {n, n, n}));
  }
};

TEST_P(volume_on, is_transformed_by_definition) {
  for (const std::size_t n : {4, 6}) {
    const auto values = example(n);
    const auto found = spectrum(values, n);
    ASSERT_EQ(found.size(), n * n * (n / 2 + 1));
    for (std::size_t bin = 0; bin < found.size(); ++bin) {
      const std::size_t columns = n / 2 + 1;
      const auto length = static_cast<double>(n);
      const double kz = length * offset(bin / columns / n, n),
                   ky = length * offset(bin / columns % n, n),
                   kx = static_cast<double>(bin % columns);
      complex sum = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double turns =
            kz * offset(i / n / n, n) + ky * offset(i / n % n, n) + kx * offset(i % n, n);
        sum += corrected(values, i, n) * std::polar(1.0, -2 * std::numbers::pi * turns);
      }
      EXPECT_NEAR(std::abs(complex{found[bin]} - sum), 0, 1e-4) << n << " " << bin;
    }
  }
}

TEST_P(volume_on, is_flat_for_a_point_at_its_centre) {
  std::vector<float> values(8 * 8 * 8);
  values[4 * 64 + 4 * 8 + 4] = 3;
  for (const std::complex<float> bin : spectrum(values, 8)) {
    EXPECT_NEAR(std::abs(bin - 3.0F), 0, 1e-6);
  }
}

/// At no rotation, with filters of 1, a projection is the sum of corrected voxels along z, less its
/// edge's mean, negative and scaled.
TEST_P(volume_on, is_what_a_search_projects) {
  constexpr std::size_t n = 8;
  const auto values = example(n);
  orientation_search search{*on, {.image = {20, 16}, .box = n, .keeps_sums = false}};
  const buffer volume = volume_spectrum(*on, values, {n, n, n});
  const buffer filters = filled(*on, std::vector<float>(n * (n / 2 + 1), 1));
  search.set_volume(*on, volume.view());
  search.set_filters(*on, filters.view());
  const buffer out{*on, n * n * sizeof(float)};
  search.project(*on, {1, 0, 0, 1, 0, 0}, out.view());
  on->wait();
  const auto found = contents<float>(out);
  std::vector<double> sums(n * n);
  double edge = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sums[i % (n * n)] -= corrected(values, i, n);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const bool is_edge = i / n % (n - 1) == 0 || i % n % (n - 1) == 0;
    if (is_edge) edge += sums[i] / (4 * n - 4);
  }
  const double scale = found[n + 1] / (sums[n + 1] - edge);
  EXPECT_GT(scale, 0);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_NEAR(found[i], scale * (sums[i] - edge), 1e-4) << i;
  }
}

TEST_P(volume_on, is_refused_unless_a_cube_of_even_edge) {
  const auto refused = [&](const std::vector<float>& values, std::size_t z, std::size_t y,
                           std::size_t x) {
    return refusal([&] { (void)volume_spectrum(*on, values, {z, y, x}); });
  };
  auto values = example(4);
  EXPECT_THAT(refused(values, 4, 4, 6), HasSubstr("4 x 4 x 6; give a cube of an even edge"));
  EXPECT_THAT(refused(example(5), 5, 5, 5), HasSubstr("5 x 5 x 5"));
  EXPECT_THAT(refused(example(2), 2, 2, 2), HasSubstr("from 4 to 4096"));
  EXPECT_THAT(refused(values, 6, 6, 6), HasSubstr("64 values for 6 x 6 x 6; give 216"));
  EXPECT_THAT(refused(std::vector<float>(64, 2), 4, 4, 4), HasSubstr("is 2 everywhere"));
  values[7] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refused(values, 4, 4, 4), HasSubstr("no numbers or add up beyond fp32"));
  values[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refused(values, 4, 4, 4), HasSubstr("give finite values"));
}

INSTANTIATE_TEST_SUITE_P(each, volume_on, all_engines(), engine_name);

}  // namespace
