// SPDX-License-Identifier: Apache-2.0
#include "backend/host/mixed_transform.hpp"

#include <algorithm>  // fill_n, max, min

#include "backend/host/chain_tables.hpp"  // table_writer, write_chain, chain_reals, words
#include "backend/host/mixed_chain.hpp"   // mixed_chain, matrix_shape_of
#include "backend/host/thread_pool.hpp"   // thread_pool
#include "backend/host/thresholds.hpp"    // limits
#include "formatted.hpp"                  // formatted
#include "root_products.hpp"              // root_products

namespace wingbeat::backend::host {
namespace {

template <class Real>
std::size_t place(std::size_t lane, std::size_t width) {
  return static_cast<std::size_t>(place_of<Real>(static_cast<int>(lane), static_cast<int>(width)));
}

/// Writes the roots between the halves as products: see `matrix::step`.
template <class Real>
void write_step(table_writer<Real>& to, const matrix<Real>& how, std::size_t width,
                std::size_t n_tiles) {
  const std::size_t n = how.columns.length * how.rows.length;
  const root_products<Real> w{n};
  for (std::size_t tile = 0; tile < n_tiles; ++tile) {
    for (std::size_t k1 = 0; k1 < how.columns.length; ++k1) {
      to.split(width,
               [&](std::size_t l) { return w(k1 * (tile * width + place<Real>(l, width)) % n); });
    }
  }
}

/// Writes their factors: see `matrix::step_lane`, `matrix::step_first`.
template <class Real>
void write_step_factors(table_writer<Real>& to, matrix<Real>& how, std::size_t width,
                        std::size_t n_tiles) {
  how.step_lane = to.here();
  write_step(to, how, width, 1);
  how.step_first = to.here();
  const root_products<Real> w{how.columns.length * how.rows.length};
  for (std::size_t tile = 0; tile < n_tiles; ++tile) {
    for (std::size_t k1 = 0; k1 < how.columns.length; ++k1) to.one(w(k1 * tile * width));
  }
}

}  // namespace

template <class Real>
mixed_transform<Real>::mixed_transform(const kernels<Real>& table, std::size_t length, bool is_long,
                                       unsigned n_slots)
    : with_(table),
      length_(length),
      is_long_(is_long),
      is_in_lanes_(length <= limits.longest_in_lanes),
      n_slots_(n_slots) {
  if (is_in_lanes_) {
    prepare_lanes();
  } else {
    prepare_matrix();
  }
}

template <class Real>
void mixed_transform<Real>::prepare_lanes() {
  chain_ = mixed_chain(length_);
  table_ = make_aligned<Real>(chain_reals(length_));
  table_writer<Real> to{table_.get()};
  write_chain(to, chain_, 0);
}

template <class Real>
void mixed_transform<Real>::prepare_matrix() {
  const auto [columns, rows] = matrix_shape_of(length_, width());
  matrix_.columns = columns;
  matrix_.rows = rows;
  const std::size_t a = columns.length, b = rows.length;
  matrix_.block_pitch = (b + 1) * width();  // one vector more: blocks share no cache set
  const std::size_t step_reals =
      is_long_ ? 2 * a * (width() + n_column_tiles()) : 2 * a * width() * n_column_tiles();
  table_ = make_aligned<Real>(step_reals + chain_reals(a) + chain_reals(b));
  table_writer<Real> to{table_.get()};
  if (is_long_) {
    write_step_factors(to, matrix_, width(), n_column_tiles());
  } else {
    matrix_.step = to.here();
    write_step(to, matrix_, width(), n_column_tiles());
  }
  write_chain(to, matrix_.columns, 0);
  write_chain(to, matrix_.rows, 0);
  matrix_.roots = table_.get();
}

template <class Real>
std::size_t mixed_transform<Real>::width() const noexcept {
  return static_cast<std::size_t>(with_.width);
}

template <class Real>
std::size_t mixed_transform<Real>::n_column_tiles() const noexcept {
  return (matrix_.rows.length + width() - 1) / width();
}

template <class Real>
std::size_t mixed_transform<Real>::n_blocks() const noexcept {
  return (matrix_.columns.length + width() - 1) / width();
}

template <class Real>
std::size_t mixed_transform<Real>::block_reals() const noexcept {
  return 2 * n_blocks() * matrix_.block_pitch;
}

template <class Real>
std::size_t mixed_transform<Real>::scratch_reals() const noexcept {
  return 6 * std::max(matrix_.columns.length, matrix_.rows.length) * width();
}

template <class Real>
std::size_t mixed_transform<Real>::workspace_bytes() const noexcept {
  return is_long_ ? sizeof(Real) * (block_reals() + n_slots_ * scratch_reals()) : 0;
}

template <class Real>
std::string mixed_transform<Real>::explain() const {
  if (is_in_lanes_) {
    return formatted("{} points in cache, radices {}, a row per lane", length_, words(chain_));
  }
  const auto& [columns, rows, roots, lane, first, step, pitch] = matrix_;
  return formatted(
      "{} columns of {} points, radices {}, times step roots, {} lanes\n"
      "{} rows of {} points, radices {}, {} lanes",
      rows.length, columns.length, words(columns), width(), columns.length, rows.length,
      words(rows), width());
}

template <class Real>
void mixed_transform<Real>::run(const rows<Real>& what) const {
  return is_in_lanes_ ? run_in_lanes(what) : run_matrix(what);
}

template <class Real>
void mixed_transform<Real>::run_in_lanes(const rows<Real>& what) const {
  const std::size_t tile_reals = 2 * length_ * width();
  auto* const tile = static_cast<Real*>(thread_scratch(3 * tile_reals * sizeof(Real)));
  strip<Real> lanes;
  lanes.in = lanes.out = tile;
  lanes.in_pitch = lanes.out_pitch = width();
  lanes.scratch = tile + tile_reals;
  lanes.scale = what.scale;
  lanes.is_swapped = what.is_swapped;
  rectangle moved;
  moved.imaginary_at = 1;
  moved.run_length = length_;
  moved.memory_step = moved.tile_run = 2;
  moved.tile_step = 2 * width();
  for (std::size_t row = 0; row < what.count; row += width()) {
    moved.n_runs = std::min(width(), what.count - row);
    if (moved.n_runs < width()) std::fill_n(tile, tile_reals, Real{0});
    moved.memory_run = 2 * what.in_pitch;
    with_.gather(moved, what.in + 2 * what.in_pitch * row, tile);
    with_.mixed.strip_of(chain_, table_.get(), lanes);
    moved.memory_run = 2 * what.out_pitch;
    with_.scatter(moved, tile, what.out + 2 * what.out_pitch * row);
  }
}

template <class Real>
void mixed_transform<Real>::run_matrix(const rows<Real>& what) const {
  const std::size_t reals = block_reals() + scratch_reals();
  auto* const blocks = static_cast<Real*>(thread_scratch(reals * sizeof(Real)));
  tiles<Real> half;
  half.scratch = blocks + block_reals();
  half.scale = what.scale;
  half.is_swapped = what.is_swapped;
  for (std::size_t row = 0; row < what.count; ++row) {
    half.in = what.in + 2 * what.in_pitch * row;
    half.out = blocks;
    half.end = n_column_tiles();
    with_.mixed.columns(matrix_, half);
    half.in = blocks;
    half.out = what.out + 2 * what.out_pitch * row;
    half.end = n_blocks();
    with_.mixed.blocks(matrix_, half);
  }
}

template <class Real>
void mixed_transform<Real>::run_long(const rows<Real>& what, void* workspace,
                                     unsigned n_threads) const {
  auto& pool = thread_pool::shared();
  auto* const blocks = static_cast<Real*>(workspace);
  Real* const scratch = blocks + block_reals();
  for (std::size_t row = 0; row < what.count; ++row) {
    tiles<Real> half;
    half.scale = what.scale;
    half.is_swapped = what.is_swapped;
    const auto tile = [&](std::size_t i, unsigned slot) {
      tiles<Real> one = half;
      one.first = i;
      one.end = i + 1;
      one.scratch = scratch + slot * scratch_reals();
      return one;
    };
    half.in = what.in + 2 * what.in_pitch * row;
    half.out = blocks;
    pool.run(n_column_tiles(), n_threads,
             [&](std::size_t i, unsigned slot) { with_.mixed.columns(matrix_, tile(i, slot)); });
    half.in = blocks;
    half.out = what.out + 2 * what.out_pitch * row;
    pool.run(n_blocks(), n_threads,
             [&](std::size_t i, unsigned slot) { with_.mixed.blocks(matrix_, tile(i, slot)); });
  }
}

template class mixed_transform<float>;
template class mixed_transform<double>;

}  // namespace wingbeat::backend::host
