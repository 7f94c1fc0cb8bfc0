// SPDX-License-Identifier: Apache-2.0
// Complex transforms of rows whose length is no power of two: in lanes, each of which has a row, or
// one row as a matrix.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "backend/host/aligned.hpp"  // aligned_array
#include "backend/host/kernels.hpp"  // kernels, chain, rows, matrix

namespace wingbeat::backend::host {

template <class Real>
class mixed_transform {
 public:
  /// Prepares transforms of a good length that is no power of two. Rows that outgrow the inner
  /// cache may be shared by `n_slots` threads.
  mixed_transform(const kernels<Real>& table, std::size_t length, bool is_long, unsigned n_slots);

  [[nodiscard]] bool is_in_lanes() const noexcept { return is_in_lanes_; }
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;

  /// Returns one line per pass.
  [[nodiscard]] std::string explain() const;

  /// Transforms rows that are not long, on this thread. Rows in lanes have the same bits in any
  /// lane.
  void run(const rows<Real>& what) const;

  /// Transforms long rows on at most `n_threads` threads. `workspace` is aligned and holds
  /// workspace_bytes().
  void run_long(const rows<Real>& what, void* workspace, unsigned n_threads) const;

 private:
  void prepare_lanes();
  void prepare_matrix();
  void run_in_lanes(const rows<Real>& what) const;
  void run_matrix(const rows<Real>& what) const;
  [[nodiscard]] std::size_t width() const noexcept;
  [[nodiscard]] std::size_t n_column_tiles() const noexcept;
  [[nodiscard]] std::size_t n_blocks() const noexcept;
  [[nodiscard]] std::size_t block_reals() const noexcept;    // the matrix between the halves
  [[nodiscard]] std::size_t scratch_reals() const noexcept;  // of one slot

  kernels<Real> with_;
  std::size_t length_;
  bool is_long_;
  bool is_in_lanes_;
  unsigned n_slots_;
  chain chain_;
  matrix<Real> matrix_;
  aligned_array<Real> table_;
};

extern template class mixed_transform<float>;
extern template class mixed_transform<double>;

}  // namespace wingbeat::backend::host
