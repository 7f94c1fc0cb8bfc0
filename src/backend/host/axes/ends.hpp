// SPDX-License-Identifier: Apache-2.0
// Moves columns between a tile and the end of a pass: memory of any layout, or a functor.
#pragma once

#include <algorithm>  // fill_n, max, min
#include <complex>
#include <cstddef>  // size_t, byte
#include <span>

#include "backend/host/axes/passes.hpp"  // pass_end
#include "backend/host/kernels.hpp"      // kernels
#include "backend/host/thread_pool.hpp"  // thread_pool
#include "backend/host/thresholds.hpp"   // limits
#include "system/thread_memory.hpp"      // thread_memory
#include "wingbeat/fusion.hpp"           // host_load, host_store, host_arguments

namespace wingbeat::backend::host {

/// Reals from one number of a column to the next in a tile, and from one column to the next.
struct tile_shape {
  std::size_t step = 0;
  std::size_t column = 0;
};

/// Returns how many of `count` rows of n complex numbers a tile holds, which are transformed
/// `together` at once. `is_strided`: their elements are not neighbours in memory.
template <class Real>
[[nodiscard]] std::size_t rows_of_tile(std::size_t n, std::size_t together, bool is_strided,
                                       std::size_t count) {
  const auto rounded_up = [](std::size_t rows, std::size_t multiple) {
    return (rows + multiple - 1) / multiple * multiple;
  };
  const std::size_t row_bytes = 2 * n * sizeof(Real);
  std::size_t rows = std::max<std::size_t>(limits.tile_bytes / row_bytes, 1);
  if (n <= limits.short_row) rows = rounded_up(rows, limits.short_rows);
  rows = rounded_up(rows, together);
  if (is_strided) rows = std::max(rows, limits.line_columns);
  return std::min({rows, std::max<std::size_t>(limits.max_tile_bytes / row_bytes, 1), count});
}

/// Returns the complex numbers from one such row to the next.
constexpr std::size_t tile_pitch_of(std::size_t n) {
  return n > limits.short_row ? n + limits.tile_padding : n;
}

/// Where a run begins at an end, and the arguments of its functor.
struct begin_of_end {
  std::byte* memory = nullptr;
  std::size_t offset = 0;  ///< Stored reals, or elements for a functor.
  host_arguments arguments = {};

  [[nodiscard]] begin_of_end advanced(std::size_t distance) const {
    return {memory, offset + distance, arguments};
  }
};

/// Calls `work` with pieces of the indices 0 to `n`, which threads share.
template <class Work>
void by_pieces(std::size_t n, unsigned n_threads, Work work) {
  if (n_threads <= 1) return work(index_range{0, n});
  constexpr std::size_t longest_piece = limits.share_elements;
  const std::size_t n_pieces = (n + longest_piece - 1) / longest_piece;
  thread_pool::shared().run(n_pieces, n_threads, [&](std::size_t i, unsigned) {
    work(index_range{i * longest_piece, std::min((i + 1) * longest_piece, n)});
  });
}

/// Where a piece begins: memory counts numbers of 16 bits or the kernels' own.
template <class Real>
std::size_t bytes_of(stored type, std::size_t reals) {
  return reals * (type == stored::own ? sizeof(Real) : 2);
}

/// Elements in a tile, each so many reals from the one before.
struct tile_run {
  std::size_t count = 0, position = 0, distance = 0;
  std::size_t reals = 1;  ///< Of an element.

  [[nodiscard]] bool is_dense() const { return distance == reals || count == 1; }
};

/// Moves columns between one end of a pass and tiles.
template <class Real>
class tile_end {
 public:
  /// `column_stride` is that of the fastest repeat. The functors are null or outlive this.
  tile_end(const kernels<Real>& kernel_set, const pass_end& end, std::size_t column_stride,
           const host_load* load, const host_store* store)
      : kernels_(kernel_set),
        end_(end),
        column_stride_(column_stride),
        load_(load),
        store_(store) {}

  /// Fills `n_columns` columns of a tile, the first of them at `begin`; elements that are not in
  /// memory become 0. `n_threads` share the work where columns are long.
  void fetch(const begin_of_end& begin, std::size_t n_columns, const tile_shape& shape, Real* tile,
             unsigned n_threads) const {
    const std::size_t first = end_.valid.first, last = end_.valid.end;
    clear(0, first, n_columns, shape, tile);
    clear(last, end_.length, n_columns, shape, tile);
    by_pieces(last - first, n_threads, [&](index_range indices) {
      if (end_.is_functor && end_.is_real()) {
        return call_load<Real>(begin, n_columns, indices, shape, tile);
      }
      if (end_.is_functor) {
        return call_load<std::complex<Real>>(begin, n_columns, indices, shape, tile);
      }
      const std::size_t place = begin.offset + indices.first * end_.stride;
      kernels_.gather(shape_of(n_columns, indices.end - indices.first, shape),
                      begin.memory + bytes_of<Real>(end_.type, place),
                      tile + (first + indices.first) * shape.step);
    });
  }

