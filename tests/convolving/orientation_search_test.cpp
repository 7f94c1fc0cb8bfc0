// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Searches over orientations against scores by their definition, on every engine that is here:
// slices, projections and correlations are direct sums in double precision.
#include "wingbeat/orientation_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // clamp, max, min
#include <cmath>      // abs, cos, floor, sin, sqrt
#include <complex>
#include <limits>
#include <numbers>  // pi
#include <numeric>  // accumulate

#include "convolving/search_check.hpp"  // noise_of
#include "support/memory.hpp"           // filled
#include "support/on_engine.hpp"        // on_engine, all_engines, engine_name
#include "support/refusal.hpp"          // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using complex = std::complex<double>;

complex turned(double turns) {
  return std::polar(1.0, 2 * std::numbers::pi * turns);
}

/// The rows x and y of a rotation by ZYZ angles, as axes of the plane.
plane_axes axes_of(double phi, double theta, double psi) {
  const double c1 = std::cos(phi), s1 = std::sin(phi), c2 = std::cos(theta), s2 = std::sin(theta),
               c3 = std::cos(psi), s3 = std::sin(psi);
  const auto f = [](double x) { return static_cast<float>(x); };
  return {f(c1 * c2 * c3 - s1 * s3),
          f(-c1 * c2 * s3 - s1 * c3),
          f(s1 * c2 * c3 + c1 * s3),
          f(-s1 * c2 * s3 + c1 * c3),
          f(-s2 * c3),
          f(s2 * s3)};
}

/// A search with random data, and its scores by definition.
struct example {
  explicit example(orientation_spec given) : spec(std::move(given)) {
    const std::size_t n = spec.box, bins = n * (n / 2 + 1);
    image = noise_of<float>(spec.image[0] * spec.image[1], 1);
    for (float& x : image) x /= std::sqrt(static_cast<float>(image.size()));
    const auto values = noise_of<float>(n * n * n, 2);
    // The spectrum of a volume, so that opposite bins of x = 0 are conjugate.
    for (std::size_t z = 0; z < n; ++z) {
      for (std::size_t y = 0; y < n; ++y) {
        for (std::size_t x = 0; x <= n / 2; ++x) {
          complex sum = 0;
          for (std::size_t i = 0; i < values.size(); ++i) {
            const std::size_t place =
                (z + n / 2) * (i / n / n) + (y + n / 2) * (i / n % n) + x * (i % n);
            sum += double{values[i]} *
                   turned(-static_cast<double>(place % n) / static_cast<double>(n));
          }
          volume.emplace_back(sum);
        }
      }
    }
    filters = noise_of<float>(spec.filters * bins * (spec.has_complex_filters ? 2 : 1), 3);
  }

  [[nodiscard]] complex filter(std::size_t number, std::size_t bin) const {
    const std::size_t n = spec.box, i = number * n * (n / 2 + 1) + bin;
    if (spec.has_complex_filters) return {filters[2 * i], filters[2 * i + 1]};
    return filters[i];
  }

