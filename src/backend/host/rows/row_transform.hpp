// SPDX-License-Identifier: Apache-2.0
// Complex transforms of rows on the host: the method chosen, its tables, and one run.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <optional>
#include <string>

#include "backend/host/aligned.hpp"               // aligned_array, thread_scratch
#include "backend/host/kernels.hpp"               // kernels, chain, rows
#include "backend/host/rows/row_method.hpp"       // row_method
#include "backend/host/rows/strip_transform.hpp"  // strip_transform

namespace wingbeat::backend::host {

/// A kernel of forward transforms, and of those with re and im exchanged.
template <class Kernel>
using both_ways = std::array<Kernel, 2>;  // [is_swapped]

/// Rows and their kernel: nothing is left to choose but where they begin.
template <class Real>
struct prepared_rows {
  rows_kernel<Real> kernel = nullptr;
  chain factors;
  const Real* roots = nullptr;
  std::size_t scratch_bytes = 0;
  rows<Real> from_zero;                     ///< Without memory.
  std::size_t in_first = 0, out_first = 0;  ///< Reals from where memory begins.
  single_kernel single = nullptr;           ///< Of one row that begins at 0; null if there is none.
  single_row<Real> of_single;

  /// Transforms them on this thread.
  void run(const Real* in, Real* out) const {
    rows<Real> work = from_zero;
    work.in = in + in_first;
    work.out = out + out_first;
    void* const scratch = scratch_bytes == 0 ? nullptr : thread_scratch(scratch_bytes);
    kernel(factors, roots, work, static_cast<Real*>(scratch));
  }
};

/// Up to 15 points, and 16, 32 and 64, stay in registers, other powers of two in cache, stage after
/// stage. Up to 128 points whose number is no good one are summed by the definition, bins in lanes.
/// Other lengths in cache are transposed once between the stages of a row; up to 256 points each
/// lane is a row where they are so many that this costs less. A matrix_transform takes lengths
/// whose sides leave few lanes unused, and rows that outgrow the inner cache, a chirp_transform
/// those that are no good ones.
template <class Real>
class row_transform {
 public:
  /// Prepares transforms of any length. `n_slots` threads may share one.
  row_transform(const kernels<Real>& kernel_set, std::size_t length, unsigned n_slots);

  /// Returns whether rows of `length` outgrow the inner cache: they are transformed in two halves,
  /// which threads may share.
  [[nodiscard]] static bool is_long(std::size_t length) noexcept;

  [[nodiscard]] std::size_t length() const noexcept { return length_; }
  /// Returns whether each lane has a row of its own where they are many.
  [[nodiscard]] bool has_lanes() const noexcept { return lanes_ || many_[0] != nullptr; }
  /// Returns 0 where threads share rows, not one of them.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept {
    return whole_ ? whole_->workspace_bytes() : 0;
  }

  /// Returns how often a run reads and writes each number of a row.
  [[nodiscard]] int n_crossings() const noexcept { return is_long(length_) ? 2 : 1; }

  /// Returns one line per pass.
  [[nodiscard]] std::string explain() const;

  /// Transforms the rows on at most `n_threads` threads. The result has the same bits for any
  /// number of threads. `workspace` is aligned and holds workspace_bytes().
  void run(const rows<Real>& given, void* workspace, unsigned n_threads) const;

  /// Returns such rows with their kernel, which is null where no one kernel transforms them. Its
  /// roots live as long as this.
  [[nodiscard]] prepared_rows<Real> prepared(const rows<Real>& like) const noexcept;

 private:
  void prepare_single();
  void prepare_tiny();
  void prepare_grouped();
  void prepare_stockham();
  void prepare_direct();
  [[nodiscard]] bool is_mixed(std::size_t length) const;
  void prepare_mixed();
  void prepare_transposed();
  void prepare_chirp(unsigned n_slots);
  void run_share(const rows<Real>& given, void* workspace, unsigned n_threads) const;
  void run_singly(const rows<Real>& given) const;
  [[nodiscard]] rows<Real> run_many(const rows<Real>& given) const;
  void run_in_lanes(const rows<Real>& given, std::size_t count) const;

  kernels<Real> kernels_;
  std::size_t length_;
  std::string text_;                       ///< Of explain(), where `whole_` is null.
  both_ways<rows_kernel<Real>> kernel_{};  ///< Null where rows go one by one, or by `whole_`.
  both_ways<single_kernel> single_{};      ///< Null where one row has no kernel of its own.
  std::size_t row_scratch_bytes_ = 0;      ///< Of one call of a kernel.
  int width_ = 1;
  chain chain_;
  aligned_array<Real> table_;
  aligned_array<Real> single_table_;            ///< Of one row, where that has roots of its own.
  std::optional<strip_transform<Real>> lanes_;  ///< Of many rows, mixed or chirped.
  both_ways<rows_kernel<Real>> many_{};         ///< Or that: see kernels::tiny.
  std::size_t least_in_lanes_ = 0;              ///< As many rows as pay there.
  std::unique_ptr<const row_method<Real>> whole_;

  [[nodiscard]] single_row<Real> one_row(Real scale) const noexcept {
    return {single_table_ ? single_table_.get() : table_.get(), scale, length_};
  }
};

extern template class row_transform<float>;
extern template class row_transform<double>;

}  // namespace wingbeat::backend::host
