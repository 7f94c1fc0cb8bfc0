// SPDX-License-Identifier: Apache-2.0
// A transform over several devices or processes, compared with the same on the first device.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>

#include "measure/statistics.hpp"         // stop_rule
#include "wingbeat/distributed_plan.hpp"  // distributed_spec
#include "wingbeat/domain.hpp"            // domain

namespace wingbeat::cli {

struct distributed_run {
  double several_s = 0;              ///< Median wall time of all calls, from the first to
  std::optional<double> one_s = {};  ///< the last. Unset: one device has no memory for it.
  bool uses_one_device = false;
  std::size_t sent_bytes = 0;  ///< From all ranks to others.
  /// The largest difference of both results' sampled rows, relative to the largest number in them.
  std::optional<double> difference = {};
  std::string explained = {};  ///< The plan's `explain`.
};

/// Returns a message about a request for ranks, with the options of commands for its fields.
[[nodiscard]] std::string in_options(std::string refusal);

/// Runs both on the same noise and measures them in alternation. All processes call this; rank 0
/// runs on one device. Throws as plans and buffers do.
[[nodiscard]] distributed_run run_distributed(domain& ranks, const distributed_spec& spec,
                                              const measure::stop_rule& rule);

}  // namespace wingbeat::cli
