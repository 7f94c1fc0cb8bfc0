// SPDX-License-Identifier: Apache-2.0
// A transform over several devices, or processes, beside the same on the first of them.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>

#include "measure/statistics.hpp"         // stop_rule
#include "wingbeat/distributed_plan.hpp"  // distributed_spec
#include "wingbeat/domain.hpp"            // domain

namespace wingbeat::cli {

struct distributed_run {
  double several_s = 0;              ///< Median of wall times, from the first call to the last's
  std::optional<double> one_s = {};  ///< end. Unset where one device has no memory for it.
  bool uses_one_device = false;
  std::size_t sent_bytes = 0;  ///< From all ranks to others.
  /// The largest difference between both results, relative to the largest number of their sample of
  /// rows.
  std::optional<double> difference = {};
  std::string explained = {};  ///< The plan in words.
};

/// Returns a refusal of a request for ranks with the options of commands in place of its fields.
[[nodiscard]] std::string in_options(std::string refusal);

/// Runs both on the same noise, and measures them in turns; over several processes all call this,
/// and rank 0 makes the second one. Throws as plans and buffers do.
[[nodiscard]] distributed_run run_distributed(domain& ranks, const distributed_spec& spec,
                                              const measure::stop_rule& rule);

}  // namespace wingbeat::cli