  /// The volume's bin at a place counted from its origin, interpolated; 0 outside.
  [[nodiscard]] complex bin_at(double x, double y, double z) const {
    const auto n = static_cast<double>(spec.box), half = n / 2;
    // Beyond the last y or z where x is 0, the opposite bin is there.
    const bool is_mirrored = x < -1e-4 || (x < 1e-4 && std::max(y, z) > half - 1 + 1e-4);
    if (is_mirrored) x = -x, y = -y, z = -z;
    x = std::max(x, 0.0), y += half, z += half;
    constexpr double rounding = 1e-4;
    if (x > half + rounding || std::min(y, z) < -rounding || std::max(y, z) > n - 1 + rounding) {
      return 0;
    }
    complex sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const double cx = std::floor(x) + corner % 2, cy = std::floor(y) + corner / 2 % 2,
                   cz = std::floor(z) + corner / 4;
      const double weight =
          (1 - std::abs(x - cx)) * (1 - std::abs(y - cy)) * (1 - std::abs(z - cz));
      if (cx > half || cy < 0 || cy >= n || cz < 0 || cz >= n) continue;
      const auto i = static_cast<std::size_t>((cz * n + cy) * (half + 1) + cx);
      sum += weight * complex{volume[i]};
    }
    return is_mirrored ? std::conj(sum) : sum;
  }

  /// A template, [y][x].
  [[nodiscard]] std::vector<double> projected(const plane_axes& axes, std::size_t number) const {
    const std::size_t n = spec.box, columns = n / 2 + 1;
    const auto length = static_cast<double>(n);
    std::vector<double> p(n * n);
    for (std::size_t bin = 1; bin < n * columns; ++bin) {
      const std::size_t ky = bin / columns, kx = bin % columns;
      const double v = static_cast<double>(ky) - (ky < n / 2 ? 0 : length),
                   u = static_cast<double>(kx);
      const complex t =
          -filter(number, bin) *
          bin_at(axes[0] * u + axes[1] * v, axes[2] * u + axes[3] * v, axes[4] * u + axes[5] * v);
      const double weight = kx == 0 || kx == n / 2 ? 1 : 2;
      for (std::size_t i = 0; i < p.size(); ++i) {
        const std::size_t turns = ky * (i / n + n / 2) + kx * (i % n + n / 2);
        p[i] += weight / (length * length) *
                (t * turned(static_cast<double>(turns % n) / length)).real();
      }
    }
    double edge = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const std::size_t y = i / n, x = i % n;
      if (std::min(y, x) == 0 || std::max(y, x) == n - 1) edge += p[i] / (4 * length - 4);
    }
    const auto height = static_cast<double>(spec.image[0]),
               width = static_cast<double>(spec.image[1]);
    const double part = length * length / (height * width), m = -edge * part * part;
    double variance = (height - length) * (width - length) * m * m;
    for (double& x : p) x -= edge, variance += (x - m) * (x - m);
    for (double& x : p) x *= std::sqrt(height * width / variance);
    return p;
  }

  /// The scores of a template, [y][x].
  [[nodiscard]] std::vector<double> scored(const std::vector<double>& p) const {
    const std::size_t n = spec.box, width = spec.image[1], columns = width - n + 1;
    std::vector<double> scores((spec.image[0] - n + 1) * columns);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      for (std::size_t j = 0; j < p.size(); ++j) {
        scores[i] += p[j] * image[(i / columns + j / n) * width + i % columns + j % n];
      }
    }
    return scores;
  }

  orientation_spec spec;
  std::vector<float> image, filters;
  std::vector<std::complex<float>> volume;
};

class orientation_search_on : public on_engine {
 protected:
  /// Returns the search of an example, without scores.
  orientation_search begun(const example& data, orientation_spec spec) {
    orientation_search search{*on, std::move(spec)};
    const buffer image = filled(*on, data.image), volume = filled(*on, data.volume),
                 filters = filled(*on, data.filters);
    search.begin(*on, image.view());
    search.set_volume(*on, volume.view());
    search.set_filters(*on, filters.view());
    on->wait();
    return search;
  }

