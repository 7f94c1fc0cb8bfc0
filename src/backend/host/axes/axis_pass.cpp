// SPDX-License-Identifier: Apache-2.0
#include "backend/host/axes/axis_pass.hpp"

#include <algorithm>  // clamp, fill_n, max, min
#include <cmath>      // log2

#include "backend/host/aligned.hpp"      // aligned_up
#include "backend/host/thread_pool.hpp"  // thread_pool
#include "backend/host/thresholds.hpp"   // limits
#include "text/formatted.hpp"            // formatted

namespace wingbeat::backend::host {
namespace {

unsigned threads_for(const pass& planned) {
  const auto n = static_cast<double>(planned.length);
  const double work = n * static_cast<double>(planned.n_columns()) * std::log2(n);
  return thread_pool::shared().threads_for(work);
}

/// Completes a row of n bins from bins 0 to n/2 by the mirror image.
template <class Real>
void complete_row(Real* row, std::size_t n) {
  row[1] = 0;
  if (n % 2 == 0) row[n + 1] = 0;
  for (std::size_t k = 1; 2 * k < n; ++k) {
    row[2 * (n - k)] = row[2 * k];
    row[2 * (n - k) + 1] = -row[2 * k + 1];
  }
}

bool is_row(const pass_end& end) {
  return end.stride == end.unit();
}

template <class Real>
Real* at(const begin_of_end& begin, std::size_t offset) {
  return reinterpret_cast<Real*>(begin.memory) + begin.offset + offset;
}

}  // namespace

template <class Real>
axis_pass<Real>::axis_pass(const named_set& set, const kernels<Real>& kernel_set,
                           const pass& planned, long double scale, const functors& of_plan)
    : kernels_(kernel_set),
      planned_(planned),
      n_columns_(planned.n_columns()),
      has_mirror_(planned.kind.is_real() && !planned.has_whole_reals()),
      scale_(static_cast<Real>(has_mirror_ && planned.in.is_real() ? scale / 2  // see `split`
                                                                   : scale)),
      n_threads_(threads_for(planned)),
      in_(kernel_set, planned.in, planned.repeats.back().in, of_plan.load, nullptr),
      out_(kernel_set, planned.out, planned.repeats.back().out, nullptr, of_plan.store) {
  const bool are_columns = !planned.kind.is_real() && !is_row(planned.in) && !is_row(planned.out);
  const bool fill_lanes = 2 * n_columns_ >= static_cast<std::size_t>(kernel_set.width);
  if (are_columns && fill_lanes && strip_transform<Real>::fits(planned.length)) {
    choose_strip();
  } else if (planned.kind.is_real() &&
             real_matrix<Real>::pays(planned.kind, planned.length, n_columns_, kernel_set.width)) {
    choose_matrix(set, scale);
  } else {
    choose_rows();
  }
}

/// Rows of reals, in a tile dense.
template <class Real>
void axis_pass<Real>::choose_matrix(const named_set& set, long double scale) {
  matrix_.emplace(set, planned_.kind, planned_.length, scale);
  const arrays::dimension& row = planned_.repeats.back();
  is_in_direct_ = planned_.in.is_plain() && is_row(planned_.in);
  is_out_direct_ = planned_.out.is_plain() && is_row(planned_.out);
  is_in_memory_ = is_in_direct_ && is_out_direct_ && planned_.repeats.size() == 1;
  all_products_ = matrix_->product(row.in, row.out, n_columns_);
  if (is_in_registers(planned_)) {
    alone_ = kernels_.single_reals(planned_.length, planned_.out.is_real());
    row_alone_ = {nullptr, static_cast<Real>(scale), planned_.length};
  }
  tile_pitch_ = planned_.length / 2 + 1;
  tile_columns_ = std::min(limits.short_rows, n_columns_);
}

/// Odd rows that one kernel makes as quickly in a batch as a matrix, and alone faster.
template <class Real>
bool axis_pass<Real>::is_in_registers(const pass& planned) {
  const std::size_t n = planned.length;
  return n % 2 == 1 && has_real_numbers(n, sizeof(Real)) && !planned.kind.is_conjugated();
}

/// Rows of a matrix, or each by the kernel of its length.
template <class Real>
void axis_pass<Real>::run_products(const row_product<Real>& rows, const Real* in, Real* out,
                                   unsigned n_threads) const {
  if (alone_ == nullptr) return matrix_->run(rows, in, out, n_threads);
  const auto share = [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t row = begin; row < end; ++row) {
      alone_(&row_alone_, reinterpret_cast<const std::byte*>(in + row * rows.in_pitch),
             reinterpret_cast<std::byte*>(out + row * rows.out_pitch));
    }
  };
  if (n_threads <= 1) return share(0, rows.count, 0);
  thread_pool::shared().share(rows.count, limits.tiles_per_thread * n_threads, n_threads, share);
}

