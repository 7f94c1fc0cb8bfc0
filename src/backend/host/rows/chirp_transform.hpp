// SPDX-License-Identifier: Apache-2.0
// Complex rows of any length on the host, convolved with a chirp within a good length.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "backend/host/aligned.hpp"             // aligned_array
#include "backend/host/kernels.hpp"             // kernels, rows
#include "backend/host/rows/row_transform.hpp"  // row_transform

namespace wingbeat::backend::host {

template <class Real>
class chirp_transform {
 public:
  /// Prepares transforms of `length` by rows of `padded_length(length)`, which `n_slots` threads
  /// may share.
  chirp_transform(const kernels<Real>& kernel_set, std::size_t length, unsigned n_slots);

  /// Returns the good length that rows of a length are convolved within.
  [[nodiscard]] static std::size_t padded_length(std::size_t length);

  [[nodiscard]] std::size_t workspace_bytes() const noexcept;

  /// Returns one line, and those of the padded rows.
  [[nodiscard]] std::string explain() const;

  /// Transforms one row after another. `workspace` is aligned and holds workspace_bytes().
  void run(const rows<Real>& given, void* workspace, unsigned n_threads) const;

 private:
  void multiply(const Real* x, const aligned_array<Real>& factors, Real* out, std::size_t count,
                bool conjugates) const;

  kernels<Real> kernels_;
  std::size_t length_;
  row_transform<Real> padded_;
  aligned_array<Real> factors_, spectrum_;  ///< See chirp.hpp; of forward transforms.
};

extern template class chirp_transform<float>;
extern template class chirp_transform<double>;

}  // namespace wingbeat::backend::host
