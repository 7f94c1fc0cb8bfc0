// SPDX-License-Identifier: Apache-2.0
#include "cli/peers/bench_problem.hpp"

#include <algorithm>  // min
#include <utility>    // move

#include "cli/messages.hpp"          // print_message
#include "cli/peers/queue_runs.hpp"  // bench_buffers, make_wingbeat_run
#include "cli/sweep.hpp"             // axes_text
#include "measure/rounds.hpp"        // timed_run, take_turns, calls_per_turn
#include "measure/wall_time.hpp"     // seconds_of
#include "request/traits.hpp"        // traits_of
#include "text/reject.hpp"           // reject
#include "verify/judge.hpp"          // judge
#include "wingbeat/error.hpp"        // error, plan_error

namespace wingbeat::cli {
namespace {

using measure::library_run;
using measure::timed_run;

/// A library whose output was checked and whose runs are to be timed.
struct checked_run {
  bench_figures figures;
  std::unique_ptr<library_run> run;
  std::vector<double> call_s = {};  ///< Of one call, a value for each round.
};

/// Runs on fresh input and poisoned output, and compares.
verify::agreement check(library_run& run, const std::vector<std::byte>& block, verify::judge& truth,
                        const verify::bin_map& bin_at = {}) {
  run.fill(block);
  static_cast<void>(run.time(1));
  // The first call of `time` makes an extra run, which in place transforms its own output. The
  // refilled input lets the second call start afresh.
  run.fill(block);
  static_cast<void>(run.time(1));
  return truth(
      [&](std::size_t offset_bytes, std::span<std::byte> into) { run.read(offset_bytes, into); },
      bin_at);
}

bench_figures figures_of(const checked_run& library, const timed_run& timed) {
  bench_figures figures = library.figures;
  figures.seconds = measure::quartiles_of(timed.seconds);
  figures.min_s = timed.min_s();
  figures.max_s = timed.max_s();
  figures.prepared = library.run->prepared();
  if (!library.call_s.empty()) {
    figures.enqueue_s = measure::quartiles_of(library.call_s).median;
  }
  return figures;
}

/// Leaves a peer out of the rest of the problem, with a message.
void leave_out(const std::string& name, const std::string& reason, bench_result& result) {
  print_message("{} without peer {}: {}", axes_text(result.spec), name, reason);
  result.peers.push_back({.name = name, .refused = reason});
}

/// Prepares and checks the peers; those that refuse are recorded in `result`.
std::vector<checked_run> check_peers(queue& on, peer_list& peers, bench_buffers& memory,
                                     const std::vector<std::byte>& block, verify::judge& truth,
                                     bench_result& result) {
  std::vector<checked_run> checked;
  for (const auto& peer : peers) {
    try {
      auto run = peer->prepare(on, result.spec, memory);
      const verify::agreement accuracy = check(*run, block, truth);
      checked.push_back({{.name = peer->name(), .accuracy = accuracy}, std::move(run)});
    } catch (const error& refused) {
      leave_out(peer->name(), refused.what(), result);
    }
  }
  return checked;
}

/// Thrown when a peer fails while it is timed; `index` is its place among the libraries.
struct lost_peer {
  std::size_t index;
  std::string reason;
};

timed_run timed_run_of(checked_run& library, std::size_t index, bool is_peer) {
  return {library.figures.name, [&library, index, is_peer](std::size_t n_runs) {
            try {
              return library.run->time(n_runs);
            } catch (const error& failed) {
              if (!is_peer) throw;
              throw lost_peer{index, failed.what()};
            }
          }};
}

/// Times the copy and the libraries. Starts again without a peer that fails meanwhile.
std::vector<timed_run> time_all(queue& on, bench_buffers& memory,
                                std::vector<checked_run>& libraries, measure::clock_watch& clocks,
                                const measure::stop_rule& rule, bench_result& result) {
  for (;;) {
    std::vector<timed_run> runs{
        {"copy", [&](std::size_t n_runs) { return time_copies(on, result.spec, memory, n_runs); }}};
    for (std::size_t i = 0; i < libraries.size(); ++i) {
      runs.push_back(timed_run_of(libraries[i], i, /*is_peer=*/i > 0));
    }
    clocks.restart();
    try {
      result.stopped_by = measure::take_turns(runs, rule, 2e-3, [&] { clocks.sample(); });
      return runs;
    } catch (const lost_peer& lost) {
      leave_out(libraries[lost.index].figures.name, lost.reason, result);
      libraries.erase(libraries.begin() + static_cast<std::ptrdiff_t>(lost.index));
    }
  }
}

/// Times calls in rounds in which the libraries, wingbeat first, alternate. A peer that refuses or
/// fails keeps its other figures.
void time_calls(std::vector<checked_run>& libraries, const std::vector<timed_run>& runs,
                const measure::stop_rule& rule, const plan_spec& spec) {
  constexpr int max_rounds = 9;
  std::vector<bool> is_timed(libraries.size(), true);
  const auto take_turn = [&](std::size_t i) {
    const std::size_t n_calls = measure::calls_per_turn(runs[i + 1].median_s());
    try {
      const double seconds = libraries[i].run->time_calls(n_calls);
      libraries[i].call_s.push_back(seconds / static_cast<double>(n_calls));
    } catch (const error& failed) {
      if (i == 0) throw;
      is_timed[i] = false;
      libraries[i].call_s.clear();
      print_message("{} without the calls of peer {}: {}", axes_text(spec),
                    libraries[i].figures.name, failed.what());
    }
  };
  double elapsed_s = 0;
  for (int round = 0; round < std::min(max_rounds, rule.max_rounds); ++round) {
    elapsed_s += measure::seconds_of([&] {
      for (std::size_t i = 0; i < libraries.size(); ++i) {
        if (is_timed[i]) take_turn(i);
      }
    });
    if (elapsed_s > rule.max_seconds) return;
  }
}

/// Records the times of the copy, of wingbeat, which is the first library, and of the peers.
void record_times(const std::vector<checked_run>& libraries, const std::vector<timed_run>& runs,
                  const measure::clock_watch& clocks, bench_result& result) {
  const timed_run& copy = runs.front();
  result.n_rounds = static_cast<int>(copy.seconds.size());
  result.copy_s = measure::quartiles_of(copy.seconds);
  result.ours = figures_of(libraries.front(), runs[1]);
  for (std::size_t i = 1; i < libraries.size(); ++i) {
    result.peers.push_back(figures_of(libraries[i], runs[i + 1]));
  }
  if (!clocks.sm_mhz().empty()) {
    result.clocks = {measure::quartiles_of(clocks.sm_mhz()),
                     measure::quartiles_of(clocks.memory_mhz())};
  }
}

}  // namespace

plan_description description_of(const plan& planned) {
  return {planned.explain(), planned.passes().size(), planned.traffic_bytes(), planned.resources()};
}

bench_result run_problem(queue& on, const plan_spec& spec, peer_list& peers,
                         measure::clock_watch& clocks, const bench_rule& rule) {
  reject_if(
      spec.bins == bin_order::scrambled && !request::traits_of(spec.kind).is_forward,
      "scrambled bins of c2c-inverse mean other samples to each library; bench c2c with --bins "
      "scrambled, or the inverse in natural order");
  bench_result result;
  result.spec = spec;
  // Plans before it allocates, because a request that no engine plans may have any size.
  measure::preparation times;
  plan planned = time_planning(on, spec, times);
  result.planned = description_of(planned);
  result.copied_bytes = copied_bytes(spec);
  bench_buffers memory{on, spec};
  const auto block = verify::noise_block(spec);
  verify::judge truth{{spec, verify::reader_of(block), spec.real}, verify::check_extent::few};
  result.n_checked_transforms = truth.n_samples();
  result.n_checked_elements = truth.n_elements();

  auto ours = make_wingbeat_run(on, std::move(planned), times, memory);
  verify::bin_map bin_at;
  if (spec.bins == bin_order::scrambled) {
    bin_at = [&run = *ours](std::size_t index) { return run.bin_at(index); };
  }
  const verify::agreement accuracy = check(*ours, block, truth, bin_at);
  std::vector<checked_run> libraries;
  libraries.push_back({{.name = "wingbeat", .accuracy = accuracy}, std::move(ours)});
  for (auto& checked : check_peers(on, peers, memory, block, truth, result)) {
    libraries.push_back(std::move(checked));
  }
  const auto runs = time_all(on, memory, libraries, clocks, rule.stop, result);
  if (rule.times_calls) time_calls(libraries, runs, rule.stop, spec);
  record_times(libraries, runs, clocks, result);
  return result;
}

}  // namespace wingbeat::cli
