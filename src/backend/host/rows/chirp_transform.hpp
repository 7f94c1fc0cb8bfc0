// SPDX-License-Identifier: Apache-2.0
// Complex rows of any length on the host, convolved with a chirp within a good length or, of primes
// p where that costs less, with the roots in Rader's order within p - 1: see rader.hpp.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>
#include <vector>

#include "backend/host/kernels.hpp"             // kernels, rows
#include "backend/host/rows/chirp_table.hpp"    // chirp_table
#include "backend/host/rows/row_method.hpp"     // row_method
#include "backend/host/rows/row_transform.hpp"  // row_transform

namespace wingbeat::backend::host {

template <class Real>
class chirp_transform final : public row_method<Real> {
 public:
  /// Prepares transforms of `length` by rows of another one, which `n_slots` threads may share.
  chirp_transform(const kernels<Real>& kernel_set, std::size_t length, unsigned n_slots);

  /// Returns the cost of one row; see mixed_chain.hpp.
  [[nodiscard]] double cost() const;

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override;
  [[nodiscard]] std::string explain() const override;
  void run(const rows<Real>& given, void* workspace, unsigned n_threads) const override;

 private:
  void run_by_chirp(const rows<Real>& row, Real* line, void* scratch, unsigned n_threads) const;
  void run_by_rader(const rows<Real>& row, Real* line, void* scratch, unsigned n_threads) const;
  [[nodiscard]] bool is_by_rader() const noexcept { return !powers_.empty(); }

  void multiply(const Real* x, const Real* factors, Real* out, std::size_t count,
                bool conjugates) const;

  kernels<Real> kernels_;
  std::size_t length_;
  row_transform<Real> padded_;
  std::optional<chirp_table<Real>> table_;
  std::vector<std::size_t> powers_;  ///< See rader; empty where by a chirp.
  aligned_array<Real> rader_spectrum_;
};

extern template class chirp_transform<float>;
extern template class chirp_transform<double>;

}  // namespace wingbeat::backend::host
