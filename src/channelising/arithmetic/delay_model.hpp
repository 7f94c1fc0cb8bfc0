// SPDX-License-Identifier: Apache-2.0
// Delays and phases as piecewise-linear functions of time. For output time t and model m:
//
//     d      = m.delay + (t - m.start) m.rate          samples; positive: the signal comes later
//     coarse = d rounded to the nearest integer, ties to even;  fine = d - coarse
//     phase  = m.phase + (t - m.start) m.phase_rate    radians, wrapped to [-pi, pi)
//
// A spectrum that starts at output time t reads its window from input sample t - coarse on.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <optional>
#include <span>
#include <vector>

#include "wingbeat/channeliser.hpp"  // delay_model

namespace wingbeat::channelising {

/// Samples are numbered below this, so that twice a time, and its sum with a delay, are integers.
/// It is 21 years at 1.712 GHz.
inline constexpr std::int64_t end_of_time = std::int64_t{1} << 60;

/// The models' values for one spectrum.
struct delay_value {
  std::int64_t input_start = 0;  ///< First input sample of the spectrum's window.
  std::int64_t coarse = 0;       ///< Output time minus `input_start`.
  double fine = 0;               ///< The delay that `coarse` leaves, in samples.
  double phase_rad = 0;          ///< In [-pi, pi).
};

/// Returns the value with `input_start` moved to the nearest multiple of `subsampling`; the
/// difference goes to `fine`. Of two nearest multiples, takes the one that leaves the smaller
/// `fine`.
[[nodiscard]] delay_value aligned(const delay_value& value, std::int64_t subsampling);

/// The models of one polarisation. Before the first of them, delay and phase are 0.
class delay_schedule {
 public:
  delay_schedule();

  /// Adds a model, and removes those that start at or after its start. Throws `plan_error` for a
  /// value that is not finite, a start below 0, a rate beyond -1 .. 1, or a delay beyond 2^47.
  void add(const delay_model& model);

  /// Removes models that do not apply at any output time from `t` on.
  void forget_before(std::int64_t t, double offset = 0);

  /// Returns the values for a spectrum whose window starts at output time `t`, by the model that
  /// applies at t + offset, evaluated there. Offset 0 is the window's start.
  [[nodiscard]] delay_value at(std::int64_t t, double offset = 0) const;

  /// Writes the values of spectra at t, t + step, .., each `aligned`.
  void fill(std::int64_t t, std::int64_t step, double offset, std::int64_t subsampling,
            std::span<delay_value> values) const;

  /// Returns the first time after `t` at which another model applies; none after the last.
  [[nodiscard]] std::optional<std::int64_t> next_change(std::int64_t t, double offset = 0) const;

  /// Returns the model that applies.
  [[nodiscard]] const delay_model& model_at(std::int64_t t, double offset = 0) const;

 private:
  std::vector<delay_model> models_;  ///< Sorted by start; all starts differ.
};

/// The output times at which a heap may start.
struct start_rule {
  std::int64_t earliest = 0;     ///< Output time.
  std::int64_t alignment = 1;    ///< Output times are multiples of it.
  std::int64_t input_begin = 0;  ///< No window starts before this input sample.
  std::int64_t subsampling = 1;  ///< See `aligned`.
  double offset = 0;             ///< See `delay_schedule::at`.
};

/// Returns the first output time at which the windows of all polarisations start within the input;
/// none below `end_of_time`.
[[nodiscard]] std::optional<std::int64_t> first_start(std::span<const delay_schedule> polarisations,
                                                      const start_rule& rule);

/// Returns the phase at the centre of the band in [-pi, pi): the model's phase plus the quarter
/// turns of the coarse delay there.
[[nodiscard]] double centre_phase(const delay_value& value);

/// Returns the phase of channel k of N in [-pi, pi): -pi fine (k - N/2)/N, the model's phase, and
/// the quarter turns of the coarse delay at the centre of the band.
[[nodiscard]] double wideband_phase(const delay_value& value, std::size_t channel,
                                    std::size_t n_channels);

/// Returns the phase of the channel whose centre lies `offset` of M channels above the centre of a
/// band of complex numbers, one every S input samples: -2 pi fine offset/(S M) and the model's
/// phase.
[[nodiscard]] double narrowband_phase(const delay_value& value, std::int64_t offset,
                                      std::size_t n_transform, std::size_t subsampling);

}  // namespace wingbeat::channelising
