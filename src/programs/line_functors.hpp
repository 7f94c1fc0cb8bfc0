// SPDX-License-Identifier: Apache-2.0
// The load and the store of an inner transform whose rows are lines of reals. The lines are in
// memory, or elements of a request's functor, which numbers rows over all axes.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "arrays/array.hpp"         // array
#include "programs/line_calls.hpp"  // line_reduction, line_numbers
#include "programs/program.hpp"     // argument_source
#include "wingbeat/fusion.hpp"      // fused_load, fused_store

namespace wingbeat::programs {

/// Returns the lines of an array along an axis, at the indices `ranges` of the other axes.
[[nodiscard]] line_numbers lines_of(const arrays::array& memory, std::size_t axis,
                                    const std::vector<index_range>& ranges);

/// The lines of one side, and the request's functor that replaces their memory, if it has one.
template <class Functor>
struct line_side {
  const arrays::array& memory;
  line_numbers lines;
  Functor functor = {};
  bool multiplies = false;              ///< `functor` loads factors of what lies in memory.
  std::size_t multiplied_elements = 0;  ///< Elements of a row of coefficients.
  bool shares_text = false;             ///< The functor at the other end has the same text.

  /// Returns the number of elements in one of its rows.
  [[nodiscard]] std::size_t row_elements() const { return memory.valid_elements(); }
  /// Returns the number of operands before those of `functor`: roots and its parameters.
  [[nodiscard]] std::size_t own_operands() const {
    return (lines.has_roots ? 1 : 0) + (functor.source.parameters.empty() ? 0 : 1);
  }
};

/// Returns the sources of a functor's operands in a run.
template <class Functor>
std::vector<argument_source> arguments_of(const line_side<Functor>& side, const constant& roots) {
  std::vector<argument_source> list;
  if (side.lines.has_roots) list.emplace_back(roots);
  if (!side.functor.source.parameters.empty())
    list.emplace_back(constant{side.functor.source.parameters});
  for (std::size_t i = 0; i < side.functor.operands.size(); ++i)
    list.emplace_back(run_operand{i, side.multiplies});
  return list;
}

/// Returns the load of an inner transform with arithmetic in `real` and `row_values` numbers per
/// row.
[[nodiscard]] fused_load load_of(const line_side<fused_load>& side, precision real,
                                 std::size_t row_values, const line_reduction& functor);

/// Returns the load of rows of reals that become bins, are multiplied and become reals again, from
/// lines in memory; for engines that compile kernels.
[[nodiscard]] fused_load diagonal_load_of(const line_side<fused_load>& side, precision real,
                                          const line_reduction& functor);

/// Returns the store of an inner transform.
[[nodiscard]] fused_store store_of(const line_side<fused_store>& side, precision real,
                                   std::size_t row_values, const line_reduction& functor);

}  // namespace wingbeat::programs
