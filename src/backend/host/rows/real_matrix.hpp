// SPDX-License-Identifier: Apache-2.0
// Rows of few reals times the matrix that defines their transform.
#pragma once

#include <cstddef>  // byte, size_t
#include <memory>   // unique_ptr
#include <string>
#include <vector>

#include "backend/host/aligned.hpp"          // aligned_array
#include "backend/host/cpu.hpp"              // named_set
#include "backend/host/line_kernels.hpp"     // row_product
#include "backend/host/rows/real_chain.hpp"  // real_chain
#include "request/traits.hpp"                // traits

namespace wingbeat::backend::host {

template <class Real>
class real_matrix {
 public:
  /// Prepares rows of n points of a kind one or both of whose sides are real, by which outputs are
  /// multiplied by `scale`.
  real_matrix(const named_set& set, const request::traits& kind, std::size_t n, long double scale,
              bool orthogonalizes = false);

  /// Returns whether this is quicker than other methods. On `count` rows and vectors that are
  /// `widest` it depends for transforms from reals to reals alone: others have the same bits in any
  /// batch.
  [[nodiscard]] static bool pays(const request::traits& kind, std::size_t n, std::size_t count,
                                 int widest);

  [[nodiscard]] std::string explain() const;

  /// Returns rows in memory for `kernel`; pitches count reals.
  [[nodiscard]] row_product<Real> product(std::size_t in_pitch, std::size_t out_pitch,
                                          std::size_t count) const;
  [[nodiscard]] single_kernel kernel() const noexcept { return kernel_; }

  /// Multiplies the rows on at most `n_threads` threads; the result has the same bits for any
  /// number of them. Outputs may replace the inputs of their row.
  void run(const row_product<Real>& given, const Real* in, Real* out, unsigned n_threads) const;

 private:
  void prepare_spectrum(const request::traits& kind, long double scale);
  void prepare_signal(const request::traits& kind, long double scale, bool unfolds);
  void prepare_stages(const line_kernels<Real>& line_set, const request::traits& kind,
                      const real_chain& found, long double scale);
  void prepare_reals(const request::traits& kind, long double scale, bool orthogonalizes);
  template <class FactorOf>
  void fill(FactorOf factor_of);

  matrix_form form_ = matrix_form::plain;
  int widest_;
  row_product<Real> shape_;
  std::vector<int> terms_;
  aligned_array<Real> factors_;
  std::unique_ptr<chain> stages_;  ///< Of longer rows.
  aligned_array<Real> roots_;
  single_kernel kernel_ = nullptr;
};

extern template class real_matrix<float>;
extern template class real_matrix<double>;

}  // namespace wingbeat::backend::host
