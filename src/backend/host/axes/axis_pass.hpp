// SPDX-License-Identifier: Apache-2.0
// One pass of a host plan: all columns of one axis, in memory where kernels can work on it, else
// through tiles that stay in cache.
#pragma once

#include <cstddef>  // size_t, byte
#include <optional>
#include <string>

#include "backend/backend.hpp"                     // direct_run
#include "backend/host/axes/ends.hpp"              // tile_end
#include "backend/host/axes/passes.hpp"            // pass
#include "backend/host/rows/mirror_transform.hpp"  // mirror_transform
#include "backend/host/rows/real_matrix.hpp"       // real_matrix
#include "backend/host/rows/row_transform.hpp"     // row_transform
#include "backend/host/rows/strip_transform.hpp"   // strip_transform

namespace wingbeat::backend::host {

/// What a functor of a plan may be; both are null without.
struct functors {
  const host_load* load = nullptr;
  const host_store* store = nullptr;
};

template <class Real>
class axis_pass {
 public:
  /// `scale` is applied on the way out. The functors outlive this.
  axis_pass(const named_set& set, const kernels<Real>& kernel_set, const pass& planned,
            long double scale, const functors& of_plan);

  [[nodiscard]] const pass& planned() const noexcept { return planned_; }
  [[nodiscard]] std::size_t n_columns() const noexcept { return n_columns_; }

  /// Returns the bytes of aligned memory that `run` needs for itself.
  [[nodiscard]] std::size_t scratch_bytes() const noexcept;

  /// Returns how often numbers that outgrow the cache are written and read again within the pass.
  [[nodiscard]] std::size_t n_inner_crossings() const noexcept;

  /// Returns one line per step.
  [[nodiscard]] std::string explain() const;

  /// Transforms `count` columns from `first` on. `in` and `out` may be one memory if they lie
  /// alike. The result has the same bits for any number of threads.
  void run(const begin_of_end& in, const begin_of_end& out, std::byte* scratch, std::size_t first,
           std::size_t count) const;

  /// Returns `run` of all columns as one call; see backend::call::direct.
  [[nodiscard]] direct_run direct() const noexcept;

 private:
  /// What one thread works with.
  struct slot {
    Real* tile;
    Real* scratch;
    unsigned n_threads;  ///< Of one transform.
  };

  void choose_strip();
  void choose_matrix(const named_set& set, long double scale);
  static bool is_in_registers(const pass& planned);
  /// Rows in memory or in a tile; pitches count reals.
  struct placed_rows {
    const Real* in;
    Real* out;
    std::size_t in_pitch, out_pitch, count;
  };

  void run_products(const row_product<Real>& rows, const Real* in, Real* out,
                    unsigned n_threads) const;
  void choose_rows();
  [[nodiscard]] std::size_t slot_bytes() const noexcept;
  [[nodiscard]] unsigned n_slots() const noexcept;
  [[nodiscard]] slot slot_at(std::byte* scratch, unsigned index) const;
  [[nodiscard]] placed_rows rows_at(const Real* in, Real* out, std::size_t count) const;
  void run_rows(std::size_t first, std::size_t count, const begin_of_end& in,
                const begin_of_end& out, const slot& own) const;
  void run_strip(std::size_t first, std::size_t count, const begin_of_end& in,
                 const begin_of_end& out, const slot& own) const;
  void fetch_rows(const begin_of_end& begin, std::size_t n_rows, const slot& own) const;
  [[nodiscard]] bool is_widened() const noexcept { return !matrix_ && planned_.has_whole_reals(); }
  [[nodiscard]] tile_shape row_shape(const pass_end& end) const;
  void transform_rows(const placed_rows& given, Real* scratch, unsigned n_threads) const;

  kernels<Real> kernels_;
  pass planned_;
  std::size_t n_columns_;
  bool has_mirror_;  ///< Real rows of even length: complex ones of half of it.
  Real scale_;
  unsigned n_threads_;
  tile_end<Real> in_;
  tile_end<Real> out_;
  bool is_in_direct_ = false;
  bool is_out_direct_ = false;
  bool is_in_memory_ = false;     ///< All columns are rows of one pitch that need no tiles.
  prepared_rows<Real> prepared_;  ///< All columns as rows in memory, and their kernel.
  std::optional<strip_transform<Real>> strip_;
  std::optional<real_matrix<Real>> matrix_;
  row_product<Real> all_products_;  ///< All columns as rows in memory that a matrix multiplies.
  std::optional<row_transform<Real>> rows_;
  std::optional<mirror_transform<Real>> mirror_;
  single_kernel alone_ = nullptr;  ///< Of one row of reals, in registers; null if there is none.
  single_row<Real> row_alone_;
  bool is_shared_ = false;        ///< Threads share one transform, not the columns.
  std::size_t tile_columns_ = 1;  ///< Columns that are transformed together.
  std::size_t tile_pitch_ = 0;    ///< Complex numbers from one row of a tile to the next.
};

extern template class axis_pass<float>;
extern template class axis_pass<double>;

}  // namespace wingbeat::backend::host
