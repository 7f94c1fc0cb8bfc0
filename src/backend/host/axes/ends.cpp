// SPDX-License-Identifier: Apache-2.0
#include "backend/host/axes/ends.hpp"

#include <algorithm>  // fill_n, max, min
#include <complex>
#include <span>

#include "backend/host/thread_pool.hpp"  // thread_pool
#include "backend/host/thresholds.hpp"   // limits
#include "system/thread_memory.hpp"      // thread_memory

namespace wingbeat::backend::host {
namespace {

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

}  // namespace

template <class Real>
tile_end<Real>::tile_end(const kernels<Real>& kernel_set, const pass_end& end,
                         std::size_t column_stride, const host_load* load, const host_store* store)
    : kernels_(kernel_set), end_(end), column_stride_(column_stride), load_(load), store_(store) {}

/// Runs go along the nearer elements of memory: indices of a column, or columns.
template <class Real>
rectangle tile_end<Real>::shape_of(std::size_t n_columns, std::size_t n_indices,
                                   const tile_shape& shape) const {
  rectangle result;
  result.type = end_.type;
  result.imaginary_at = end_.imaginary_at;
  if (n_columns < limits.short_run || end_.stride <= column_stride_) {
    result.n_runs = n_columns;
    result.run_length = n_indices;
    result.memory_run = column_stride_;
    result.memory_step = end_.stride;
    result.tile_run = shape.column;
    result.tile_step = shape.step;
  } else {
    result.n_runs = n_indices;
    result.run_length = n_columns;
    result.memory_run = end_.stride;
    result.memory_step = column_stride_;
    result.tile_run = shape.step;
    result.tile_step = shape.column;
  }
  return result;
}

template <class Real>
void tile_end<Real>::clear(std::size_t first, std::size_t last, std::size_t n_columns,
                           const tile_shape& shape, Real* tile) const {
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

template <class Real>
void tile_end<Real>::fetch(const begin_of_end& begin, std::size_t n_columns,
                           const tile_shape& shape, Real* tile, unsigned n_threads) const {
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

template <class Real>
void tile_end<Real>::put(const Real* tile, const tile_shape& shape, std::size_t n_columns,
                         const begin_of_end& begin, unsigned n_threads) const {
  const std::size_t first = end_.valid.first, last = end_.valid.end;
  by_pieces(last - first, n_threads, [&](index_range indices) {
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

/// Calls `call(row, first element, run)` with runs that are dense in memory and within one
/// transform: callables take many elements at once wherever these lie in the tile.
template <class Real>
template <class Call>
void tile_end<Real>::by_elements(std::size_t offset, std::size_t n_columns, index_range indices,
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

template <class Real>
template <class Value>
void tile_end<Real>::call_load(const begin_of_end& begin, std::size_t n_columns,
                               index_range indices, const tile_shape& shape, Real* tile) const {
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

template <class Real>
template <class Value>
void tile_end<Real>::call_store(const Real* tile, const tile_shape& shape, std::size_t n_columns,
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
                if (run.is_dense()) return take({reinterpret_cast<const Value*>(place), run.count});
                const thread_memory memory{run.count * sizeof(Value)};
                const auto values = memory.values<Value>();
                for (std::size_t i = 0; i < run.count; ++i)
                  values[i] = reinterpret_cast<const Value&>(place[i * run.distance]);
                take(values);
              });
}

template class tile_end<float>;
template class tile_end<double>;

}  // namespace wingbeat::backend::host
