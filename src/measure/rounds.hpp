// SPDX-License-Identifier: Apache-2.0
// Times entrants fairly: warm each up, then let them take turns, round after round.
#pragma once

#include <cstddef>     // size_t
#include <functional>  // function
#include <string>
#include <vector>

#include "measure/statistics.hpp"  // stop_rule, verdict
#include "wingbeat/queue.hpp"      // queue

namespace wingbeat::cli {

/// One entrant and its times, one per round, each the mean of that turn's runs.
struct entrant {
  std::string name;
  std::function<double(std::size_t n_runs)> time;  ///< Runs that often; returns seconds in all.
  std::vector<double> seconds = {};

  [[nodiscard]] double median_s() const { return quartiles_of(seconds).median; }
  [[nodiscard]] double min_s() const;
  [[nodiscard]] double max_s() const;
};

/// Returns an entrant whose runs go to `on`, timed by its stopwatch. `run` queues one run.
[[nodiscard]] entrant queued(const queue& on, std::string name, std::function<void()> run);

/// Lets the entrants take turns until `until` says stop, and returns why. A turn repeats the run
/// until it lasts about `turn_s`, so that the clock's grain and the launch gap do not count.
/// `after_round`, if given, is called while the last entrant's work has just ended.
verdict take_turns(std::vector<entrant>& entrants, const stop_rule& until, double turn_s = 2e-3,
                   const std::function<void()>& after_round = {});

/// The same for a number of rounds that is fixed.
inline void take_turns(std::vector<entrant>& entrants, int n_rounds, double turn_s = 2e-3) {
  take_turns(entrants, {n_rounds, n_rounds, 1e9, 0}, turn_s);
}

}  // namespace wingbeat::cli
