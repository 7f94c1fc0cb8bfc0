// SPDX-License-Identifier: Apache-2.0
// The samples of a test signal. All samples are one period: frequencies are rounded to multiples of
// the rate divided by the number of samples, and delays wrap around. A sample depends only on the
// text, its index, the rate and the number of samples, so pieces may be made in any order.
#pragma once

#include <cstdint>  // int16_t, uint64_t
#include <span>
#include <string_view>

#include "signals/expression.hpp"  // signal_expression

namespace wingbeat::signals {

inline constexpr std::uint64_t max_signal_samples = std::uint64_t{1} << 32;

/// A sampled period of a signal.
struct signal_period {
  double adc_rate_hz = 0;
  std::uint64_t n_samples = 0;  ///< 1 to `max_signal_samples`.
};

/// A signal that can be sampled.
class signal_source {
 public:
  /// Parses the text. Throws `plan_error` with a column for a text that `parse_signal` refuses, for
  /// a frequency above half the rate, and for one so low that it would be rounded to 0.
  signal_source(std::string_view text, const signal_period& period);

  [[nodiscard]] bool has_dither() const noexcept { return expression_.has_dither; }

  /// Writes the samples from `first`, an index within the period, on, as fractions of full scale.
  void evaluate(std::uint64_t first, std::span<double> out) const;

 private:
  signal_expression expression_;
  signal_period period_;
};

/// How samples become integers: times full scale, 2^(b-1) - 1, plus dither if the signal has it,
/// limited to full scale, and rounded, ties to even.
struct digitiser {
  unsigned sample_bits = 10;
  std::uint64_t seed = 0;          ///< Seed of the dither.
  std::uint32_t polarisation = 0;  ///< Polarisations have different dither.
};

/// Writes samples from number `first` on; after the last sample of the period follows its first.
/// Returns how many samples were limited to full scale.
std::uint64_t digitise(const signal_source& source, const signal_period& period,
                       const digitiser& adc, std::uint64_t first, std::span<std::int16_t> out);

}  // namespace wingbeat::signals
