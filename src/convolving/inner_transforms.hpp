// SPDX-License-Identifier: Apache-2.0
// The transforms before and after the convolution of columns.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "arrays/spectra.hpp"              // result_blocks
#include "convolving/program_builder.hpp"  // program_builder
#include "convolving/program_sizes.hpp"    // program_sizes, range_in, range_out
#include "convolving/renumbered.hpp"       // load_of_rows, store_of_rows

namespace wingbeat::convolving {

/// Where columns along the slowest axis lie, counted in complex numbers, or in reals for real
/// signals of one axis.
struct columns {
  place array = place::input;
  std::size_t count = 1;  ///< Columns of one item.
  std::size_t distance = 0;
  std::size_t item_distance = 0;
  result_blocks blocks = {};  ///< The blocks that elements of a column lie in.
};

/// Puts a spec's load functor in front of the first plan.
inline void begin(plan_spec& first, const fused_load& load, const row_parts& parts) {
  if (!load.is_given()) return;
  first.in = {};
  first.load = load_of_rows(load, parts);
}

/// Puts a spec's store functor behind the last plan.
inline void finish(plan_spec& last, const fused_store& store, const row_parts& parts) {
  if (!store.is_given()) return;
  last.out = {};
  last.store = store_of_rows(store, parts);
}

/// The plans along every axis but the slowest.
class inner_transforms {
 public:
  /// All arguments outlive this.
  inner_transforms(const convolution_spec& spec, const program_sizes& sizes,
                   program_builder& builder)
      : spec_(spec), of_(sizes), made_(builder) {}

  /// Adds the transforms of a role's signals, and returns the columns that they leave.
  columns add_forward(operand_role role) {
    const std::vector<signal_axis> axes = of_.signal(role);
    const fused_load& load = load_of(spec_, role);
    const std::size_t rows = axes[0].length, n = of_.count();
    if (of_.n_axes() == 1) return {place::input, 1, rows, rows};
    const std::size_t pitch = of_.sector_aligned(rows), last = of_.n_axes() - 1;
    const std::size_t bins_of_last = of_.bins(last);
    plan_spec inner;
    if (of_.n_axes() == 2) {
      inner = of_.plan_of(axes[1].padded, {n, rows}, of_.kind(true, last));
      inner.factor = of_.scale().forward(role, last);
      inner.in = {.distances = {rows * axes[1].length, axes[1].length}};
      inner.out = {.strides = {pitch}, .distances = {bins_of_last * pitch, 1}};
      range_in(inner, axes[1]);
      begin(inner, load, {rows, axes[1].length});
      const place a = made_.workspace_beside(place::input, n * bins_of_last * pitch);
      made_.add(inner, {place::input, a});
      return {a, bins_of_last, pitch, bins_of_last * pitch};
    }
    const std::size_t mid = axes[1].length, row = axes[2].length;
    const std::size_t plane = mid * bins_of_last, volume = rows * plane;
    inner = of_.plan_of(axes[2].padded, {n, rows, mid}, of_.kind(true, last));
    inner.factor = of_.scale().forward(role, last);
    inner.in = {.distances = {rows * mid * row, mid * row, row}};
    inner.out = {.distances = {volume, plane, bins_of_last}};
    range_in(inner, axes[2]);
    begin(inner, load, {rows * mid, row});
    const place first = made_.workspace_beside(place::between_a, n * volume);
    made_.add(inner, {place::input, first});
    const std::size_t columns = bins_of_last * axes[1].padded;
    inner = of_.plan_of(axes[1].padded, {n, rows, bins_of_last}, transform::forward);
    inner.factor = of_.scale().forward(role, 1);
    inner.in = {.strides = {bins_of_last}, .distances = {volume, plane, 1}};
    inner.out = {.strides = {pitch}, .distances = {columns * pitch, 1, axes[1].padded * pitch}};
    range_in(inner, axes[1]);
    const place second = made_.workspace_beside(first, n * columns * pitch);
    made_.add(inner, {first, second});
    return {second, columns, pitch, columns * pitch};
  }

  /// Adds the transforms of convolved columns back.
  void add_back(const columns& in) {
    if (of_.n_axes() == 1) return;
    const std::size_t rows = of_.axis(0).result(), last = of_.n_axes() - 1;
    const std::size_t n_last = of_.axis(last).result();
    if (of_.n_axes() == 2) return transform_rows_back(in);
    const std::size_t mid = of_.axis(1).result(), bins_of_last = of_.bins(2);
    const std::size_t plane = mid * bins_of_last, volume = rows * plane;
    plan_spec back =
        of_.plan_of(of_.axis(1).padded, {of_.n_pairs(), rows, bins_of_last}, transform::inverse);
    back.factor = of_.scale().back(1);
    back.in = {.strides = {in.distance},
               .distances = {in.item_distance, 1, of_.axis(1).padded * in.distance}};
    back.out = {.strides = {bins_of_last}, .distances = {volume, plane, 1}};
    range_out(back, of_.axis(1));
    const place between = made_.workspace_beside(in.array, of_.n_pairs() * volume);
    made_.add(back, {in.array, between});
    back = of_.plan_of(of_.axis(2).padded, {of_.n_pairs(), rows, mid}, of_.kind(false, last));
    back.factor = of_.scale().back(2);
    back.in = {.strides = {1}, .distances = {volume, plane, bins_of_last}};
    back.out = {.distances = {rows * mid * n_last, mid * n_last, n_last}};
    range_out(back, of_.axis(2));
    finish(back, spec_.store, {rows * mid, of_.axis(of_.n_axes() - 1).result()});
    made_.add(back, {between, place::output});
  }

 private:
  /// Transforms the rows of two axes back from their blocks.
  void transform_rows_back(const columns& in) {
    const std::size_t rows = of_.axis(0).result(), n = of_.axis(1).result();
    plan_spec back = of_.plan_of(of_.axis(1).padded, {of_.n_pairs(), rows}, of_.kind(false, 1));
    back.factor = of_.scale().back(1);
    back.in = {.strides = {in.distance}, .distances = {in.item_distance, 1}};
    back.out = {.distances = {rows * n, n}};
    range_out(back, of_.axis(1));
    finish(back, spec_.store, {rows, n});
    made_.add(back, {in.array, place::output}, in.blocks);
  }

  const convolution_spec& spec_;
  const program_sizes& of_;
  program_builder& made_;
};

}  // namespace wingbeat::convolving
