// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/spectrum.hpp"

#include <algorithm>  // partial_sort, min
#include <cmath>      // abs, arg, log10
#include <complex>
#include <limits>   // numeric_limits
#include <numeric>  // iota
#include <utility>  // move

#include "formatted.hpp"  // formatted

namespace wingbeat::cli {
namespace {

// Below this the chart would show rounding errors.
constexpr double shown_decibels = 160;

double decibels(const std::complex<double>& bin) {
  return 20 * std::log10(std::abs(bin));
}

// Negative frequencies first, so that the curve runs from left to right.
std::vector<std::size_t> bins_left_to_right(const spectrum& of) {
  std::vector<std::size_t> order(of.n_shown());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!of.is_of_real) {
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(of.length / 2),
                order.end());
  }
  return order;
}

}  // namespace

double spectrum::signed_bin(std::size_t k) const {
  const auto bin = static_cast<double>(k);
  return is_of_real || k < length / 2 ? bin : bin - static_cast<double>(length);
}

double spectrum::frequency_hz(std::size_t k) const {
  return signed_bin(k) * sample_rate_hz / static_cast<double>(length);
}

std::vector<peak> strongest(const spectrum& of, std::size_t n_peaks) {
  std::vector<std::size_t> order(of.n_shown());
  const auto n_kept = static_cast<std::ptrdiff_t>(std::min(n_peaks, order.size()));
  std::vector<peak> peaks;
  for (std::size_t r = 0; r < of.bins.n_rows; ++r) {
    const std::complex<double>* const row = &of.bins.samples[r * of.bins.row_length];
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::partial_sort(order.begin(), order.begin() + n_kept, order.end(),
                      [row](std::size_t a, std::size_t b) {
                        const double strength_a = std::abs(row[a]), strength_b = std::abs(row[b]);
                        return strength_a != strength_b ? strength_a > strength_b : a < b;
                      });
    for (std::ptrdiff_t i = 0; i < n_kept; ++i) {
      const std::size_t k = order[static_cast<std::size_t>(i)];
      peaks.push_back({r, k, std::abs(row[k]), std::arg(row[k])});
    }
  }
  return peaks;
}

formats::line_chart chart_of(const spectrum& what, const std::string& title) {
  const bool has_rate = what.sample_rate_hz > 0;
  formats::line_chart chart;
  chart.title = title;
  chart.x.label = has_rate ? "frequency (Hz)" : "bin";
  chart.y.label = "magnitude (dB)";
  const std::vector<std::size_t> order = bins_left_to_right(what);
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t r = 0; r < std::min(what.bins.n_rows, max_rows_drawn); ++r) {
    formats::chart_series curve;
    if (what.bins.n_rows > 1) curve.label = formatted("row {}", r);
    for (const std::size_t k : order) {
      const double level = decibels(what.bins.samples[r * what.bins.row_length + k]);
      curve.x.push_back(has_rate ? what.frequency_hz(k) : what.signed_bin(k));
      curve.y.push_back(level);
      if (std::isfinite(level)) {
        lowest = std::min(lowest, level);
        highest = std::max(highest, level);
      }
    }
    chart.series.push_back(std::move(curve));
  }
  if (highest - lowest > shown_decibels) chart.y.range = {highest - shown_decibels, highest + 5};
  return chart;
}

}  // namespace wingbeat::cli
