// SPDX-License-Identifier: Apache-2.0
// Runs a search on an engine and compares what it keeps with scores by their definitions, in long
// double.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>      // abs, sqrt
#include <limits>
#include <numeric>  // accumulate
#include <utility>  // move
#include <vector>

#include "convolving/direct_sum.hpp"  // direct_sum
#include "support/memory.hpp"         // contents, filled
#include "support/signal.hpp"         // fill_noise
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

using exact_scores = std::vector<long double>;  // [y][x]

/// Returns the windows of an image, each without its mean; zeros outside.  // [y][x]
template <class Real>
std::vector<exact_scores> centred_windows(const std::vector<Real>& image, const search_spec& spec) {
  const std::size_t h = spec.templates[0], w = spec.templates[1];
  const mode_range rows = range_of(spec.image[0], h, spec.mode);
  const mode_range columns = range_of(spec.image[1], w, spec.mode);
  const auto index = [](std::size_t place, const mode_range& range, std::size_t tap,
                        std::size_t length) {
    return static_cast<std::ptrdiff_t>(place + tap) + range.first -
           static_cast<std::ptrdiff_t>(length - 1);
  };
  std::vector<exact_scores> windows;
  for (std::size_t place = 0; place < rows.count * columns.count; ++place) {
    const std::size_t y = place / columns.count, x = place % columns.count;
    exact_scores window(h * w);
    long double mean = 0;
    for (std::size_t i = 0; i < h * w; ++i) {
      const std::ptrdiff_t row = index(y, rows, i / w, h), column = index(x, columns, i % w, w);
      const bool is_inside = row >= 0 && column >= 0 &&
                             row < static_cast<std::ptrdiff_t>(spec.image[0]) &&
                             column < static_cast<std::ptrdiff_t>(spec.image[1]);
      if (is_inside) {
        window[i] =
            image[static_cast<std::size_t>(row) * spec.image[1] + static_cast<std::size_t>(column)];
      }
      mean += window[i] / static_cast<long double>(h * w);
    }
    for (long double& value : window) value -= mean;
    windows.push_back(std::move(window));
  }
  return windows;
}

/// Returns the correlation coefficients of a template with each window.
template <class Real>
exact_scores coefficients_by_definition(const std::vector<exact_scores>& windows,
                                        const Real* tile) {
  const std::size_t n = windows.front().size();
  long double mean = 0;
  for (std::size_t i = 0; i < n; ++i) mean += tile[i] / static_cast<long double>(n);
  exact_scores scores;
  for (const exact_scores& window : windows) {
    long double product = 0, of_f = 0, of_t = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const long double t = tile[i] - mean;
      product += window[i] * t;
      of_f += window[i] * window[i];
      of_t += t * t;
    }
    // The rounding of the means above is no contrast.
    const bool is_constant = of_f * of_t <= 1e-30L;
    scores.push_back(is_constant ? 0 : product / std::sqrt(of_f * of_t));
  }
  return scores;
}

template <class Real>
exact_scores correlations_by_definition(const std::vector<Real>& image, const search_spec& spec,
                                        const Real* tile) {
  const exact_map f{image.begin(), image.end()};
  const exact_map t{tile, tile + spec.templates[0] * spec.templates[1]};
  exact_scores scores;
  for (const auto& value :
       direct_sum(f, spec.image, t, spec.templates, operation::correlate, spec.mode)) {
    scores.push_back(value.real());
  }
  return scores;
}

/// Returns the scores of each of the templates.
template <class Real>
std::vector<exact_scores> scores_by_definition(const std::vector<Real>& image,
                                               const search_spec& spec,
                                               const std::vector<Real>& templates) {
  const auto windows =
      spec.is_normalised ? centred_windows(image, spec) : std::vector<exact_scores>{};
  std::vector<exact_scores> scores;
  for (std::size_t i = 0; i < templates.size(); i += spec.templates[0] * spec.templates[1]) {
    scores.push_back(spec.is_normalised ? coefficients_by_definition(windows, &templates[i])
                                        : correlations_by_definition(image, spec, &templates[i]));
  }
  return scores;
}

template <class Real>
std::vector<Real> noise_of(std::size_t count, std::uint64_t seed) {
  std::vector<Real> values(count);
  fill_noise(values.data(), count, seed);
  return values;
}

/// Returns the half spectra of templates, by the reference engine.
template <class Real>
std::vector<Real> half_spectra_of(const std::vector<Real>& templates, const search_spec& spec) {
  queue reference{first_device(engine::reference)};
  const plan forward{reference,
                     {.lengths = spec.templates,
                      .batch = templates.size() / (spec.templates[0] * spec.templates[1]),
                      .kind = transform::forward_from_real,
                      .real = spec.real}};
  const buffer in = filled(reference, templates), out{reference, output_bytes(forward.spec())};
  forward.enqueue(reference, in.view(), out.view());
  return contents<Real>(out);
}

