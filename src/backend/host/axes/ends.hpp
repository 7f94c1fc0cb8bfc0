// SPDX-License-Identifier: Apache-2.0
// Columns between a tile and what stands at the end of a pass: memory of any layout, or a functor.
#pragma once

#include <cstddef>  // size_t, byte

#include "backend/host/axes/passes.hpp"  // pass_end
#include "backend/host/kernels.hpp"      // kernels
#include "wingbeat/fusion.hpp"           // host_load, host_store, host_arguments

namespace wingbeat::backend::host {

/// Reals from one number of a column to the next in a tile, and from one column to the next.
struct tile_shape {
  std::size_t step = 0;
  std::size_t column = 0;
};

/// Where a run begins at an end, and what its functor is given beside.
struct begin_of_end {
  std::byte* memory = nullptr;
  std::size_t offset = 0;  ///< Stored reals, or elements for a functor.
  host_arguments arguments = {};

  [[nodiscard]] begin_of_end advanced(std::size_t distance) const {
    return {memory, offset + distance, arguments};
  }
};

/// One end of a pass as tiles meet it.
template <class Real>
class tile_end {
 public:
  /// `column_stride` is that of the fastest repeat. The functors are null or outlive this.
  tile_end(const kernels<Real>& kernel_set, const pass_end& end, std::size_t column_stride,
           const host_load* load, const host_store* store);

  /// Fills `n_columns` columns of a tile, the first of them at `from`; elements that are not in
  /// memory become 0. `n_threads` share the work where columns are long.
  void fetch(const begin_of_end& begin, std::size_t n_columns, const tile_shape& shape, Real* tile,
             unsigned n_threads) const;

  /// Writes the columns of a tile, but for what is not in memory.
  void put(const Real* tile, const tile_shape& shape, std::size_t n_columns,
           const begin_of_end& begin, unsigned n_threads) const;

 private:
  [[nodiscard]] rectangle shape_of(std::size_t n_columns, std::size_t n_indices,
                                   const tile_shape& shape) const;
  [[nodiscard]] std::size_t element_reals() const { return end_.is_real() ? 1 : 2; }
  void clear(std::size_t first, std::size_t end, std::size_t n_columns, const tile_shape& shape,
             Real* tile) const;
  template <class Call>
  void by_elements(std::size_t offset, std::size_t n_columns, index_range indices,
                   const tile_shape& shape, Call call) const;
  template <class Value>
  void call_load(const begin_of_end& begin, std::size_t n_columns, index_range indices,
                 const tile_shape& shape, Real* tile) const;
  template <class Value>
  void call_store(const Real* tile, const tile_shape& shape, std::size_t n_columns,
                  index_range indices, const begin_of_end& begin) const;

  kernels<Real> kernels_;
  pass_end end_;
  std::size_t column_stride_;
  const host_load* load_;
  const host_store* store_;
};

extern template class tile_end<float>;
extern template class tile_end<double>;

}  // namespace wingbeat::backend::host