template <class Real>
void axis_pass<Real>::choose_strip() {
  strip_.emplace(kernels_, planned_.length, planned_.repeats.back().count);
  tile_columns_ = tile_pitch_ = strip_->width();
  const arrays::dimension& lane = planned_.repeats.back();
  is_in_direct_ = planned_.in.is_plain() && planned_.in.stride % 2 == 0 && lane.in == 2;
  is_out_direct_ = planned_.out.is_plain() && planned_.out.stride % 2 == 0 && lane.out == 2;
}

template <class Real>
void axis_pass<Real>::choose_rows() {
  const std::size_t n = planned_.complex_length();
  const arrays::dimension& row = planned_.repeats.back();
  const bool may_be_direct = !is_widened();
  is_in_direct_ = may_be_direct && planned_.in.is_plain() && is_row(planned_.in) && row.in % 2 == 0;
  is_out_direct_ =
      may_be_direct && planned_.out.is_plain() && is_row(planned_.out) && row.out % 2 == 0;
  const std::size_t row_bytes = 2 * n * sizeof(Real);
  const unsigned n_slots = thread_pool::shared().n_threads();
  is_shared_ =
      row_transform<Real>::is_long(n) && (n_columns_ < n_slots || row_bytes > limits.own_row_bytes);
  rows_.emplace(kernels_, n, is_shared_ ? n_slots : 1);
  if (has_mirror_) mirror_.emplace(kernels_, n, planned_.kind.is_conjugated());
  is_in_memory_ = is_in_direct_ && is_out_direct_ && planned_.repeats.size() == 1 &&
                  (is_shared_ || rows_->workspace_bytes() == 0) &&
                  row_transform<Real>::is_long(n) == is_shared_;
  prepared_ = rows_->prepared({.in_pitch = row.in / 2,
                               .out_pitch = row.out / 2,
                               .count = n_columns_,
                               .scale = scale_,
                               .is_swapped = !planned_.kind.is_forward});
  prepared_.in_first = planned_.in.first;
  prepared_.out_first = planned_.out.first;
  if (mirror_ && n_columns_ == 1) {
    alone_ = mirror_->kernel_of_one(planned_.out.is_real());
    row_alone_ = mirror_->row_of_one(scale_);
  }

  std::size_t columns = std::max<std::size_t>(limits.tile_bytes / row_bytes, 1);
  if (n <= limits.short_row) {
    columns = (columns + limits.short_rows - 1) / limits.short_rows * limits.short_rows;
  }
  if (rows_->has_lanes()) {
    const auto width = static_cast<std::size_t>(kernels_.width);
    columns = (columns + width - 1) / width * width;
  }
  if (!is_row(planned_.in) || !is_row(planned_.out)) {
    columns = std::max(columns, limits.line_columns);
  }
  tile_columns_ =
      std::min({columns, std::max<std::size_t>(limits.max_tile_bytes / row_bytes, 1), n_columns_});
  tile_pitch_ = n + (has_mirror_ ? 1 : 0);
  if (n > limits.short_row) tile_pitch_ += limits.tile_padding;
}

template <class Real>
std::size_t axis_pass<Real>::slot_bytes() const noexcept {
  if (strip_) {
    const std::size_t tile = 2 * planned_.length * strip_->width();
    return aligned_up((tile + strip_->scratch_reals()) * sizeof(Real));
  }
  const bool has_tile = !is_in_direct_ || !is_out_direct_;
  const std::size_t tile = has_tile ? 2 * tile_columns_ * tile_pitch_ * sizeof(Real) : 0;
  return aligned_up(tile) + (rows_ ? aligned_up(rows_->workspace_bytes()) : 0);
}

template <class Real>
std::size_t axis_pass<Real>::scratch_bytes() const noexcept {
  return slot_bytes() * n_slots();
}

/// No more threads take part than there are tiles.
template <class Real>
unsigned axis_pass<Real>::n_slots() const noexcept {
  if (is_shared_) return 1;
  const std::size_t n_tiles = (n_columns_ + tile_columns_ - 1) / tile_columns_;
  return static_cast<unsigned>(std::min<std::size_t>(n_tiles, n_threads_));
}

