// SPDX-License-Identifier: Apache-2.0
// Families of tuning data to choose from: each candidate is a whole set that differs from the
// device's own in what one problem uses.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>
#include <vector>

#include "tuning/tuning.hpp"  // architecture
#include "wingbeat/plan.hpp"  // plan_spec

namespace wingbeat::bench {

/// Tuning data that owns its lists; those of rows are of the problem's kind.
struct candidate {
  std::string label;
  unsigned bank_bytes = 128;
  bool is_forward = true;
  std::vector<tuning::shape> whole, convolutions;
  std::vector<tuning::cluster_shape> lines, planes;
  std::vector<tuning::cut> cuts;
  std::vector<tuning::column_shape> columns, mirrored;
  std::vector<tuning::cluster_shape> column_lines;
  tuning::mirrored_limits unmeasured_mirrored = {};

  [[nodiscard]] tuning::architecture data() const {
    const tuning::row_shapes rows{
        .whole = whole, .lines = lines, .cuts = cuts, .planes = planes, .mirrored = mirrored};
    const tuning::shapes all{.rows = rows,
                             .rows_of_reals = rows,
                             .rows_of_bins = rows,
                             .columns = columns,
                             .column_lines = column_lines,
                             .convolutions = convolutions,
                             .unmeasured_mirrored = unmeasured_mirrored};
    return {.name = "candidate",
            .bank_bytes = bank_bytes,
            .fp32 = all,
            .fp64 = all,
            .stored_in_16_bits = all};
  }
};

/// Returns "2^15" or "32768" or "512x2^9" as lengths.
[[nodiscard]] std::vector<std::size_t> lengths_of(std::string_view text);

/// Returns the candidates of a family for a problem.
[[nodiscard]] std::vector<candidate> candidates_of(const std::string& family, const plan_spec& what,
                                                   const device_info& where);

}  // namespace wingbeat::bench
