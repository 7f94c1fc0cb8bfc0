// SPDX-License-Identifier: Apache-2.0
// Workgroups are emulated. Oracle: one thread for each workgroup, whose sums are in another order;
// tests/convolving/orientation_search_test.cpp compares with the definition.
#include "wingbeat/device/functors/projections.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/signal.hpp"    // noise_of
#include "wingbeat/emulate.hpp"  // run_grid

namespace {

using namespace wingbeat::device;
using functors::projection_scale;
using functors::projections;
using number = complex<float>;

constexpr unsigned n = 6, n_slices = 3, n_filters = 2, n_bins = n * (n / 2 + 1);

std::vector<float> noise_of(size count, unsigned seed) {
  std::vector<float> values(count);
  wingbeat::test::fill_noise(values.data(), count, seed);
  return values;
}

template <class Stored>
std::vector<complex<Stored>> complex_noise(size count, unsigned seed) {
  const auto values = noise_of(2 * count, seed);
  std::vector<complex<Stored>> result;
  for (size i = 0; i < count; ++i) {
    result.push_back({Stored(values[2 * i]), Stored(values[2 * i + 1])});
  }
  return result;
}

/// Slices and scales by workgroups of so many threads; all arrays have exactly the elements that
/// are to be read and written.
template <class Stored, class Filter>
struct projected {
  projected(unsigned threads, const std::vector<Filter>& filters)
      : slices(n_slices * n_bins), scales(n_slices * n_filters) {
    const projections<Stored, Filter> bodies{
        .n = n, .filters = n_filters, .n_threads = threads, .height = 9, .width = 11};
    const auto volume = complex_noise<Stored>(size(n) * n_bins, 1);
    const auto axes = noise_of(6 * n_slices, 2);
    const auto inner = complex_noise<float>(n, 3);
    std::vector<number> of_threads(threads);
    char* const scratch = reinterpret_cast<char*>(of_threads.data());
    wingbeat::run_grid((n_slices * n_bins + threads - 1) / threads, threads, [&](auto group) {
      bodies.slice(group, volume.data(), axes.data(), slices.data(), n_slices, scratch);
    });
    wingbeat::run_grid(n_slices * n_filters, threads, [&](auto group) {
      bodies.scale(group, slices.data(), filters.data(), inner.data(), scales.data(), scratch);
    });
  }
  std::vector<number> slices;
  std::vector<projection_scale> scales;
};

template <class Stored, class Filter>
void check(const std::vector<Filter>& filters) {
  const projected<Stored, Filter> alone{1, filters}, many{8, filters};
  bool has_values = false;
  for (size i = 0; i < alone.slices.size(); ++i) {
    EXPECT_EQ(many.slices[i].re, alone.slices[i].re) << i;
    EXPECT_EQ(many.slices[i].im, alone.slices[i].im) << i;
    has_values = has_values || alone.slices[i].re != 0;
    if (i % n_bins == 0) EXPECT_EQ(alone.slices[i].re, 0.0F);
  }
  EXPECT_TRUE(has_values);
  for (size i = 0; i < alone.scales.size(); ++i) {
    EXPECT_NEAR(many.scales[i].mean, alone.scales[i].mean, 1e-6F) << i;
    EXPECT_NEAR(many.scales[i].factor / alone.scales[i].factor, 1, 1e-6F) << i;
    EXPECT_GT(alone.scales[i].factor, 0) << i;
  }
}

TEST(projections, are_the_same_by_any_number_of_threads) {
  check<float>(noise_of(n_filters * n_bins, 4));
  check<half_float>(complex_noise<float>(n_filters * n_bins, 4));
}

TEST(projections, of_nothing_have_no_factor) {
  const projected<float, float> dark{4, std::vector<float>(n_filters * n_bins)};
  for (const projection_scale& scale : dark.scales) {
    EXPECT_EQ(scale.mean, 0);
    EXPECT_EQ(scale.factor, 0);
  }
}

}  // namespace