  void check(const orientation_spec& spec, double error,
             const std::vector<plane_axes>& rotations = {axes_of(0.3, 1.1, 2.0), axes_of(0, 0, 0),
                                                         axes_of(4.0, 1.57079633, 1.57079633)}) {
    const example data{spec};
    orientation_search search = begun(data, spec);
    search.add(*on, rotations, 2);
    std::vector<double> largest, sums, squares;
    std::vector<std::uint32_t> numbers;
    std::size_t listed = 0;
    for (std::size_t number = 0; number < rotations.size() * spec.filters; ++number) {
      const auto p = data.projected(rotations[number / spec.filters], number % spec.filters);
      const auto scores = data.scored(p);
      largest.resize(scores.size(), -std::numeric_limits<double>::infinity());
      numbers.resize(scores.size()), sums.resize(scores.size()), squares.resize(scores.size());
      for (std::size_t i = 0; i < scores.size(); ++i) {
        if (scores[i] > largest[i]) largest[i] = scores[i], numbers[i] = number + 2 * spec.filters;
        sums[i] += scores[i], squares[i] += scores[i] * scores[i];
        listed += spec.table_threshold && scores[i] > *spec.table_threshold;
      }
    }
    const search_state state = search.state(*on);
    EXPECT_EQ(state.templates, rotations.size() * spec.filters);
    const auto of_largest = state.map(score_map::largest), mean = state.map(score_map::mean),
               variance = state.map(score_map::variance);
    const auto found = state.numbers();
    ASSERT_EQ(of_largest.size(), largest.size());
    const auto n = static_cast<double>(rotations.size() * spec.filters);
    for (std::size_t i = 0; i < largest.size(); ++i) {
      EXPECT_NEAR(of_largest[i], largest[i], error) << i;
      EXPECT_NEAR(mean[i], sums[i] / n, error) << i;
      EXPECT_NEAR(variance[i], squares[i] / n - sums[i] * sums[i] / n / n, 8 * error) << i;
      EXPECT_EQ(found[i], numbers[i]) << i;
    }
    if (!spec.table_threshold) return;
    const score_table table = search.take_table(*on);
    EXPECT_EQ(table.lost, 0);
    EXPECT_EQ(table.entries.size(), listed);
    for (const listed_score& each : table.entries) {
      const auto scores = data.scored(
          data.projected(rotations[each.number / spec.filters - 2], each.number % spec.filters));
      EXPECT_NEAR(each.score, scores[each.y * search.result()[1] + each.x], error);
    }
    EXPECT_TRUE(search.take_table(*on).entries.empty());
  }
};

TEST_P(orientation_search_on, keeps_scores_by_definition) {
  check({.image = {18, 15}, .box = 8, .filters = 3, .most_scores = 9, .table_threshold = 1.0},
        2e-5);
  check({.image = {13, 22},
         .box = 6,
         .has_complex_filters = true,
         .orientations_at_once = 2,
         .most_scores = 3},
        2e-5);
  check({.image = {16, 20}, .box = 8, .most_scores = 3}, 2e-5,
        {axes_of(0, 1.57079633, 1.57079633), axes_of(0, 1.57079633, 0), axes_of(3.14159265, 0, 0)});
  check({.image = {16, 16}, .box = 8, .filters = 2, .volume = precision::fp16, .most_scores = 6},
        4e-3);
}

TEST_P(orientation_search_on, keeps_the_same_bits_in_any_order_and_merged) {
  const orientation_spec spec{.image = {40, 33}, .box = 8, .filters = 2, .orientations_at_once = 3};
  const example data{spec};
  std::vector<plane_axes> rotations;
  for (int i = 0; i < 11; ++i) rotations.push_back(axes_of(0.7 * i, 0.3 * i, 1.1 * i));
  const std::span every{rotations};
  orientation_search once = begun(data, spec);
  once.add(*on, every, 0);
  orientation_search parts = begun(data, spec);
  parts.add(*on, every.subspan(7), 7);
  parts.add(*on, every.first(1), 0);
  search_state merged = parts.state(*on);
  parts.restart(*on);
  parts.add(*on, every.subspan(1, 6), 1);
  merged.merge(parts.state(*on));
  const search_state state = once.state(*on);
  EXPECT_EQ(merged.keys, state.keys);
  EXPECT_EQ(merged.sums, state.sums);
  EXPECT_EQ(merged.templates, 22);
}

