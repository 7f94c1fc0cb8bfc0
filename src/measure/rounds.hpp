// SPDX-License-Identifier: Apache-2.0
// Times several runs against each other: each is warmed up, then they take turns in rounds.
#pragma once

#include <cstddef>     // size_t
#include <functional>  // function
#include <string>
#include <vector>

#include "measure/statistics.hpp"  // stop_rule, stop_reason
#include "wingbeat/queue.hpp"      // queue

namespace wingbeat::measure {

/// A run and its times, one per round, each the mean of that turn's repetitions.
struct timed_run {
  std::string name;
  std::function<double(std::size_t n_runs)> time;  ///< Runs `n_runs` times; returns their seconds.
  std::vector<double> seconds = {};

  [[nodiscard]] double median_s() const { return quartiles_of(seconds).median; }
  [[nodiscard]] double min_s() const;
  [[nodiscard]] double max_s() const;
};

/// Returns a run that is queued on `on` and timed by a stopwatch there. `enqueue` queues it once.
[[nodiscard]] timed_run queued_run(const queue& on, std::string name,
                                   std::function<void()> enqueue);

/// Times the runs in turns until `rule` ends it, and returns why. A turn repeats its run for about
/// `turn_s`, so that the clock's resolution and the time between launches do not count.
/// `after_round`, if given, is called right after the last run of each round. Processes that take
/// turns together `agree` on the elapsed seconds, so that all stop at once.
stop_reason take_turns(std::vector<timed_run>& runs, const stop_rule& rule, double turn_s = 2e-3,
                       const std::function<void()>& after_round = {},
                       const std::function<double(double elapsed_s)>& agree = {});

/// Returns how many calls to time back to back if a run takes `run_s`: about `turn_s` of work, 1 to
/// 100 calls. A driver queues about 1,000 launches before a call waits, and a call has up to ten.
[[nodiscard]] std::size_t calls_per_turn(double run_s, double turn_s = 0.05);

/// Times the runs in a fixed number of rounds.
inline void take_turns(std::vector<timed_run>& runs, int n_rounds, double turn_s = 2e-3) {
  take_turns(runs, {n_rounds, n_rounds, 1e9, 0}, turn_s);
}

}  // namespace wingbeat::measure
