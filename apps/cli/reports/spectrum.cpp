// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/spectrum.hpp"

#include <algorithm>  // partial_sort, min
#include <cmath>      // abs, arg, log10
#include <complex>
#include <limits>   // numeric_limits
#include <numeric>  // iota
#include <utility>  // move

#include "text/formatted.hpp"  // formatted

namespace wingbeat::cli {
namespace {

// Below this range the chart would show rounding errors.
constexpr double shown_decibels = 160;

double decibels(const std::complex<double>& bin) {
  return 20 * std::log10(std::abs(bin));
}

}  // namespace

std::vector<std::size_t> ascending_bins(std::size_t n_bins, bool is_real) {
  std::vector<std::size_t> order(n_bins);
  const std::size_t first = is_real ? 0 : (n_bins + 1) / 2;
  for (std::size_t i = 0; i < n_bins; ++i) order[i] = (first + i) % n_bins;
  return order;
}

double spectrum::signed_bin(std::size_t k) const {
  const auto bin = static_cast<double>(k);
  return is_of_real || k < (length + 1) / 2 ? bin : bin - static_cast<double>(length);
}

double spectrum::frequency_hz(std::size_t k) const {
  return centre_hz + signed_bin(k) * sample_rate_hz / static_cast<double>(length);
}

std::vector<peak> strongest(const spectrum& shown, std::size_t n_peaks) {
  std::vector<std::size_t> order(shown.n_shown());
  const auto n_kept = static_cast<std::ptrdiff_t>(std::min(n_peaks, order.size()));
  std::vector<peak> peaks;
  for (std::size_t r = 0; r < shown.bins.n_rows; ++r) {
    const std::complex<double>* const row = &shown.bins.samples[r * shown.bins.row_length];
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

formats::line_chart chart_of(const spectrum& shown, const std::string& title) {
  const bool has_rate = shown.sample_rate_hz > 0;
  formats::line_chart chart;
  chart.title = title;
  chart.x.label = has_rate ? "frequency" : "bin";
  if (has_rate) chart.x.unit = "Hz";
  chart.y.label = "magnitude |X| (dB re 1)";
  const std::vector<std::size_t> order = ascending_bins(shown.n_shown(), shown.is_of_real);
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t r = 0; r < std::min(shown.bins.n_rows, max_rows_drawn); ++r) {
    formats::chart_series curve;
    if (shown.bins.n_rows > 1) curve.label = formatted("row {}", r);
    for (const std::size_t k : order) {
      const double level = decibels(shown.bins.samples[r * shown.bins.row_length + k]);
      curve.x.push_back(has_rate ? shown.frequency_hz(k) : shown.signed_bin(k));
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
