// SPDX-License-Identifier: Apache-2.0
// Functors whose rows are lines of reals, as texts: lines of memory, or of a request's functor.
#pragma once

#include <cstddef>  // size_t
#include <string_view>
#include <vector>

#include "wingbeat/device/functors/real_lines.hpp"  // line_numbers
#include "wingbeat/fusion.hpp"                      // fused_source, kernel_parameter
#include "wingbeat/plan.hpp"                        // precision

namespace wingbeat::kernel_text {

/// A class of device/functors and its arguments.
struct line_text {
  std::string_view functor;    ///< real_load, real_store or diagonal_load.
  std::string_view reduction;  ///< A class of reductions.hpp or diagonals.hpp, by its full name.
  precision stored;            ///< Lines in memory.
  precision real;              ///< What is computed with.
  const device::functors::line_numbers& lines;
};

/// A functor of a request.
struct line_functor {
  std::string_view end;     ///< load, store or multiplier.
  std::string_view memory;  ///< Which class of device/functors takes it for memory; empty: none.
  std::size_t row_elements;
  const fused_source& source;
  const std::vector<kernel_parameter>& operands;
  bool shares_text;  ///< With another functor of the kernel.
};

/// Returns the text over lines in memory.
[[nodiscard]] fused_source source_of(const line_text& text);

/// Returns the text of what calls a request's functor.
[[nodiscard]] fused_source source_of(const line_text& text, const line_functor& functor);

}  // namespace wingbeat::kernel_text
