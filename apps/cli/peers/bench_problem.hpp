// SPDX-License-Identifier: Apache-2.0
// One problem of the bench: wingbeat, a copy of the same bytes and every peer take turns.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>
#include <vector>

#include "cli/agreement.hpp"         // agreement
#include "cli/peers/peer.hpp"        // peer_list
#include "cli/peers/queue_runs.hpp"  // preparation
#include "measure/clocks.hpp"        // clock_watch
#include "measure/rounds.hpp"        // stop_rule, verdict
#include "wingbeat/plan.hpp"         // plan_spec, kernel_resources

namespace wingbeat::cli {

/// One entrant's figures.
struct bench_figures {
  std::string name;
  quartiles seconds;
  double min_s = 0, max_s = 0;
  preparation prepared;
  agreement accuracy;   ///< Of the worst of the transforms that were checked.
  std::string refused;  ///< Why it did not run; empty: it did.
};

/// The clocks seen after each round, in MHz.
struct bench_clocks {
  quartiles sm_mhz, memory_mhz;
};

struct bench_result {
  plan_spec what;
  std::string refused;  ///< wingbeat's sentence where it does not plan this; then no figures.
  std::size_t copied_bytes = 0;  ///< Read, and as many written: the mean of input and output.
  quartiles copy_s;
  bench_figures ours;
  std::vector<bench_figures> peers;  ///< One for each peer that could be asked.
  int n_rounds = 0;
  verdict ended = verdict::goes_on;
  std::size_t n_checked_transforms = 0;
  std::size_t n_checked_elements = 0;
  std::string plan_text;
  std::size_t n_passes = 0;  ///< See `plan::passes`; 0 on engines that compile no kernels.
  std::size_t traffic_bytes = 0;
  std::vector<kernel_resources> kernels;
  std::optional<bench_clocks> clocks;

  /// Returns the copy's time over that of `of`; 0 where it did not run.
  [[nodiscard]] double fraction(const bench_figures& of) const {
    return of.seconds.median > 0 ? copy_s.median / of.seconds.median : 0;
  }
  /// Returns the peer's time over ours; 0 where it did not run.
  [[nodiscard]] double ratio(const bench_figures& peer) const {
    return ours.seconds.median > 0 ? peer.seconds.median / ours.seconds.median : 0;
  }
};

/// Plans, checks transforms of every entrant against the definition on poisoned output, then times.
/// A peer that fails or refuses is left out of the rest; a refusal of wingbeat's own throws.
[[nodiscard]] bench_result run_problem(queue& on, const plan_spec& what, peer_list& peers,
                                       clock_watch& clocks, const stop_rule& until);

}  // namespace wingbeat::cli
