// SPDX-License-Identifier: Apache-2.0
// Families of tuning data to choose from. Each candidate is a whole set, which differs from the
// device's own in the entries that one problem uses.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>
#include <vector>

#include "planner/pass.hpp"    // pass
#include "request/traits.hpp"  // traits_of
#include "tuning/tuning.hpp"   // architecture
#include "wingbeat/plan.hpp"   // plan_spec

namespace wingbeat::bench {

/// Tuning data that owns its lists; lists of rows are for the problem's kind.
struct candidate {
  std::string label;
  unsigned bank_bytes = 128;
  bool is_forward = true;
  std::vector<tuning::shape> whole, convolutions, primes, primes_of_reals, chirps, lines, planes,
      columns, mirrored, column_lines;
  std::vector<tuning::cut> cuts;
  tuning::mirrored_limits unmeasured_mirrored = {};
  tuning::placement_rules placing = {};
  bool spreads = true;          ///< Calls of few transforms take fewer lanes than the shapes.
  tuning::shape of_lines = {};  ///< For lines of reals instead of the rule; length 1: none.

  [[nodiscard]] tuning::architecture data() const {
    const tuning::row_shapes rows{
        .whole = whole, .lines = lines, .cuts = cuts, .planes = planes, .mirrored = mirrored};
    const tuning::shapes shapes{.rows = rows,
                                .rows_of_reals = rows,
                                .rows_of_bins = rows,
                                .convolutions = convolutions,
                                .primes = primes,
                                .primes_of_reals = primes_of_reals,
                                .chirps = chirps,
                                .columns = columns,
                                .column_lines = column_lines,
                                .unmeasured_mirrored = unmeasured_mirrored};
    tuning::architecture result{.name = "candidate",
                                .bank_bytes = bank_bytes,
                                .fp32 = shapes,
                                .fp64 = shapes,
                                .stored_in_16_bits = shapes,
                                .placing = placing};
    if (!spreads) result.placing.least_workgroups_per_unit = 0;
    return result;
  }
};

/// Returns "2^15" or "32768" or "512x2^9" as lengths.
[[nodiscard]] std::vector<std::size_t> lengths_of(std::string_view text);

/// Returns the candidates of a family for a problem, built-in ones first.
[[nodiscard]] std::vector<candidate> candidates_of(const std::string& family, const plan_spec& spec,
                                                   const device_info& device);

/// Sets a candidate's shape in a pass of lines of reals that become reals.
void reshape(planner::pass& lines, const tuning::shape& shape);

}  // namespace wingbeat::bench
