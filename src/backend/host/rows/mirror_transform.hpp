// SPDX-License-Identifier: Apache-2.0
// Real rows of N = 2 H numbers as complex rows of H, and the H + 1 bins of their spectra.
#pragma once

#include <cstddef>  // size_t

#include "backend/host/aligned.hpp"             // aligned_array
#include "backend/host/kernels.hpp"             // kernels, rows
#include "backend/host/rows/row_transform.hpp"  // row_transform

namespace wingbeat::backend::host {

template <class Real>
class mirror_transform {
 public:
  /// Prepares real rows of 2 `half`; with half = 0, nothing. is_conjugated: the transforms that it
  /// goes through have the other direction, and bins are conjugates.
  mirror_transform(const kernels<Real>& table, std::size_t half, bool is_conjugated = false);

  /// Transforms real rows to bins, `given.scale` then including the 1/2 that `split` expects, or
  /// back.
  void run(bool is_back, const row_transform<Real>& through, const rows<Real>& given,
           void* workspace, unsigned n_threads) const;

  /// The same of one row of at most `longest_of_one` complex numbers, by a kernel of one row.
  static constexpr std::size_t longest_of_one = 512;
  void run_one(bool is_back, single_kernel kernel, const single_row<Real>& given,
               const std::byte* in, std::byte* out) const;

  /// Returns a kernel of one row of reals, or to them, or null, and what it reads beside the row.
  [[nodiscard]] single_kernel kernel_of_one(bool is_back) const noexcept {
    return pairs_ ? kernels_.single_reals(2 * half_, is_back) : nullptr;
  }
  [[nodiscard]] single_row<Real> row_of_one(Real scale) const noexcept {
    return {pairs_.get(), scale, half_};
  }

 private:
  template <class Work>
  void by_rows(const row_transform<Real>& through, const rows<Real>& given, unsigned n_threads,
               Work work) const;
  void run_singly(const row_transform<Real>& through, const rows<Real>& given, bool is_back,
                  unsigned n_threads) const;
  void mirror_row(bool is_join, const Real* in, Real* out, unsigned n_threads) const;
  void mirror_vectors(bool is_join, const Real* in, Real* out, std::size_t begin,
                      std::size_t end) const;

  kernels<Real> kernels_;
  std::size_t half_;
  int width_ = 1;
  std::size_t group_ = 1;      ///< Rows that meet their mirror image while they are in the cache.
  std::size_t n_vectors_ = 0;  ///< Whole vectors of pairs in a row.
  bool has_last_ = false;      ///< Of pairs behind them; never where `half` is a power of two.
  aligned_array<Real> pairs_;  ///< Roots of single_reals; none where there is no such kernel.
  aligned_array<Real> table_;  // lane roots, then first roots: see `mirror`
};

extern template class mirror_transform<float>;
extern template class mirror_transform<double>;

}  // namespace wingbeat::backend::host
