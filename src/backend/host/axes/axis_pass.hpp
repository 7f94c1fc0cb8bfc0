// SPDX-License-Identifier: Apache-2.0
// One pass of a host plan: all columns of one axis, in memory where kernels can work on it, else
// through tiles that stay in cache.
#pragma once

#include <algorithm>  // fill_n, min
#include <cmath>      // log2
#include <cstddef>    // size_t, byte
#include <optional>
#include <string>

#include "backend/backend.hpp"                    // direct_run
#include "backend/host/aligned.hpp"               // aligned_up
#include "backend/host/axes/ends.hpp"             // tile_end, rows_of_tile
#include "backend/host/axes/passes.hpp"           // pass
#include "backend/host/rows/row_method.hpp"       // row_method, complex_rows, real_rows
#include "backend/host/rows/strip_transform.hpp"  // strip_transform

namespace wingbeat::backend::host {

/// The functors of a plan, null without.
struct functors {
  const host_load* load = nullptr;
  const host_store* store = nullptr;
};

inline unsigned threads_for(const pass& planned) {
  const auto n = static_cast<double>(planned.length);
  return thread_pool::shared().threads_for(n * static_cast<double>(planned.n_columns()) *
                                           std::log2(n));
}

/// Returns whether the elements along the axis are neighbours.
inline bool is_row(const pass_end& end) {
  return end.stride == end.unit();
}

inline std::string title_of(const pass_end& end, const char* otherwise) {
  return end.is_functor ? end.functor_title : otherwise;
}

template <class Real>
Real* reals_at(const begin_of_end& begin, std::size_t offset) {
  return reinterpret_cast<Real*>(begin.memory) + begin.offset + offset;
}

/// Completes a row of an odd number n of bins from bins 0 to n/2 by the mirror image.
template <class Real>
void complete_row(Real* row, std::size_t n) {
  row[1] = 0;
  for (std::size_t k = 1; 2 * k < n; ++k) {
    row[2 * (n - k)] = row[2 * k];
    row[2 * (n - k) + 1] = -row[2 * k + 1];
  }
}

/// Returns how rows of an end stand in a tile, `pitch` complex numbers apart.
inline tile_shape row_shape(const pass_end& end, bool is_widened, std::size_t pitch) {
  return {std::size_t{end.is_real() && !is_widened ? 1U : 2U}, 2 * pitch};
}

template <class Real>
class axis_pass {
 public:
  /// `scale` is applied on the way out. The functors outlive this.
  axis_pass(const named_set& set, const pass& planned, long double scale, const functors& of_plan)
      : planned_(planned),
        n_columns_(planned.n_columns()),
        scale_(static_cast<Real>(scale)),
        n_threads_(threads_for(planned)),
        in_(kernels_of<Real>(set), planned.in, planned.repeats.back().in, of_plan.load, nullptr),
        out_(kernels_of<Real>(set), planned.out, planned.repeats.back().out, nullptr,
             of_plan.store) {
    const kernels<Real>& kernel_set = kernels_of<Real>(set);
    const bool are_columns = !planned.kind.is_real() && !is_row(planned.in) && !is_row(planned.out);
    const bool fill_lanes = 2 * n_columns_ >= static_cast<std::size_t>(kernel_set.width);
    if (!are_columns || !fill_lanes || !strip_transform<Real>::fits(planned.length)) {
      choose_rows(set, scale);
      return;
    }
    const arrays::dimension& lane = planned.repeats.back();
    strip_.emplace(kernel_set, planned.length, lane.count);
    tile_columns_ = tile_pitch_ = strip_->width();
    is_in_direct_ = planned.in.is_plain() && planned.in.stride % 2 == 0 && lane.in == 2;
    is_out_direct_ = planned.out.is_plain() && planned.out.stride % 2 == 0 && lane.out == 2;
  }

  [[nodiscard]] const pass& planned() const noexcept { return planned_; }

  /// Returns the bytes of aligned memory that `run` needs for itself.
  [[nodiscard]] std::size_t scratch_bytes() const noexcept {
    return slot_bytes() * (is_shared_ ? 1 : std::min<std::size_t>(n_tiles(n_columns_), n_threads_));
  }

  /// Returns how often numbers that outgrow the cache are written and read again within the pass:
  /// between the halves of a row, its mirror image and its ends.
  [[nodiscard]] std::size_t n_inner_crossings() const noexcept {
    if (strip_ || !is_long<Real>(planned_.complex_length())) return 0;
    const bool has_mirror = planned_.kind.is_real() && !is_widened_;
    return 1U + has_mirror + !is_in_direct_ + !is_out_direct_;
  }

