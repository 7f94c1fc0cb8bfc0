// SPDX-License-Identifier: Apache-2.0
// One problem of the bench: wingbeat, a copy of the same bytes and a peer take turns.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "agreement.hpp"        // agreement
#include "wingbeat/buffer.hpp"  // buffer
#include "wingbeat/plan.hpp"    // plan_spec, kernel_resources

namespace wingbeat::cli {

/// How to measure.
struct bench_method {
  int n_rounds = 15;
  std::string peer;  ///< "cufft"; empty for none.
};

/// One entrant's figures.
struct bench_figures {
  double median_s = 0, min_s = 0, max_s = 0;
  double plan_s = 0;
  agreement accuracy;  ///< Of the worst of the rows that were checked.
};

struct bench_result {
  plan_spec what;
  std::size_t copied_bytes = 0;  ///< Read, and as many written: the mean of input and output.
  double copy_s = 0;             ///< Median of the rounds.
  bench_figures ours;
  bench_figures peer;  ///< All zero without one.
  std::string plan_text;
  std::size_t traffic_bytes = 0;
  std::vector<kernel_resources> kernels;

  [[nodiscard]] double fraction() const { return copy_s / ours.median_s; }
  [[nodiscard]] double peer_fraction() const {
    return peer.median_s > 0 ? copy_s / peer.median_s : 0;
  }
};

/// Buffers that every problem of a run shares; a problem fills its input with noise in [-1, 1].
struct bench_buffers {
  bench_buffers(const queue& on, std::size_t size_bytes);
  buffer in, out;
};

/// Plans, checks three rows of every entrant against the reference on poisoned output, then times.
[[nodiscard]] bench_result run_problem(queue& on, const plan_spec& what, bench_buffers& memory,
                                       const bench_method& how);

}  // namespace wingbeat::cli
