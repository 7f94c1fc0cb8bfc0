// SPDX-License-Identifier: Apache-2.0
// A request as passes over memory, one for each axis, with the places that each pass reads and
// writes. Arithmetic on sizes alone.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "arrays/array.hpp"          // array, place
#include "arrays/dimension.hpp"      // dimension
#include "backend/host/kernels.hpp"  // stored
#include "request/resolved.hpp"      // resolved_spec
#include "wingbeat/plan.hpp"         // transform, index_range

namespace wingbeat::backend::host {

using arrays::place;

/// One end of a pass: the numbers along its axis. Strides and offsets count stored reals, or
/// elements where a functor stands there.
struct pass_end {
  place location = place::input;
  stored type = stored::own;
  bool is_functor = false;
  bool takes_rows = false;         ///< A call of the functor takes a whole row.
  std::string functor_title = {};  ///< See `title_of_functor`.
  std::size_t imaginary_at = 0;    ///< 0: real; 1: pairs; else planar.
  std::size_t length = 1;          ///< Of the axis on this side; N/2+1 of a half spectrum.
  index_range valid;               ///< The indices of the axis that are in memory.
  std::size_t stride = 1;          ///< From one of them to the next.
  std::size_t first = 0;           ///< Where the first of them is in the first column.
  std::size_t points = 1;          ///< Elements of one whole transform, for functors.

  [[nodiscard]] bool is_real() const { return imaginary_at == 0; }
  [[nodiscard]] bool is_whole() const { return valid.first == 0 && valid.end == length; }

  /// Returns the stride of elements that are neighbours.
  [[nodiscard]] std::size_t unit() const { return imaginary_at == 1 && !is_functor ? 2 : 1; }

  /// Returns whether kernels can work on a column in this memory.
  [[nodiscard]] bool is_plain() const {
    return type == stored::own && !is_functor && imaginary_at <= 1 && is_whole();
  }
};

/// One axis, transformed in all columns whose indices along other axes are valid: neither known
/// zeros nor outputs that are not stored.
struct pass {
  request::traits kind = request::traits_of(transform::forward);  ///< Along this axis.
  std::size_t axis = 0;
  std::size_t length = 1;       ///< N
  bool orthogonalizes = false;  ///< See plan_spec.
  pass_end in;
  pass_end out;
  std::vector<arrays::dimension> repeats;  ///< Slowest first; never empty.
  /// Equal parts of the columns: one for each index of axis 0, if that is the slowest dimension.
  std::size_t n_slabs = 1;

  [[nodiscard]] std::size_t n_columns() const;

  /// Returns whether a real transform has odd length: unless a method of reals takes it, it is a
  /// complex one of the whole length.
  [[nodiscard]] bool has_whole_reals() const;

  /// Returns the complex numbers of one transform: half the length of real rows of even length.
  [[nodiscard]] std::size_t complex_length() const;
};

/// Calls `work(in_offset, out_offset, count)` for columns `first` to `first` + `count`, in runs
/// along the fastest dimension.
template <class Work>
void by_runs(const std::vector<arrays::dimension>& repeats, std::size_t first, std::size_t count,
             Work work) {
  while (count > 0) {
    std::size_t in = 0, out = 0, rest = first;
    for (std::size_t r = repeats.size(); r-- > 0; rest /= repeats[r].count) {
      in += rest % repeats[r].count * repeats[r].in;
      out += rest % repeats[r].count * repeats[r].out;
    }
    const std::size_t left = repeats.back().count - first % repeats.back().count;
    const std::size_t run = left < count ? left : count;
    work(in, out, run);
    first += run;
    count -= run;
  }
}

/// The passes of a request, and the bytes of the workspace between them.
struct pass_list {
  std::vector<pass> passes;
  std::size_t work_bytes = 0;
};

/// Returns how kernels read numbers of a precision.
[[nodiscard]] stored stored_as(precision real);

/// Returns the passes over `counts` transforms of each batch dimension of a validated request.
[[nodiscard]] pass_list passes_of(const request::resolved_spec& request,
                                  const std::vector<std::size_t>& counts);

/// Returns stored reals (elements, for a functor) from one transform of each batch dimension to the
/// next.
[[nodiscard]] std::vector<std::size_t> distances_of(const arrays::array& source, bool is_functor);

}  // namespace wingbeat::backend::host