  /// Returns one line per step.
  [[nodiscard]] std::string explain() const {
    std::string text = strip_ ? strip_->explain() : rows_->explain();
    if (planned_.kind.is_real_to_real()) text = std::string{planned_.kind.name} + " of " + text;
    if (!is_in_direct_) text = title_of(planned_.in, "gathered into tiles") + "\n" + text;
    if (!is_out_direct_) text += "\n" + title_of(planned_.out, "scattered from tiles");
    return text;
  }

  /// Transforms `count` columns from `first` on. `in` and `out` may be one memory if they lie
  /// alike. The result has the same bits for any number of threads.
  void run(const begin_of_end& in, const begin_of_end& out, std::byte* scratch, std::size_t first,
           std::size_t count) const {
    if (is_in_memory_) {
      rows<Real> work = memory_rows(count);
      work.in = reals_at<Real>(in, planned_.in.first + first * work.in_pitch);
      work.out = reals_at<Real>(out, planned_.out.first + first * work.out_pitch);
      return rows_->run(work, scratch, n_threads_);
    }
    const auto share = [&](std::size_t begin, std::size_t end, unsigned index) {
      auto* const tile = reinterpret_cast<Real*>(scratch + slot_bytes() * index);
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t column = i * tile_columns_, n = std::min(tile_columns_, count - column);
        strip_ ? run_strip(first + column, n, in, out, tile)
               : run_rows(first + column, n, in, out, tile);
      }
    };
    thread_pool::shared().share(n_tiles(count), limits.tiles_per_thread * n_threads_,
                                is_shared_ ? 1 : n_threads_, share);
  }

  /// Returns `run` of all columns as one call, which reads this; see backend::call::direct.
  [[nodiscard]] direct_run direct() noexcept {
    if (!is_in_memory_ || is_shared_ || n_threads_ > 1) return {};
    prepared_.shape = memory_rows(n_columns_);
    prepared_.in_first = planned_.in.first;
    prepared_.out_first = planned_.out.first;
    return rows_->direct(prepared_);
  }

 private:
  void choose_rows(const named_set& set, long double scale) {
    const std::size_t n = planned_.complex_length();
    const unsigned n_threads = thread_pool::shared().n_threads();
    is_shared_ =
        is_long<Real>(n) && (n_columns_ < n_threads || 2 * n * sizeof(Real) > limits.own_row_bytes);
    const unsigned n_slots = is_shared_ ? n_threads : 1;
    if (planned_.kind.is_real()) {
      rows_ = real_rows<Real>(set, {planned_.kind, planned_.length, scale, planned_.orthogonalizes},
                              n_columns_, n_slots);
    }
    is_widened_ = planned_.kind.is_real() && !rows_;
    if (!rows_) rows_ = complex_rows(kernels_of<Real>(set), n, n_slots);
    is_in_direct_ = !is_widened_ && planned_.in.is_plain() && is_row(planned_.in);
    is_out_direct_ = !is_widened_ && planned_.out.is_plain() && is_row(planned_.out);
    is_in_memory_ = is_in_direct_ && is_out_direct_ && planned_.repeats.size() == 1 &&
                    (is_shared_ || rows_->workspace_bytes() == 0) && is_long<Real>(n) == is_shared_;
    const bool is_of_reals = planned_.kind.is_real() && !is_widened_;
    const std::size_t row = is_of_reals ? planned_.length / 2 : planned_.length;
    tile_columns_ = rows_of_tile<Real>(std::max<std::size_t>(row, 1), rows_->rows_together(),
                                       !is_row(planned_.in) || !is_row(planned_.out), n_columns_);
    tile_pitch_ = tile_pitch_of(row) + (is_of_reals ? 1 : 0);
  }

  [[nodiscard]] std::size_t n_tiles(std::size_t n) const { return (n - 1) / tile_columns_ + 1; }

  /// What one thread works with: a tile, and scratch behind it.
  [[nodiscard]] std::size_t tile_bytes() const noexcept {
    if (strip_) return 2 * planned_.length * strip_->width() * sizeof(Real);
    if (is_in_direct_ && is_out_direct_) return 0;
    return aligned_up(2 * tile_columns_ * tile_pitch_ * sizeof(Real));
  }
  [[nodiscard]] std::size_t slot_bytes() const noexcept {
    if (strip_) return aligned_up(tile_bytes() + strip_->scratch_reals() * sizeof(Real));
    return tile_bytes() + aligned_up(rows_->workspace_bytes());
  }

