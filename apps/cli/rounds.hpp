// SPDX-License-Identifier: Apache-2.0
// Times several entrants fairly: warm each up, then let them take turns, round after round.
#pragma once

#include <algorithm>   // sort, max
#include <cstddef>     // size_t
#include <functional>  // function
#include <string>
#include <vector>

#include "wingbeat/queue.hpp"  // queue, stopwatch

namespace wingbeat::cli {

/// One entrant and its times, one per round, each the mean of `repeats` runs.
struct entrant {
  std::string name;
  std::function<void()> run;  ///< Queues one run and returns.
  std::vector<double> seconds;

  /// Returns the middle of the sorted times.
  [[nodiscard]] double median_s() const {
    auto sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  [[nodiscard]] double min_s() const { return *std::min_element(seconds.begin(), seconds.end()); }
  [[nodiscard]] double max_s() const { return *std::max_element(seconds.begin(), seconds.end()); }
};

/// Runs every entrant `n_rounds` times in turn. A turn repeats the run until it lasts about
/// `turn_s`, so that the clock's grain and the launch gap do not count.
inline void take_turns(const queue& on, std::vector<entrant>& entrants, int n_rounds,
                       double turn_s = 2e-3) {
  stopwatch watch{on};
  const auto timed = [&](const entrant& one, std::size_t repeats) {
    watch.start();
    for (std::size_t i = 0; i < repeats; ++i) one.run();
    watch.stop();
    return watch.seconds() / static_cast<double>(repeats);
  };
  std::vector<std::size_t> repeats;
  for (const entrant& one : entrants) {
    timed(one, 2);  // the first runs load code and fill caches
    const double once = std::max(timed(one, 1), 1e-7);
    repeats.push_back(std::clamp<std::size_t>(static_cast<std::size_t>(turn_s / once), 1, 1000));
  }
  for (int round = 0; round < n_rounds; ++round) {
    for (std::size_t e = 0; e < entrants.size(); ++e) {
      entrants[e].seconds.push_back(timed(entrants[e], repeats[e]));
    }
  }
}

}  // namespace wingbeat::cli
