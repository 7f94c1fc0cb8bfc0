// SPDX-License-Identifier: Apache-2.0
// How accurate an entrant is: rows of its output against the definition, whatever its axes.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <functional>
#include <vector>

#include "agreement.hpp"  // agreement
#include "elements.hpp"   // row_place, byte_reader

namespace wingbeat::cli {

/// Returns elements of one row of the output that `input` has by definition: sums over the axes
/// before the last, then the reference engine. A step, which divides the last length N, folds the
/// row of sums first, so that a few elements of a long row cost N additions:
///     X[r + m s] = sum_i y[i] w_M^(im),   y[i] = sum over j = i mod M of x[j] w_N^(jr),  M = N/s.
/// Sums are in long double for fp64, in double otherwise.
[[nodiscard]] std::vector<std::complex<double>> expected_row(const plan_spec& what,
                                                             const row_place& at,
                                                             const byte_reader& input);

/// Rows that are looked at, and what they should be. Made once, asked of every entrant.
class oracle {
 public:
  /// Takes a row of the first, the middle and the last transform, or where rows are longer than
  /// 2^20 some 4096 elements of each. `block` repeats over the input.
  oracle(const plan_spec& what, const std::vector<std::byte>& block);

  /// Which bin an element of the last axis is.
  using bin_map = std::function<std::size_t(std::size_t place)>;

  /// Returns the agreement of the worst of the rows. Without a map, bins lie in natural order.
  [[nodiscard]] agreement judge(const byte_reader& output, const bin_map& bin_at = {}) const;

  [[nodiscard]] std::size_t n_rows() const noexcept { return places_.size(); }
  [[nodiscard]] std::size_t n_elements() const noexcept;

 private:
  plan_spec what_;
  std::vector<row_place> places_;
  std::vector<std::vector<std::complex<double>>> expected_;  // [row][element]
};

}  // namespace wingbeat::cli