  /// Writes the elements of a tile's columns that are in memory.
  void put(const Real* tile, const tile_shape& shape, std::size_t n_columns,
           const begin_of_end& begin, unsigned n_threads) const {
    const std::size_t first = end_.valid.first, last = end_.valid.end;
    by_pieces(last - first, end_.takes_rows ? 1 : n_threads, [&](index_range indices) {
      if (end_.is_functor && end_.is_real()) {
        return call_store<Real>(tile, shape, n_columns, indices, begin);
      }
      if (end_.is_functor) {
        return call_store<std::complex<Real>>(tile, shape, n_columns, indices, begin);
      }
      const std::size_t place = begin.offset + indices.first * end_.stride;
      kernels_.scatter(shape_of(n_columns, indices.end - indices.first, shape),
                       tile + (first + indices.first) * shape.step,
                       begin.memory + bytes_of<Real>(end_.type, place));
    });
  }

 private:
  /// Runs go along the nearer elements of memory: indices of a column, or columns.
  [[nodiscard]] rectangle shape_of(std::size_t n_columns, std::size_t n_indices,
                                   const tile_shape& shape) const {
    if (n_columns < limits.short_run || end_.stride <= column_stride_) {
      return {end_.type,      end_.imaginary_at, n_columns,    n_indices,
              column_stride_, end_.stride,       shape.column, shape.step};
    }
    return {end_.type,   end_.imaginary_at, n_indices,  n_columns,
            end_.stride, column_stride_,    shape.step, shape.column};
  }
  [[nodiscard]] std::size_t element_reals() const { return end_.is_real() ? 1 : 2; }
  void clear(std::size_t first, std::size_t last, std::size_t n_columns, const tile_shape& shape,
             Real* tile) const {
    const std::size_t reals = element_reals();
    const bool is_by_columns = shape.step <= shape.column;
    const std::size_t n_outer = is_by_columns ? n_columns : last - first;
    const std::size_t n_inner = is_by_columns ? last - first : n_columns;
    for (std::size_t outer = 0; outer < n_outer; ++outer) {
      Real* const run =
          tile + first * shape.step + outer * (is_by_columns ? shape.column : shape.step);
      std::fill_n(run, n_inner * reals, Real{0});  // a tile is dense along one of the two
    }
  }

  /// Calls `call(row, first element, run)` with runs that are dense in memory and within one
  /// transform: callables take many elements at once wherever these lie in the tile.
  template <class Call>
  void by_elements(std::size_t offset, std::size_t n_columns, index_range indices,
                   const tile_shape& shape, Call call) const {
    const bool is_by_index = end_.stride == 1, is_by_column = !is_by_index && column_stride_ == 1;
    tile_run run{.distance = is_by_index ? shape.step : shape.column, .reals = element_reals()};
    for (std::size_t index = indices.first; index < indices.end;) {
      const std::size_t n_indices = is_by_index ? indices.end - index : 1;
      for (std::size_t column = 0; column < n_columns;) {
        const std::size_t position = offset + index * end_.stride + column * column_stride_;
        const std::size_t left = end_.points - position % end_.points;
        const std::size_t n_run = is_by_column ? std::min(left, n_columns - column) : 1;
        run.count = std::max(n_indices, n_run);
        run.position = (end_.valid.first + index) * shape.step + column * shape.column;
        call(position / end_.points, position % end_.points, run);
        column += n_run;
      }
      index += n_indices;
    }
  }

  template <class Value>
  void call_load(const begin_of_end& begin, std::size_t n_columns, index_range indices,
                 const tile_shape& shape, Real* tile) const {
    const auto* plain = std::get_if<run_reader<Value>>(load_);
    by_elements(begin.offset, n_columns, indices, shape,
                [&](std::size_t row, std::size_t first, const tile_run& run) {
                  const auto fill = [&](std::span<Value> into) {
                    if (plain != nullptr) return (*plain)(begin.memory, row, first, into);
                    std::get<operand_reader<Value>> (*load_)(begin.memory, begin.arguments, row,
                                                             first, into);
                  };
                  Real* const place = tile + run.position;
                  if (run.is_dense()) return fill({reinterpret_cast<Value*>(place), run.count});
                  const thread_memory memory{run.count * sizeof(Value)};
                  const auto values = memory.values<Value>();
                  fill(values);
                  for (std::size_t i = 0; i < run.count; ++i)
                    reinterpret_cast<Value&>(place[i * run.distance]) = values[i];
                });
  }

  template <class Value>
  void call_store(const Real* tile, const tile_shape& shape, std::size_t n_columns,
                  index_range indices, const begin_of_end& begin) const {
    const auto* plain = std::get_if<run_writer<Value>>(store_);
    by_elements(begin.offset, n_columns, indices, shape,
                [&](std::size_t row, std::size_t first, const tile_run& run) {
                  const auto take = [&](std::span<const Value> values) {
                    if (plain != nullptr) return (*plain)(begin.memory, row, first, values);
                    std::get<operand_writer<Value>> (*store_)(begin.memory, begin.arguments, row,
                                                              first, values);
                  };
                  const Real* const place = tile + run.position;
                  if (run.is_dense())
                    return take({reinterpret_cast<const Value*>(place), run.count});
                  const thread_memory memory{run.count * sizeof(Value)};
                  const auto values = memory.values<Value>();
                  for (std::size_t i = 0; i < run.count; ++i)
                    values[i] = reinterpret_cast<const Value&>(place[i * run.distance]);
                  take(values);
                });
  }

  kernels<Real> kernels_;
  pass_end end_;
  std::size_t column_stride_;
  const host_load* load_;
  const host_store* store_;
};

}  // namespace wingbeat::backend::host