  /// Rows that follow each other in memory as columns do.
  [[nodiscard]] rows<Real> memory_rows(std::size_t count) const noexcept {
    const arrays::dimension& row = planned_.repeats.back();
    return {nullptr, nullptr, row.in, row.out, count, scale_, !planned_.kind.is_forward};
  }

  /// Rows of whole reals are complex ones in the tile, whose imaginary parts are 0.
  void fetch_rows(const begin_of_end& begin, std::size_t n_rows, Real* tile,
                  unsigned n_threads) const {
    const std::size_t pitch = 2 * tile_pitch_;
    if (is_widened_ && planned_.in.is_real()) std::fill_n(tile, pitch * n_rows, Real{0});
    in_.fetch(begin, n_rows, row_shape(planned_.in, is_widened_, tile_pitch_), tile, n_threads);
    const std::size_t n_halves = is_widened_ && !planned_.in.is_real() ? n_rows : 0;
    for (std::size_t i = 0; i < n_halves; ++i) complete_row(tile + pitch * i, planned_.length);
  }

  void run_rows(std::size_t first, std::size_t count, const begin_of_end& in,
                const begin_of_end& out, Real* tile) const {
    const unsigned n_threads = is_shared_ ? n_threads_ : 1;
    by_runs(planned_.repeats, first, count, [&](std::size_t from, std::size_t to, std::size_t n) {
      from += planned_.in.first;
      to += planned_.out.first;
      rows<Real> work = memory_rows(n);
      if (!is_in_direct_) work.in_pitch = 2 * tile_pitch_;
      if (!is_out_direct_) work.out_pitch = 2 * tile_pitch_;
      work.in = is_in_direct_ ? reals_at<Real>(in, from) : tile;
      work.out = is_out_direct_ ? reals_at<Real>(out, to) : tile;
      if (!is_in_direct_) fetch_rows(in.advanced(from), n, tile, n_threads);
      rows_->run(work, tile + tile_bytes() / sizeof(Real), n_threads);
      if (!is_out_direct_) {
        out_.put(tile, row_shape(planned_.out, is_widened_, tile_pitch_), n, out.advanced(to),
                 n_threads);
      }
    });
  }

  void run_strip(std::size_t first, std::size_t count, const begin_of_end& in,
                 const begin_of_end& out, Real* tile) const {
    const std::size_t width = strip_->width();
    const tile_shape shape{2 * width, 2};
    if (count < width) std::fill_n(tile, 2 * width * planned_.length, Real{0});
    Real* const scratch = tile + tile_bytes() / sizeof(Real);
    strip<Real> work{tile, tile, width, width, scratch, scale_, !planned_.kind.is_forward};
    std::size_t column = 0;
    by_runs(planned_.repeats, first, count, [&](std::size_t from, std::size_t to, std::size_t n) {
      from += planned_.in.first;
      to += planned_.out.first;
      if (is_out_direct_ && n == width) {
        work.out = reals_at<Real>(out, to);
        work.out_pitch = planned_.out.stride / 2;
      }
      if (is_in_direct_ && n == width) {
        work.in = reals_at<Real>(in, from);
        work.in_pitch = planned_.in.stride / 2;
      } else {
        in_.fetch(in.advanced(from), n, shape, tile + 2 * column, 1);
      }
      column += n;
    });
    strip_->run(work);
    if (work.out != tile) return;
    column = 0;
    by_runs(planned_.repeats, first, count, [&](std::size_t, std::size_t target, std::size_t n) {
      out_.put(tile + 2 * column, shape, n, out.advanced(planned_.out.first + target), 1);
      column += n;
    });
  }

  pass planned_;
  std::size_t n_columns_;
  Real scale_;
  unsigned n_threads_;
  tile_end<Real> in_, out_;
  bool is_in_direct_ = false, is_out_direct_ = false;
  bool is_in_memory_ = false;  ///< All columns are rows of one pitch that need no tiles.
  bool is_widened_ = false;    ///< Reals are complex rows of the whole length.
  bool is_shared_ = false;     ///< Threads share one transform, not the columns.
  std::optional<strip_transform<Real>> strip_;
  row_method_pointer<Real> rows_;  ///< Null with strips.
  prepared_rows<Real> prepared_;
  std::size_t tile_columns_ = 1;  ///< Columns that are transformed together.
  std::size_t tile_pitch_ = 0;    ///< Complex numbers from one row of a tile to the next.
};

}  // namespace wingbeat::backend::host
