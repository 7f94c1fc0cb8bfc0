// SPDX-License-Identifier: Apache-2.0
// Statistics of repeated times: quartiles, the confidence of the median, and a rule when to stop.
#pragma once

#include <span>

namespace wingbeat::measure {

/// The quartiles of sorted values, interpolated between neighbours; all 0 without values.
struct quartiles {
  double low = 0, median = 0, high = 0;
};

[[nodiscard]] quartiles quartiles_of(std::span<const double> values);

/// The mean and the extremes of several values.
struct spread {
  double mean = 0, min = 0, max = 0;
};

/// Returns the spread of the values; all 0 without values.
[[nodiscard]] spread spread_of(std::span<const double> values);

/// Returns half the width of the median's 95 % interval, divided by the median:
///     1.57 (high - low) / (sqrt(n) median),
/// the notch of a box plot (McGill, Tukey and Larsen 1978), which assumes no distribution's tails.
/// Infinite for fewer than 3 values, where quartiles mean nothing.
[[nodiscard]] double relative_confidence(std::span<const double> values);

/// When measuring ends.
struct stop_rule {
  int min_rounds = 5;
  int max_rounds = 100;
  double max_seconds = 10;   ///< No round begins after this long; infinite: no limit.
  double confidence = 0.01;  ///< Stops once every `relative_confidence` is below; 0: never.
};

/// Why measuring ended; `none` while it continues.
enum class stop_reason { none, confident, out_of_rounds, out_of_time };

/// Returns whether to stop after `n_rounds` in `elapsed_s`, and why. `worst_confidence` is the
/// largest `relative_confidence` of all timed runs.
[[nodiscard]] stop_reason stop_reason_of(const stop_rule& rule, int n_rounds, double elapsed_s,
                                         double worst_confidence);

/// Returns the limit that ended measuring: "confident", "rounds" or "seconds"; "none" for none.
[[nodiscard]] const char* name_of(stop_reason reason) noexcept;

}  // namespace wingbeat::measure
