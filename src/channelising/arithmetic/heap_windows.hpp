// SPDX-License-Identifier: Apache-2.0
// The beginnings of the windows of a heap's spectra, from the delays, and which windows have
// samples.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <optional>
#include <span>
#include <vector>

#include "channelising/arithmetic/delay_model.hpp"  // delay_schedule, delay_value
#include "wingbeat/channeliser.hpp"  // channeliser_spec, channeliser_sizes, delay_model

namespace wingbeat::channelising {

/// The windows of a heap's spectra.  [polarisation][spectrum]
using window_values = std::vector<std::vector<delay_value>>;

/// The windows that have all their samples: those that begin with one of these input samples.
struct window_range {
  std::int64_t first = 0, last = -1;
};

enum class heap_fit {
  whole,  ///< All windows have their samples.
  ends,   ///< Windows of the last spectra end after the samples at hand.
  early   ///< Some windows begin before the samples.
};

struct fitted_heap {
  heap_fit fit = heap_fit::whole;
  window_values windows;   ///< Windows of the spectra before the first that does not fit.
  std::int64_t early = 0;  ///< Output time of that first spectrum.
};

class heap_windows {
 public:
  explicit heap_windows(const channeliser_spec& spec);

  /// Adds a model of each polarisation; if one throws `plan_error` (see `delay_schedule::add`),
  /// adds none.
  void add(std::span<const delay_model> models);
  /// Adds a model of one polarisation; throws `plan_error` if that does not exist.
  void add(std::size_t polarisation, const delay_model& model);

  /// Removes models that do not apply at any output time from `t` on.
  void forget_before(std::int64_t t);

  /// Returns the output time, `earliest` or later, of the first heap whose first windows begin with
  /// input sample `first` or later; none below `end_of_time`.
  [[nodiscard]] std::optional<std::int64_t> next_heap(std::int64_t earliest,
                                                      std::int64_t first) const;

  /// Returns the first input sample of the windows of the spectrum at output time `t`.
  [[nodiscard]] std::int64_t first_sample(std::int64_t t) const;

  /// Returns whether a window of the last spectrum of the heap at `t` begins after sample `last`.
  [[nodiscard]] bool is_to_come(std::int64_t t, std::int64_t last) const;

  /// Returns how the heap at `t` fits. If two polarisations fail at one spectrum, `early` counts.
  [[nodiscard]] fitted_heap fit_at(std::int64_t t, const window_range& range) const;

 private:
  [[nodiscard]] delay_value value_at(const delay_schedule& schedule, std::int64_t t) const;

  channeliser_sizes sizes_;
  std::int64_t subsampling_;
  std::vector<delay_schedule> delays_;  ///< [polarisation]
};

}  // namespace wingbeat::channelising