TEST_P(orientation_search_on, counts_every_score_in_a_bin) {
  const orientation_spec spec{.image = {40, 33},
                              .box = 8,
                              .filters = 2,
                              .orientations_at_once = 3,
                              .table_threshold = -1e9,
                              .histogram = {.begin = -2, .end = 1, .count = 6}};
  const example data{spec};
  std::vector<plane_axes> rotations;
  for (int i = 0; i < 7; ++i) rotations.push_back(axes_of(0.7 * i, 0.3 * i, 1.1 * i));
  orientation_search search = begun(data, spec);
  search.add(*on, rotations, 0);
  const std::vector<std::uint64_t> counts = search.state(*on).histogram;
  std::vector<std::uint64_t> expected(6);
  for (const listed_score& each : search.take_table(*on).entries) {
    ++expected[static_cast<std::size_t>(std::clamp((each.score + 2) * 2, 0.0F, 5.0F))];
  }
  EXPECT_EQ(counts, expected);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 14 * 33 * 26);
  EXPECT_GT(std::min(counts.front(), counts.back()), 0);

  search.restart(*on);
  search.add(*on, std::span{rotations}.subspan(5), 5);
  search_state merged = search.state(*on);
  search.restart(*on);
  search.add(*on, std::span{rotations}.first(5), 0);
  merged.merge(search.state(*on));
  EXPECT_EQ(merged.histogram, counts);
}

TEST_P(orientation_search_on, projects_what_it_correlates) {
  const orientation_spec spec{.image = {20, 16}, .box = 8, .filters = 2};
  const example data{spec};
  orientation_search search = begun(data, spec);
  const plane_axes axes = axes_of(1, 2, 3);
  buffer out{*on, 2 * 64 * sizeof(float)};
  search.project(*on, axes, out.view());
  std::vector<float> made(128);
  out.read(made.data(), out.size_bytes());
  for (std::size_t number = 0; number < 2; ++number) {
    const auto expected = data.projected(axes, number);
    for (std::size_t i = 0; i < 64; ++i) EXPECT_NEAR(made[64 * number + i], expected[i], 1e-4);
  }
}

TEST_P(orientation_search_on, counts_scores_without_room) {
  const orientation_spec spec{
      .image = {20, 16}, .box = 8, .table_threshold = -100.0, .table_capacity = 5};
  const example data{spec};
  orientation_search search = begun(data, spec);
  search.add(*on, std::vector{axes_of(1, 2, 3)}, 0);
  const score_table table = search.take_table(*on);
  EXPECT_EQ(table.entries.size(), 5);
  EXPECT_EQ(table.lost, 13 * 9 - 5);
}

TEST_P(orientation_search_on, refuses_what_it_cannot_do) {
  const orientation_spec good{.image = {20, 16}, .box = 8};
  const auto refused = [&](auto change) {
    orientation_spec spec = good;
    change(spec);
    return refusal([&] { orientation_search{*on, spec}; });
  };
  EXPECT_THAT(refused([](auto& s) { s.box = 7; }), HasSubstr("box is 7"));
  EXPECT_THAT(refused([](auto& s) { s.box = 18; }), HasSubstr("box is 18"));
  EXPECT_THAT(refused([](auto& s) { s.image = {20}; }), HasSubstr("give {height, width}"));
  EXPECT_THAT(refused([](auto& s) { s.filters = 0; }), HasSubstr("filters is 0"));
  EXPECT_THAT(refused([](auto& s) { s.volume = precision::bf16; }), HasSubstr("volume is bf16"));
  EXPECT_THAT(refused([](auto& s) { s.histogram = {1, 1, 5}; }), HasSubstr("5 bins from 1 to 1"));
  orientation_search search{*on, good};
  const std::vector single{axes_of(1, 2, 3)};
  EXPECT_THAT(refusal([&] { search.add(*on, single, 0); }), HasSubstr("call set_volume first"));
  const example data{good};
  orientation_search ready = begun(data, good);
  EXPECT_THAT(refusal([&] { ready.add(*on, {}, 0); }), HasSubstr("0 rotations"));
  EXPECT_THAT(refusal([&] { ready.add(*on, single, 0xffffffffU); }), HasSubstr("beyond"));
  const buffer small{*on, 8};
  EXPECT_THAT(refusal([&] { ready.set_filters(*on, small.view()); }), HasSubstr("filters"));
}

INSTANTIATE_TEST_SUITE_P(engines, orientation_search_on, all_engines(), engine_name);

}  // namespace