template <class Real>
typename axis_pass<Real>::slot axis_pass<Real>::slot_at(std::byte* scratch, unsigned index) const {
  slot result{};
  std::byte* const begin = scratch + slot_bytes() * index;
  result.tile = reinterpret_cast<Real*>(begin);
  result.n_threads = is_shared_ ? n_threads_ : 1;
  if (strip_) {
    result.scratch = result.tile + 2 * planned_.length * strip_->width();
  } else if (rows_) {
    result.scratch =
        reinterpret_cast<Real*>(begin + slot_bytes() - aligned_up(rows_->workspace_bytes()));
  }
  return result;
}

template <class Real>
std::size_t axis_pass<Real>::n_inner_crossings() const noexcept {
  if (!rows_ || rows_->n_crossings() != 2) return 0;
  // A row that outgrows the cache crosses again between its halves, its mirror image and its ends.
  return static_cast<std::size_t>(rows_->n_crossings() - 1) + (mirror_ ? 1 : 0) +
         (is_in_direct_ ? 0 : 1) + (is_out_direct_ ? 0 : 1);
}

template <class Real>
std::string axis_pass<Real>::explain() const {
  std::string text;
  if (!is_in_direct_)
    text += planned_.in.is_functor ? planned_.in.functor_title + "\n" : "gathered into tiles\n";
  const auto mirror =
      formatted("{} bins of {} and mirror image", planned_.length / 2 + 1, planned_.length);
  if (rows_ && planned_.out.is_real()) text += mirror + " combined\n";
  if (matrix_ && alone_ != nullptr) {
    text += formatted("{} reals in registers", planned_.length);
  } else {
    text += strip_ ? strip_->explain() : matrix_ ? matrix_->explain() : rows_->explain();
  }
  if (mirror_ && planned_.in.is_real()) text += "\n" + mirror + " separated";
  if (!is_out_direct_)
    text += planned_.out.is_functor ? "\n" + planned_.out.functor_title : "\nscattered from tiles";
  return text;
}

/// Rows that follow each other in memory as columns do.
template <class Real>
typename axis_pass<Real>::placed_rows axis_pass<Real>::rows_at(const Real* in, Real* out,
                                                               std::size_t count) const {
  const arrays::dimension& row = planned_.repeats.back();
  return {in + planned_.in.first, out + planned_.out.first, row.in, row.out, count};
}

/// One kernel where that does it all.
template <class Real>
direct_run axis_pass<Real>::direct() const noexcept {
  if (!is_in_memory_ || is_shared_ || n_threads_ > 1) return {};
  const bool is_at_start = planned_.in.first == 0 && planned_.out.first == 0;
  if (is_at_start && alone_ != nullptr && n_columns_ == 1) return {alone_, &row_alone_};
  if (is_at_start && matrix_ && alone_ == nullptr) return {matrix_->kernel(), &all_products_};
  if (is_at_start && prepared_.single != nullptr) {
    if (!mirror_) return {prepared_.single, &prepared_.of_single};
    if (rows_->length() <= mirror_transform<Real>::longest_of_one) {
      return {[](const void* pass, const std::byte* in, std::byte* out) {
                const auto& own = *static_cast<const axis_pass*>(pass);
                own.mirror_->run_one(own.planned_.out.is_real(), own.prepared_.single,
                                     own.prepared_.of_single, in, out);
              },
              this};
    }
  }
  if (!mirror_ && prepared_.kernel != nullptr) {
    return {[](const void* prepared, const std::byte* in, std::byte* out) {
              static_cast<const prepared_rows<Real>*>(prepared)->run(
                  reinterpret_cast<const Real*>(in), reinterpret_cast<Real*>(out));
            },
            &prepared_};
  }
  return {[](const void* pass, const std::byte* in, std::byte* out) {
            const auto& own = *static_cast<const axis_pass*>(pass);
            own.transform_rows(own.rows_at(reinterpret_cast<const Real*>(in),
                                           reinterpret_cast<Real*>(out), own.n_columns_),
                               nullptr, 1);
          },
          this};
}

template <class Real>
void axis_pass<Real>::run(const begin_of_end& in, const begin_of_end& out, std::byte* scratch,
                          std::size_t first, std::size_t count) const {
  if (is_in_memory_) {
    const arrays::dimension& row = planned_.repeats.back();
    return transform_rows(
        rows_at(at<Real>(in, first * row.in), at<Real>(out, first * row.out), count),
        reinterpret_cast<Real*>(scratch), n_threads_);
  }
  const auto tile = [&](std::size_t i, const slot& own) {
    const std::size_t begin = i * tile_columns_;
    const std::size_t n = std::min(tile_columns_, count - begin);
    if (strip_) return run_strip(first + begin, n, in, out, own);
    run_rows(first + begin, n, in, out, own);
  };
  const std::size_t n_tiles = (count + tile_columns_ - 1) / tile_columns_;
  const auto share = [&](std::size_t begin, std::size_t end, unsigned index) {
    for (std::size_t i = begin; i < end; ++i) tile(i, slot_at(scratch, index));
  };
  thread_pool::shared().share(n_tiles, limits.tiles_per_thread * n_threads_,
                              is_shared_ ? 1 : n_threads_, share);
}

