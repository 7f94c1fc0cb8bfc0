// SPDX-License-Identifier: Apache-2.0
// Reports when samples of a polarisation stop and resume, for the log: one line each time.
#pragma once

#include <chrono>
#include <cstddef>  // size_t
#include <span>
#include <string>
#include <vector>

namespace wingbeat::fengine {

/// A change, in a sentence.
struct silence_change {
  bool is_silent = false;  ///< Samples stopped; otherwise, they resumed.
  std::string sentence = {};
};

class silence_watch {
 public:
  using clock = std::chrono::steady_clock;

  /// A polarisation is silent when its samples are older than `limit_s`.
  silence_watch(std::size_t n_pols, double limit_s);

  /// Takes the age in seconds of each polarisation's latest samples, and returns what changed. A
  /// change is reported once all polarisations share it, or after half a second, so that a
  /// digitiser that stops is one sentence.
  [[nodiscard]] std::vector<silence_change> look(std::span<const double> ages_s,
                                                 clock::time_point time = clock::now());

 private:
  struct polarisation {
    bool is_silent = false, is_reported = false;
    double silence_s = 0;  ///< The last one, if it is known.
  };

  [[nodiscard]] std::vector<std::size_t> changed(bool is_silent) const;
  [[nodiscard]] std::string names_of(const std::vector<std::size_t>& pols) const;

  std::vector<polarisation> polarisations_;
  double limit_s_;
  bool has_change_ = false;
  clock::time_point changed_at_ = {};
};

}  // namespace wingbeat::fengine
