// SPDX-License-Identifier: Apache-2.0
// What several times of one thing say: their middle, their spread, and how sure the middle is.
#pragma once

#include <span>

namespace wingbeat::cli {

/// The quarters of sorted values, interpolated between neighbours; all 0 of no values.
struct quartiles {
  double low = 0, median = 0, high = 0;
};

[[nodiscard]] quartiles quartiles_of(std::span<const double> values);

/// Returns half the width of the median's 95 % interval over the median:
///     1.57 (high - low) / (sqrt(n) median),
/// the notch of a box plot (McGill, Tukey and Larsen 1978), which assumes no distribution's tails.
/// Infinite below 3 values, where quartiles mean nothing.
[[nodiscard]] double relative_confidence(std::span<const double> values);

/// When measuring ends.
struct stop_rule {
  int least_rounds = 5;
  int most_rounds = 100;
  double most_seconds = 10;  ///< After this long no further round begins; infinite: no limit.
  double confidence = 0.01;  ///< Enough of `relative_confidence`, of every entrant; 0: never.
};

/// Why measuring ended, or that it goes on.
enum class verdict { goes_on, is_confident, out_of_rounds, out_of_time };

/// Judges after `n_rounds` in `elapsed_s`; `worst` is the largest confidence of all entrants.
[[nodiscard]] verdict judge(const stop_rule& rule, int n_rounds, double elapsed_s, double worst);

/// Returns "confident", "rounds" or "seconds": what measuring ran into.
[[nodiscard]] const char* name_of(verdict why) noexcept;

}  // namespace wingbeat::cli
