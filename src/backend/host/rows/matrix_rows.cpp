// SPDX-License-Identifier: Apache-2.0
// Complex rows as matrices: columns, then rows, tile by tile.
#include <algorithm>  // max
#include <bit>        // has_single_bit

#include "backend/host/aligned.hpp"  // aligned_array, thread_scratch

#include "backend/host/rows/chain_tables.hpp"  // table_writer, write_chain, place, words
#include "backend/host/rows/mixed_chain.hpp"   // matrix_shape_of
#include "backend/host/rows/row_method.hpp"    // row_method
#include "roots/root_products.hpp"             // root_products
#include "text/formatted.hpp"                  // formatted

namespace wingbeat::backend::host {
namespace {

/// Returns the sides of a power of two, each a power of two.
matrix_shape squarest(std::size_t length, int width, int max_radix) {
  const int bits = std::countr_zero(length);
  return {factorised(std::size_t{1} << ((bits + 1) / 2), width, max_radix),
          factorised(std::size_t{1} << (bits / 2), 4, max_radix)};
}

/// Writes the roots between the halves as products: see `matrix::step`.
template <class Real>
void write_products(table_writer<Real>& table, matrix<Real>& shape, std::size_t width,
                    std::size_t n_blocks) {
  const std::size_t a = shape.columns.length, n = a * shape.rows.length;
  const root_products<Real> w{n};
  shape.step = table.next();
  for (std::size_t block = 0; block < n_blocks; ++block) {
    for (std::size_t j2 = 0; j2 < shape.block_pitch / width; ++j2) {
      table.split(width, [&](std::size_t l) {
        return w(j2 * (first_of_tile(block, width, a) + place<Real>(l, width)) % n);
      });
    }
  }
}

/// Writes their factors: see `matrix::step_lane`, `matrix::step_first`.
template <class Real>
void write_factors(table_writer<Real>& table, matrix<Real>& shape, std::size_t width,
                   std::size_t n_blocks) {
  const std::size_t a = shape.columns.length, b = shape.rows.length;
  const root_products<Real> w{a * b};
  shape.step_lane = table.next();
  for (std::size_t j2 = 0; j2 < b; ++j2) {
    table.split(width, [&](std::size_t l) { return w(j2 * place<Real>(l, width)); });
  }
  shape.step_first = table.next();
  const int radix = shape.is_divided ? shape.columns.stages[shape.columns.n_stages - 1].radix : 1;
  const std::size_t n_q = n_blocks / static_cast<std::size_t>(radix);
  for (std::size_t j2 = 0; j2 < b; ++j2) {
    for (std::size_t q = 0; q < n_q; ++q) {
      for (std::size_t block = q; block < n_blocks; block += n_q) {
        table.put(w(j2 * first_of_tile(block, width, a)));
      }
    }
  }
}

template <class Real>
class row_matrix final : public row_method<Real> {
 public:
  row_matrix(const kernels<Real>& kernel_set, std::size_t length, unsigned n_slots)
      : kernels_(kernel_set),
        is_long_(is_long<Real>(length)),
        n_slots_(n_slots),
        width_(static_cast<std::size_t>(kernel_set.width)) {
    matrix_.is_divided = std::has_single_bit(length);
    const auto [columns, rows, cost] =
        matrix_.is_divided ? squarest(length, kernel_set.width, kernel_set.max_radix)
                           : matrix_shape_of(length, width_, sizeof(Real));
    matrix_.columns = columns;
    matrix_.rows = rows;
    matrix_.block_pitch = (rows.length + 1) * width_;  // a vector more: blocks share no cache set
    const std::size_t n_blocks = n_tiles(columns);
    table_ = make_aligned<Real>(chain_reals(columns.length) + chain_reals(rows.length) +
                                (is_long_ ? 2 * rows.length * (width_ + n_blocks) : block_reals()));
    table_writer<Real> table{table_.get()};
    (is_long_ ? write_factors<Real> : write_products<Real>)(table, matrix_, width_, n_blocks);
    write_chain(table, matrix_.columns, 0);
    write_chain(table, matrix_.rows, 0);
    matrix_.roots = table_.get();
  }

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override {
    return is_long_ ? sizeof(Real) * (block_reals() + n_slots_ * scratch_reals()) : 0;
  }
  [[nodiscard]] std::string explain() const override {
    const chain &columns = matrix_.columns, &rows = matrix_.rows;
    return formatted(
        "{} columns of {} points, radices {}, times step roots, {} lanes\n"
        "{} rows of {} points, radices {}, {} lanes",
        rows.length, columns.length, words(columns), width_, columns.length, rows.length,
        words(rows), width_);
  }
  void run(const rows<Real>& given, void* workspace, unsigned n_threads) const override {
    if (is_long_) return run_rows(given, workspace, n_threads);
    share_rows(given, width_, n_threads, [&](const rows<Real>& share) {
      run_rows(share, thread_scratch(sizeof(Real) * (block_reals() + scratch_reals())), 1);
    });
  }

 private:
  [[nodiscard]] std::size_t n_tiles(const chain& side) const noexcept {
    return (side.length + width_ - 1) / width_;
  }
  /// Of the matrix between its halves.
  [[nodiscard]] std::size_t block_reals() const noexcept {
    return 2 * n_tiles(matrix_.columns) * matrix_.block_pitch;
  }
  /// Of one slot.
  [[nodiscard]] std::size_t scratch_reals() const noexcept {
    return 6 * std::max(matrix_.columns.length, matrix_.rows.length) * width_;
  }

  /// One row after another, each on `n_threads` threads.
  void run_rows(const rows<Real>& given, void* workspace, unsigned n_threads) const {
    tiles<Real> work;
    work.blocks = static_cast<Real*>(workspace);
    work.scale = given.scale;
    work.is_swapped = given.is_swapped;
    // The last two tiles, which may overlap, are one thread's.
    const auto run_half = [&](tiles_kernel<Real> half, const chain& side) {
      const auto share = [&](std::size_t begin, std::size_t end, unsigned slot) {
        tiles<Real> part = work;
        part.first = begin;
        part.end = end;
        part.scratch = work.blocks + block_reals() + slot * scratch_reals();
        half(matrix_, part);
      };
      const std::size_t n_shares = std::max<std::size_t>(side.length / width_, 1);
      thread_pool::shared().share(n_tiles(side), n_shares, n_threads, share);
    };
    for (std::size_t row = 0; row < given.count; ++row) {
      work.in = given.in + given.in_pitch * row;
      work.out = given.out + given.out_pitch * row;
      run_half(kernels_.columns, matrix_.rows);
      run_half(kernels_.blocks, matrix_.columns);
    }
  }

  kernels<Real> kernels_;
  bool is_long_;
  unsigned n_slots_;
  std::size_t width_;
  matrix<Real> matrix_;
  aligned_array<Real> table_;
};

}  // namespace

template <class Real>
row_method_pointer<Real> matrix_rows(const kernels<Real>& kernel_set, std::size_t length,
                                     unsigned n_slots) {
  return std::make_unique<const row_matrix<Real>>(kernel_set, length, n_slots);
}

template row_method_pointer<float> matrix_rows(const kernels<float>&, std::size_t, unsigned);
template row_method_pointer<double> matrix_rows(const kernels<double>&, std::size_t, unsigned);

}  // namespace wingbeat::backend::host