/// Expects what a search keeps of these scores of its templates, each place's within its bound and
/// the rounding of a float.
inline void expect_kept(queue& on, const template_search& search,
                        const std::vector<exact_scores>& result, const exact_scores& bounds) {
  const search_spec& spec = search.spec();
  const auto scores = search.scores(on);
  const auto numbers = search.numbers(on);
  const auto means = spec.keeps_sums ? search.mean(on) : std::vector<float>{};
  const auto variances = spec.keeps_sums ? search.variance(on) : std::vector<float>{};
  const auto counts = spec.keeps_counts ? search.counts(on) : std::vector<std::uint32_t>{};
  ASSERT_EQ(search.added(), result.size());
  ASSERT_EQ(scores.size(), result[0].size());
  ASSERT_EQ(search.result()[0] * search.result()[1], scores.size());
  const auto count = static_cast<long double>(result.size());
  const long double of_sums = spec.is_normalised ? 0x1p-31L : 0;  // of 2^-32 each
  for (std::size_t i = 0; i < scores.size(); ++i) {
    long double most = result[0][i], mean = 0, variance = 0, largest = 0;
    for (const exact_scores& each : result) {
      most = std::max(most, each[i]);
      largest = std::max(largest, std::abs(each[i]));
      mean += each[i] / count;
    }
    const long double bound = bounds[i] + 0x1p-24L * largest;
    std::size_t surely = 0, perhaps = 0;
    for (const exact_scores& each : result) {
      surely += each[i] > spec.threshold + bound ? 1 : 0;
      perhaps += each[i] > spec.threshold - bound ? 1 : 0;
      variance += (each[i] - mean) * (each[i] - mean) / count;
    }
    ASSERT_NEAR(scores[i], most, bound) << "place " << i;
    ASSERT_LT(numbers[i], result.size()) << "place " << i;
    ASSERT_NEAR(result[numbers[i]][i], most, 2 * bound) << "place " << i;
    if (spec.keeps_sums) {
      ASSERT_NEAR(means[i], mean, bound) << "place " << i;
      ASSERT_NEAR(variances[i], variance, 4 * bound * (largest + bound) + of_sums) << "place " << i;
    }
    if (spec.keeps_counts) {
      ASSERT_GE(counts[i], surely) << "place " << i;
      ASSERT_LE(counts[i], perhaps) << "place " << i;
    }
  }
}

/// Adds noise templates in calls of `adds` to a search of an image of noise about `offset`.
template <class Real>
void check_search(queue& on, const search_spec& spec, const std::vector<std::size_t>& adds,
                  double offset = 0) {
  SCOPED_TRACE(testing::Message() << name_of(spec.mode) << " of " << spec.image[0] << "x"
                                  << spec.image[1] << " and " << spec.templates[0] << "x"
                                  << spec.templates[1] << ", " << spec.templates_at_once
                                  << " at once" << (spec.is_normalised ? ", normalised" : ""));
  auto image = noise_of<Real>(spec.image[0] * spec.image[1], 1);
  for (Real& value : image) value += static_cast<Real>(offset);
  const std::size_t n = spec.templates[0] * spec.templates[1];
  const std::size_t count = std::accumulate(adds.begin(), adds.end(), std::size_t{0});
  auto templates = noise_of<Real>(count * n, 2);
  for (std::size_t i = 0; i < templates.size(); ++i) {
    templates[i] += static_cast<Real>(spec.is_normalised ? 0.25 * offset : 0);
  }
  template_search search{on, spec};
  const bool has_spectra = spec.form == operand_form::spectrum;
  const std::vector<Real> given = has_spectra ? half_spectra_of(templates, spec) : templates;
  const buffer in = filled(on, image), batch = filled(on, given);
  search.begin(on, in.view());
  buffer_view view = batch.view();
  for (const std::size_t each : adds) {
    search.add(on, view, each);
    const std::size_t bytes = each * given.size() / count * sizeof(Real);
    view.offset_bytes += bytes;
    view.size_bytes -= bytes;
  }
  // Of coefficients, against the norm of a window; of sums, of the whole image.
  const long double epsilon = std::numeric_limits<Real>::epsilon();
  const auto pixels = static_cast<long double>(image.size() * n);
  const long double bound = spec.is_normalised ? 80 * epsilon : 8 * epsilon * std::sqrt(pixels) / 3;
  // With 16 bits in between: five roundings relative to the whole image, six standard deviations.
  const long double narrow =
      spec.between == precision::fp16
          ? 6 * 5 * 0x1p-11L * (spec.is_normalised ? 1 : std::sqrt(static_cast<long double>(n)) / 3)
          : 0;
  const auto result = scores_by_definition(image, spec, templates);
  expect_kept(on, search, result, exact_scores(result[0].size(), std::max(bound, 1e-7L) + narrow));
}

}  // namespace wingbeat::test
