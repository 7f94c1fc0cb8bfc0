// SPDX-License-Identifier: Apache-2.0
// Complex transforms of rows on the host: the method chosen, its tables, and one run.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <optional>
#include <string>

#include "backend/host/aligned.hpp"                // aligned_array, thread_scratch
#include "backend/host/kernels.hpp"                // kernels, chain, rows
#include "backend/host/rows/matrix_transform.hpp"  // matrix_transform
#include "backend/host/rows/strip_transform.hpp"   // strip_transform

namespace wingbeat::backend::host {

/// tiny:      up to 15 points in registers, of rows side by side.
/// direct:    up to 128 points whose number is no good one, by the definition, bins in lanes.
/// grouped:   16, 32 or 64 points in registers, a group of lanes for each row.
/// stockham:  a row in cache, stage after stage.
/// mixed:     other lengths in cache, with one transposition between the stages of a row; up to 256
///            points each lane a row where they are so many that this costs less.
/// matrix:    lengths whose sides leave few lanes unused, and rows that outgrow the inner cache:
///            these cross memory twice.
/// chirp:     longer ones that are no good ones, within one that is; in lanes as above.
enum class method { tiny, direct, grouped, stockham, mixed, matrix, chirp };

template <class Real>
class chirp_transform;

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

template <class Real>
class row_transform {
 public:
  /// Prepares transforms of any length. `n_slots` threads may share one.
  row_transform(const kernels<Real>& kernel_set, std::size_t length, unsigned n_slots);
  row_transform(row_transform&&) noexcept;
  row_transform& operator=(row_transform&&) noexcept;
  ~row_transform();

  /// Returns whether rows of `length` outgrow the inner cache: they are transformed in two halves,
  /// which threads may share.
  [[nodiscard]] static bool is_long(std::size_t length) noexcept;

  [[nodiscard]] std::size_t length() const noexcept { return length_; }
  /// Returns whether rows need a workspace, however few threads run.
  [[nodiscard]] bool is_chirped() const noexcept { return method_ == method::chirp; }
  /// Returns whether each lane has a row of its own where they are many.
  [[nodiscard]] bool has_lanes() const noexcept { return lanes_ || many_forward_ != nullptr; }
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;

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
  void prepare_grouped();
  void prepare_stockham();
  void run_share(const rows<Real>& given) const;  // on this thread
  [[nodiscard]] bool is_mixed(std::size_t length) const;
  void prepare_direct();
  void prepare_mixed();
  void prepare_transposed();
  void prepare_chirp(unsigned n_slots);
  [[nodiscard]] std::string explain_lanes() const;
  void run_singly(const rows<Real>& given) const;
  [[nodiscard]] rows<Real> run_many(const rows<Real>& given) const;
  void run_in_lanes(const rows<Real>& given, std::size_t count) const;

  kernels<Real> kernels_;
  std::size_t length_;
  method method_;
  rows_kernel<Real> forward_ = nullptr;  ///< Null where another method than one kernel's is used.
  rows_kernel<Real> swapped_ = nullptr;
  single_kernel single_forward_ = nullptr;  ///< Null where one row has no kernel of its own.
  single_kernel single_swapped_ = nullptr;
  std::size_t row_scratch_bytes_ = 0;  ///< Of one call of a kernel.
  int width_ = 1;
  chain chain_;
  aligned_array<Real> table_;
  aligned_array<Real> single_table_;            ///< Of one row, where that has roots of its own.
  std::optional<strip_transform<Real>> lanes_;  ///< Of many rows, mixed or chirped.
  rows_kernel<Real> many_forward_ = nullptr;    ///< Or that: see kernels::tiny.
  rows_kernel<Real> many_swapped_ = nullptr;
  std::size_t least_in_lanes_ = 0;  ///< As many rows as pay there.
  std::optional<matrix_transform<Real>> matrix_;
  std::unique_ptr<chirp_transform<Real>> chirped_;

  [[nodiscard]] single_row<Real> one_row(Real scale) const noexcept {
    return {single_table_ ? single_table_.get() : table_.get(), scale, length_};
  }
};

extern template class row_transform<float>;
extern template class row_transform<double>;

}  // namespace wingbeat::backend::host
