// SPDX-License-Identifier: Apache-2.0
// Complex transforms of rows as matrices: columns, then rows, tile by tile.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "backend/host/aligned.hpp"          // aligned_array
#include "backend/host/kernels.hpp"          // kernels, rows, matrix
#include "backend/host/rows/row_method.hpp"  // row_method

namespace wingbeat::backend::host {

template <class Real>
class matrix_transform final : public row_method<Real> {
 public:
  /// Prepares transforms of a good length. Rows that outgrow the inner cache are long: `n_slots`
  /// threads may share one, and the matrix between its halves lies in a workspace.
  matrix_transform(const kernels<Real>& kernel_set, std::size_t length, bool is_long,
                   unsigned n_slots);

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override;
  [[nodiscard]] std::string explain() const override;
  void run(const rows<Real>& given, void* workspace, unsigned n_threads) const override;

 private:
  [[nodiscard]] std::size_t width() const noexcept {
    return static_cast<std::size_t>(kernels_.width);
  }
  [[nodiscard]] std::size_t n_tiles(const chain& side) const noexcept {
    return (side.length + width() - 1) / width();
  }
  [[nodiscard]] std::size_t block_reals() const noexcept;    // the matrix between the halves
  [[nodiscard]] std::size_t scratch_reals() const noexcept;  // of one slot

  kernels<Real> kernels_;
  bool is_long_;
  unsigned n_slots_;
  matrix<Real> matrix_;
  aligned_array<Real> table_;
};

extern template class matrix_transform<float>;
extern template class matrix_transform<double>;

}  // namespace wingbeat::backend::host
