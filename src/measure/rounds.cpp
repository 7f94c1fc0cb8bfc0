// SPDX-License-Identifier: Apache-2.0
#include "measure/rounds.hpp"

#include <algorithm>  // clamp, max, min_element
#include <chrono>     // steady_clock
#include <memory>     // make_shared
#include <utility>    // move

namespace wingbeat::cli {
namespace {

/// Returns how many runs make a turn. The first runs load code and fill caches.
std::size_t repeats_of(const entrant& one, double turn_s) {
  one.time(2);
  const double once = std::max(one.time(1), 1e-7);
  return static_cast<std::size_t>(std::clamp(turn_s / once, 1.0, 1000.0));
}

double worst_confidence(const std::vector<entrant>& entrants) {
  double worst = 0;
  for (const entrant& one : entrants) worst = std::max(worst, relative_confidence(one.seconds));
  return worst;
}

}  // namespace

double entrant::min_s() const {
  return *std::min_element(seconds.begin(), seconds.end());
}

double entrant::max_s() const {
  return *std::max_element(seconds.begin(), seconds.end());
}

entrant queued(const queue& on, std::string name, std::function<void()> run) {
  const auto watch = std::make_shared<stopwatch>(on);
  return {std::move(name), [watch, run = std::move(run)](std::size_t n_runs) {
            watch->start();
            for (std::size_t i = 0; i < n_runs; ++i) run();
            watch->stop();
            return watch->seconds();
          }};
}

verdict take_turns(std::vector<entrant>& entrants, const stop_rule& until, double turn_s,
                   const std::function<void()>& after_round) {
  std::vector<std::size_t> repeats;
  for (const entrant& one : entrants) repeats.push_back(repeats_of(one, turn_s));
  const auto begin = std::chrono::steady_clock::now();
  for (int n_rounds = 1;; ++n_rounds) {
    for (std::size_t e = 0; e < entrants.size(); ++e) {
      const double all_s = entrants[e].time(repeats[e]);
      entrants[e].seconds.push_back(all_s / static_cast<double>(repeats[e]));
    }
    if (after_round) after_round();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    const verdict now = judge(until, n_rounds, elapsed.count(), worst_confidence(entrants));
    if (now != verdict::goes_on) return now;
  }
}

}  // namespace wingbeat::cli