template <class Real>
void axis_pass<Real>::transform_rows(const placed_rows& given, Real* scratch,
                                     unsigned n_threads) const {
  if (matrix_) {
    return run_products(matrix_->product(given.in_pitch, given.out_pitch, given.count), given.in,
                        given.out, n_threads);
  }
  const rows<Real> work{given.in,    given.out, given.in_pitch / 2,       given.out_pitch / 2,
                        given.count, scale_,    !planned_.kind.is_forward};
  if (!mirror_) return rows_->run(work, scratch, n_threads);
  mirror_->run(planned_.out.is_real(), *rows_, work, scratch, n_threads);
}

/// Rows of whole reals are complex ones in the tile, whose imaginary parts are 0.
template <class Real>
void axis_pass<Real>::fetch_rows(const begin_of_end& begin, std::size_t n_rows,
                                 const slot& own) const {
  if (is_widened() && planned_.in.is_real())
    std::fill_n(own.tile, 2 * tile_pitch_ * n_rows, Real{0});
  in_.fetch(begin, n_rows, row_shape(planned_.in), own.tile, own.n_threads);
  if (!is_widened() || planned_.in.is_real()) return;
  for (std::size_t row = 0; row < n_rows; ++row) {
    complete_row(own.tile + 2 * tile_pitch_ * row, planned_.length);
  }
}

template <class Real>
tile_shape axis_pass<Real>::row_shape(const pass_end& end) const {
  const bool is_dense = end.is_real() && !is_widened();
  return {is_dense ? std::size_t{1} : std::size_t{2}, 2 * tile_pitch_};
}

template <class Real>
void axis_pass<Real>::run_rows(std::size_t first, std::size_t count, const begin_of_end& in,
                               const begin_of_end& out, const slot& own) const {
  by_runs(planned_.repeats, first, count, [&](std::size_t from, std::size_t to, std::size_t n) {
    from += planned_.in.first;
    to += planned_.out.first;
    placed_rows work{own.tile, own.tile, 2 * tile_pitch_, 2 * tile_pitch_, n};
    if (is_in_direct_) {
      work.in = at<Real>(in, from);
      work.in_pitch = planned_.repeats.back().in;
    } else {
      fetch_rows(in.advanced(from), n, own);
    }
    if (is_out_direct_) {
      work.out = at<Real>(out, to);
      work.out_pitch = planned_.repeats.back().out;
    }
    transform_rows(work, own.scratch, own.n_threads);
    if (is_out_direct_) return;
    out_.put(own.tile, row_shape(planned_.out), n, out.advanced(to), own.n_threads);
  });
}

template <class Real>
void axis_pass<Real>::run_strip(std::size_t first, std::size_t count, const begin_of_end& in,
                                const begin_of_end& out, const slot& own) const {
  const std::size_t width = strip_->width();
  const tile_shape shape{2 * width, 2};
  if (count < width) std::fill_n(own.tile, 2 * width * planned_.length, Real{0});
  strip<Real> work;
  work.in = own.tile;
  work.out = own.tile;
  work.in_pitch = work.out_pitch = width;
  work.scratch = own.scratch;
  work.scale = scale_;
  work.is_swapped = !planned_.kind.is_forward;
  std::size_t column = 0;
  by_runs(planned_.repeats, first, count, [&](std::size_t from, std::size_t to, std::size_t n) {
    from += planned_.in.first;
    to += planned_.out.first;
    if (is_out_direct_ && n == width) {
      work.out = at<Real>(out, to);
      work.out_pitch = planned_.out.stride / 2;
    }
    if (is_in_direct_ && n == width) {
      work.in = at<Real>(in, from);
      work.in_pitch = planned_.in.stride / 2;
    } else {
      in_.fetch(in.advanced(from), n, shape, own.tile + 2 * column, 1);
    }
    column += n;
  });
  strip_->run(work);
  if (work.out != own.tile) return;
  column = 0;
  by_runs(planned_.repeats, first, count, [&](std::size_t, std::size_t to, std::size_t n) {
    to += planned_.out.first;
    out_.put(own.tile + 2 * column, shape, n, out.advanced(to), 1);
    column += n;
  });
}

template class axis_pass<float>;
template class axis_pass<double>;

}  // namespace wingbeat::backend::host
