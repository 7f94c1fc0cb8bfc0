// SPDX-License-Identifier: Apache-2.0
// Families of tuning data to choose from: each candidate is a whole set that differs from the
// device's own in what one problem uses.
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

/// Tuning data that owns its lists; those of rows are of the problem's kind.
struct candidate {
  std::string label;
  unsigned bank_bytes = 128;
  bool is_forward = true;
  std::vector<tuning::shape> whole, convolutions, primes, primes_of_reals, chirps, lines, planes,
      columns, mirrored, column_lines;
  std::vector<tuning::cut> cuts;
  tuning::mirrored_limits unmeasured_mirrored = {};
  tuning::placement_rules placing = {};
  bool spreads = true;          ///< Calls of few transforms take fewer lanes than the shapes say.
  tuning::shape of_lines = {};  ///< Of lines of reals, in place of that by rule; length 1: none.

  [[nodiscard]] tuning::architecture data() const {
    const tuning::row_shapes rows{
        .whole = whole, .lines = lines, .cuts = cuts, .planes = planes, .mirrored = mirrored};
    const tuning::shapes all{.rows = rows,
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
                                .fp32 = all,
                                .fp64 = all,
                                .stored_in_16_bits = all,
                                .placing = placing};
    if (!spreads) result.placing.least_workgroups_per_unit = 0;
    return result;
  }
};

using list = std::vector<candidate>;

/// Returns "2^15" or "32768" or "512x2^9" as lengths.
[[nodiscard]] std::vector<std::size_t> lengths_of(std::string_view text);

/// Returns the candidates of a family for a problem.
[[nodiscard]] std::vector<candidate> candidates_of(const std::string& family, const plan_spec& spec,
                                                   const device_info& device);

/// Adds shapes of lines of reals that become reals.
void add_real_lines(list& candidates, const candidate& base, const plan_spec& spec);

/// Gives the pass of such lines the shape of a candidate.
void reshape(planner::pass& lines, const tuning::shape& shape);

/// Adds the built-in shapes with other launches: none early, all early, none spread.
void add_launches(list& candidates, const candidate& base);

/// Adds shapes for calls of few transforms.
void add_few(list& candidates, const candidate& base, const plan_spec& spec);

/// Adds shapes of what one workgroup takes. Returns false, and adds nothing, of other families.
bool add_row_shapes(list& candidates, const candidate& base, const std::string& family,
                    const plan_spec& spec);

/// The same of what clusters take, and of the passes that long axes are cut into.
bool add_cut_shapes(list& candidates, const candidate& base, const std::string& family,
                    const plan_spec& spec);

/// Returns the complex numbers of the last axis.
[[nodiscard]] std::size_t row_of(const plan_spec& spec);

/// Returns a shape as the lists of src/tuning have it.
[[nodiscard]] std::string text_of(const tuning::shape& shape);

/// Puts a shape in the place of those of its length; and names it.
void put(std::vector<tuning::shape>& shapes, const tuning::shape& shape);
void put(std::vector<tuning::shape>& shapes, std::string& label, const tuning::shape& shape);

/// How far ahead input is prefetched; 0: not at all.
inline constexpr unsigned prefetch_mib_to_try[] = {0, 4, 8};

/// Returns the divisors of a length that a thread can hold.
[[nodiscard]] std::vector<unsigned> divisors_to_try(std::size_t n);

}  // namespace wingbeat::bench
