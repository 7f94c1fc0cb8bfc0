// SPDX-License-Identifier: Apache-2.0
#include "cli/peers/bench_problem.hpp"

#include <utility>  // move

#include "cli/accuracy.hpp"    // oracle
#include "cli/messages.hpp"    // tell
#include "cli/sweep.hpp"       // axes_text
#include "wingbeat/error.hpp"  // error, plan_error

namespace wingbeat::cli {
namespace {

/// A contender and its place among the entrants that take turns.
struct participant {
  std::string name;
  std::unique_ptr<contender> who;
  agreement accuracy;
};

/// Runs once on fresh input and poisoned output, and compares.
agreement check(contender& who, const std::vector<std::byte>& block, const oracle& truth,
                const oracle::bin_map& bin_at = {}) {
  who.fill(block);
  static_cast<void>(who.time(1));
  // The first call of a contender is a run before this one; what it may have spoilt is put right.
  who.fill(block);
  static_cast<void>(who.time(1));
  return truth.judge(
      [&](std::size_t offset_bytes, std::span<std::byte> into) { who.read(offset_bytes, into); },
      bin_at);
}

bench_figures figures_of(const participant& one, const entrant& timed) {
  bench_figures made;
  made.name = one.name;
  made.seconds = quartiles_of(timed.seconds);
  made.min_s = timed.min_s();
  made.max_s = timed.max_s();
  made.prepared = one.who->prepared();
  made.accuracy = one.accuracy;
  return made;
}

/// Prepares and checks the peers; those that refuse are noted in `result` with their sentence.
std::vector<participant> peers_that_run(queue& on, const plan_spec& what, peer_list& peers,
                                        bench_buffers& memory, const std::vector<std::byte>& block,
                                        const oracle& truth, bench_result& result) {
  std::vector<participant> all;
  for (const auto& one : peers) {
    try {
      auto who = one->prepare(on, what, memory);
      const agreement found = check(*who, block, truth);
      all.push_back({one->name(), std::move(who), found});
    } catch (const error& refused) {
      tell("{} without peer {}: {}", axes_text(what), one->name(), refused.what());
      bench_figures absent;
      absent.name = one->name();
      absent.refused = refused.what();
      result.peers.push_back(absent);
    }
  }
  return all;
}

void describe(const plan& ours, bench_result& result) {
  result.plan_text = ours.explain();
  result.n_passes = ours.passes().size();
  result.traffic_bytes = ours.traffic_bytes();
  result.kernels = ours.resources();
}

/// Lets a peer that fails while it is timed be told from one whose times count.
struct lost_peer {
  std::size_t index;
  std::string why;
};

entrant entrant_of(participant& one, std::size_t index, bool is_peer) {
  return {one.name, [&one, index, is_peer](std::size_t n_runs) {
            try {
              return one.who->time(n_runs);
            } catch (const error& failed) {
              if (!is_peer) throw;
              throw lost_peer{index, failed.what()};
            }
          }};
}

/// Times copy and participants, again from the start without a peer that fails on the way.
std::vector<entrant> timed(queue& on, const plan_spec& what, bench_buffers& memory,
                           std::vector<participant>& all, clock_watch& clocks,
                           const stop_rule& until, bench_result& result) {
  for (;;) {
    std::vector<entrant> entrants{
        {"copy", [&](std::size_t n_runs) { return time_copies(on, what, memory, n_runs); }}};
    for (std::size_t i = 0; i < all.size(); ++i) {
      entrants.push_back(entrant_of(all[i], i, i > 0));
    }
    clocks.restart();
    try {
      result.ended = take_turns(entrants, until, 2e-3, [&] { clocks.sample(); });
      return entrants;
    } catch (const lost_peer& lost) {
      tell("{} without peer {}: {}", axes_text(what), all[lost.index].name, lost.why);
      bench_figures absent;
      absent.name = all[lost.index].name;
      absent.refused = lost.why;
      result.peers.push_back(absent);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(lost.index));
    }
  }
}

}  // namespace

bench_result run_problem(queue& on, const plan_spec& what, peer_list& peers, clock_watch& clocks,
                         const stop_rule& until) {
  if (what.bins == bin_order::scrambled && what.kind == transform::inverse) {
    throw plan_error(
        "scrambled bins of c2c-inverse mean other samples to each library; bench c2c with --bins "
        "scrambled, or the inverse in natural order");
  }
  bench_result result;
  result.what = what;
  // Planned before memory is asked for: a request that no engine plans may name any size.
  preparation times;
  plan planned = timed_plan(on, what, times);
  describe(planned, result);
  result.copied_bytes = copied_bytes(what);
  bench_buffers memory{on, what};
  const auto block = noise_block(what);
  const oracle truth{what, block};
  result.n_checked_transforms = truth.n_transforms();
  result.n_checked_elements = truth.n_elements();

  std::vector<participant> all;
  auto ours = std::make_unique<our_contender>(on, std::move(planned), times, memory);
  oracle::bin_map bin_at;
  if (what.bins == bin_order::scrambled) {
    bin_at = [&](std::size_t place) { return ours->bin_at(place); };
  }
  const agreement found = check(*ours, block, truth, bin_at);
  all.push_back({"wingbeat", std::move(ours), found});
  for (auto& one : peers_that_run(on, what, peers, memory, block, truth, result)) {
    all.push_back(std::move(one));
  }

  const auto entrants = timed(on, what, memory, all, clocks, until, result);
  result.n_rounds = static_cast<int>(entrants.front().seconds.size());
  result.copy_s = quartiles_of(entrants.front().seconds);
  result.ours = figures_of(all.front(), entrants[1]);
  for (std::size_t i = 1; i < all.size(); ++i) {
    result.peers.push_back(figures_of(all[i], entrants[i + 1]));
  }
  if (!clocks.sm_mhz().empty()) {
    result.clocks = {quartiles_of(clocks.sm_mhz()), quartiles_of(clocks.memory_mhz())};
  }
  return result;
}

}  // namespace wingbeat::cli
