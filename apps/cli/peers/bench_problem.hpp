// SPDX-License-Identifier: Apache-2.0
// One problem of the bench: wingbeat, a copy of the same bytes and all peers alternate.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>
#include <vector>

#include "cli/peers/peer.hpp"       // peer_list
#include "measure/clocks.hpp"       // clock_watch
#include "measure/library_run.hpp"  // preparation
#include "measure/statistics.hpp"   // quartiles, stop_rule, stop_reason
#include "verify/agreement.hpp"     // agreement
#include "wingbeat/plan.hpp"        // plan_spec, kernel_resources

namespace wingbeat::cli {

/// The description of a plan.
struct plan_description {
  std::string text;
  std::size_t n_passes = 0;  ///< See `plan::passes`; 0 on engines that compile no kernels.
  std::size_t traffic_bytes = 0;
  std::vector<kernel_resources> kernels;
};
[[nodiscard]] plan_description description_of(const plan& planned);

/// The figures of one library.
struct bench_figures {
  std::string name;
  measure::quartiles seconds = {};
  double min_s = 0, max_s = 0;
  measure::preparation prepared = {};
  double enqueue_s = -1;            ///< Time of a call on its thread; negative: not measured.
  verify::agreement accuracy = {};  ///< The worst of the checked transforms.
  std::string refused = {};         ///< Why it did not run; empty: it did.
};

/// How a problem is measured.
struct bench_rule {
  measure::stop_rule stop;
  bool times_calls = false;  ///< Also measures the calling thread's time.
};

/// The clocks after each round, in MHz.
struct bench_clocks {
  measure::quartiles sm_mhz, memory_mhz;
};

struct bench_result {
  plan_spec spec;
  std::string refused;           ///< Why wingbeat did not run it; the rest is then empty.
  std::size_t copied_bytes = 0;  ///< See `cli::copied_bytes`.
  measure::quartiles copy_s;
  bench_figures ours;
  std::vector<bench_figures> peers;  ///< One for each peer that could be opened.
  int n_rounds = 0;
  measure::stop_reason stopped_by = measure::stop_reason::none;
  std::size_t n_checked_transforms = 0;
  std::size_t n_checked_elements = 0;
  plan_description planned;
  std::optional<bench_clocks> clocks;

  /// Returns the copy's time over the library's; 0 if the library did not run.
  [[nodiscard]] double fraction(const bench_figures& library) const {
    return library.seconds.median > 0 ? copy_s.median / library.seconds.median : 0;
  }
  /// Returns the peer's time over wingbeat's; 0 if wingbeat did not run.
  [[nodiscard]] double ratio(const bench_figures& peer) const {
    return ours.seconds.median > 0 ? peer.seconds.median / ours.seconds.median : 0;
  }
};

/// Plans the problem, checks transforms of every library against the definition on poisoned output,
/// then times them. A peer that fails or refuses is left out; a refusal by wingbeat throws. A peer
/// without times of calls is left out of these only.
[[nodiscard]] bench_result run_problem(queue& on, const plan_spec& spec, peer_list& peers,
                                       measure::clock_watch& clocks, const bench_rule& rule);

}  // namespace wingbeat::cli
