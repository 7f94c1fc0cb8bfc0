// SPDX-License-Identifier: Apache-2.0
// A request as passes over memory, one for each axis: what is read where, what is written where.
// Arithmetic on sizes alone.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <vector>

#include "backend/host/kernels.hpp"  // stored
#include "side.hpp"                  // side
#include "wingbeat/plan.hpp"         // transform, index_range

namespace wingbeat::backend::host {

/// Which memory one end of a pass is in.
enum class place { input, output, workspace };

/// One end of a pass: the numbers along its axis. Strides and offsets count stored reals, or
/// elements where a functor stands there.
struct pass_end {
  place where = place::input;
  stored as = stored::own;
  bool is_functor = false;
  std::size_t imaginary_at = 0;  ///< 0: real; 1: pairs; else planar.
  std::size_t length = 1;        ///< Of the axis on this side; N/2+1 of a half spectrum.
  index_range valid;             ///< The indices of the axis that are in memory.
  std::size_t stride = 1;        ///< From one of them to the next.
  std::size_t first = 0;         ///< Where the first of them is in the first column.
  std::size_t points = 1;        ///< Elements of one whole transform, for functors.

  [[nodiscard]] bool is_real() const { return imaginary_at == 0; }
  [[nodiscard]] bool is_whole() const { return valid.first == 0 && valid.end == length; }

  /// Returns the stride of elements that are neighbours.
  [[nodiscard]] std::size_t unit() const { return imaginary_at == 1 && !is_functor ? 2 : 1; }

  /// Returns whether kernels can work on this memory, but for what lies from column to column.
  [[nodiscard]] bool is_plain() const {
    return as == stored::own && !is_functor && imaginary_at <= 1 && is_whole();
  }
};

/// A dimension that a pass repeats over.
struct repeat {
  std::size_t count = 1;
  std::size_t in_stride = 0;
  std::size_t out_stride = 0;
};

/// One axis transformed in all its columns: those of indices of other axes that are not known to
/// be zero and that are wanted.
struct pass {
  transform kind = transform::forward;  ///< Real kinds belong to the last axis alone.
  std::size_t axis = 0;
  std::size_t length = 1;  ///< N
  pass_end in;
  pass_end out;
  std::vector<repeat> repeats;  ///< Slowest first; never empty.
  std::size_t n_slabs =
      1;  ///< Equal parts of the columns, one for each index of axis 0, if slowest.

  [[nodiscard]] std::size_t n_columns() const;
};

/// Calls `work(in_offset, out_offset, count)` for columns `first` to `first` + `count`, in runs
/// along the fastest repeat.
template <class Work>
void by_runs(const std::vector<repeat>& repeats, std::size_t first, std::size_t count, Work work) {
  while (count > 0) {
    std::size_t in = 0, out = 0, rest = first;
    for (std::size_t r = repeats.size(); r-- > 0; rest /= repeats[r].count) {
      in += rest % repeats[r].count * repeats[r].in_stride;
      out += rest % repeats[r].count * repeats[r].out_stride;
    }
    const std::size_t left = repeats.back().count - first % repeats.back().count;
    const std::size_t run = left < count ? left : count;
    work(in, out, run);
    first += run;
    count -= run;
  }
}

/// The passes of a request whose batch dimensions have `counts` transforms, and the reals of the
/// workspace between them.
struct pass_list {
  std::vector<pass> passes;
  std::size_t work_reals = 0;
};

/// `what` is validated; `counts` has as many entries as its batch dimensions.
[[nodiscard]] pass_list passes_of(const plan_spec& what, const std::vector<std::size_t>& counts);

/// Returns stored reals (elements, for a functor) from one transform of a batch dimension to the
/// next, on one side of a request.
[[nodiscard]] std::vector<std::size_t> distances_of(const side& of, bool is_functor);

}  // namespace wingbeat::backend::host
