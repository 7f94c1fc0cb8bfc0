// SPDX-License-Identifier: Apache-2.0
#include "measure/rounds.hpp"

#include <algorithm>  // clamp, max, max_element, min_element
#include <chrono>     // steady_clock
#include <memory>     // make_shared
#include <utility>    // move

namespace wingbeat::measure {
namespace {

/// Warms the run up, because first runs load code and fill caches; returns the repetitions per
/// turn.
std::size_t repetitions_of(const timed_run& run, double turn_s) {
  run.time(2);
  const double run_s = std::max(run.time(1), 1e-7);
  return static_cast<std::size_t>(std::clamp(turn_s / run_s, 1.0, 1000.0));
}

double worst_confidence(const std::vector<timed_run>& runs) {
  double worst = 0;
  for (const timed_run& run : runs) worst = std::max(worst, relative_confidence(run.seconds));
  return worst;
}

}  // namespace

double timed_run::min_s() const {
  return *std::min_element(seconds.begin(), seconds.end());
}

double timed_run::max_s() const {
  return *std::max_element(seconds.begin(), seconds.end());
}

timed_run queued_run(const queue& on, std::string name, std::function<void()> enqueue) {
  const auto watch = std::make_shared<stopwatch>(on);
  return {std::move(name), [watch, enqueue = std::move(enqueue)](std::size_t n_runs) {
            watch->start();
            for (std::size_t i = 0; i < n_runs; ++i) enqueue();
            watch->stop();
            return watch->seconds();
          }};
}

std::size_t calls_per_turn(double run_s, double turn_s) {
  constexpr double max_calls = 100;
  return static_cast<std::size_t>(std::clamp(turn_s / std::max(run_s, 1e-9), 1.0, max_calls));
}

stop_reason take_turns(std::vector<timed_run>& runs, const stop_rule& rule, double turn_s,
                       const std::function<void()>& after_round,
                       const std::function<double(double)>& agree) {
  std::vector<std::size_t> repetitions;
  for (const timed_run& run : runs) repetitions.push_back(repetitions_of(run, turn_s));
  const auto begin = std::chrono::steady_clock::now();
  for (int n_rounds = 1;; ++n_rounds) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const double turn_seconds = runs[i].time(repetitions[i]);
      runs[i].seconds.push_back(turn_seconds / static_cast<double>(repetitions[i]));
    }
    if (after_round) after_round();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    const double elapsed_s = agree ? agree(elapsed.count()) : elapsed.count();
    const stop_reason reason = stop_reason_of(rule, n_rounds, elapsed_s, worst_confidence(runs));
    if (reason != stop_reason::none) return reason;
  }
}

}  // namespace wingbeat::measure
