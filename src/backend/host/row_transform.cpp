// SPDX-License-Identifier: Apache-2.0
#include "backend/host/row_transform.hpp"

#include <algorithm>  // max, min
#include <bit>        // countr_zero, has_single_bit

#include "backend/host/chain_tables.hpp"  // factorised, table_writer
#include "backend/host/thread_pool.hpp"   // thread_pool
#include "backend/host/thresholds.hpp"    // limits
#include "formatted.hpp"                  // formatted
#include "root_products.hpp"              // root_products

namespace wingbeat::backend::host {
namespace {

constexpr std::size_t max_tiny = 8;
constexpr std::size_t max_grouped = 64;

/// Returns the lanes one row takes in the grouped method.
constexpr int group_of(std::size_t length) {
  return length == max_grouped ? 8 : 4;
}

/// Returns the widest vector a row of `length` fills: its first stage needs radix and p alike.
int width_of_row(std::size_t length, int widest) {
  int width = widest;
  while (static_cast<std::size_t>(width) * width > length) width /= 2;
  return width;
}

template <class Real>
std::size_t place(std::size_t lane, std::size_t width) {
  return static_cast<std::size_t>(place_of<Real>(static_cast<int>(lane), static_cast<int>(width)));
}

/// The same for a first stage that keeps `width` adjacent p in a vector.  [p / width][k - 1]
template <class Real>
void write_first_stage(table_writer<Real>& to, std::size_t n_p, std::size_t radix,
                       std::size_t width) {
  const root_products<Real> w{n_p * radix};
  for (std::size_t p = 0; p < n_p; p += width) {
    for (std::size_t k = 1; k < radix; ++k) {
      to.split(width, [&](std::size_t l) { return w((p + place<Real>(l, width)) * k); });
    }
  }
}

/// Writes the roots between the halves of a four-step transform; see `four_step`.
template <class Real>
void write_step(table_writer<Real>& to, four_step<Real>& how, std::size_t width) {
  const std::size_t b = how.rows.length;
  const std::size_t n_blocks = how.columns.length / width;
  const auto radix = static_cast<std::size_t>(how.columns.stages[how.columns.n_stages - 1].radix);
  const root_products<Real> w{how.columns.length * b};
  how.step_lane = to.here();
  for (std::size_t j2 = 0; j2 < b; ++j2) {
    to.split(width, [&](std::size_t l) { return w(j2 * place<Real>(l, width)); });
  }
  how.step_first = to.here();
  for (std::size_t j2 = 0; j2 < b; ++j2) {
    for (std::size_t q = 0; q < n_blocks / radix; ++q) {
      for (std::size_t k = 0; k < radix; ++k) {
        to.one(w(j2 * width * (q + k * (n_blocks / radix))));
      }
    }
  }
}

}  // namespace

template <class Real>
bool row_transform<Real>::is_four_step(std::size_t length) noexcept {
  return 2 * sizeof(Real) * length > limits.stockham_bytes;
}

template <class Real>
row_transform<Real>::row_transform(const kernels<Real>& table, std::size_t length, unsigned n_slots)
    : with_(table), length_(length), n_slots_(n_slots) {
  if (!std::has_single_bit(length)) {
    method_ = method::mixed;
    mixed_.emplace(table, length, is_four_step(length), n_slots);
  } else if (length <= max_tiny) {
    method_ = method::tiny;
    forward_ = table.tiny(length, false);
    swapped_ = table.tiny(length, true);
  } else if (length <= max_grouped && group_of(length) <= table.width) {
    method_ = method::grouped;
    prepare_grouped();
  } else if (!is_four_step(length)) {
    method_ = method::stockham;
    prepare_stockham();
  } else {
    method_ = method::four_step;
    prepare_four_step();
  }
  if (method_ == method::tiny || method_ == method::grouped) {
    single_forward_ = table.single(length, false);
    single_swapped_ = table.single(length, true);
  }
}

template <class Real>
void row_transform<Real>::prepare_grouped() {
  const auto group = static_cast<std::size_t>(group_of(length_));
  const std::size_t radix = length_ / group;
  width_ = static_cast<int>(group);
  forward_ = with_.grouped(length_, false);
  swapped_ = with_.grouped(length_, true);
  table_ = make_aligned<Real>(4 * length_);
  table_writer<Real> to{table_.get()};
  const root_products<Real> w{length_};
  for (std::size_t k = 1; k < radix; ++k) {
    to.split(2 * group, [&](std::size_t l) { return w(l % group * k); });
  }
}

template <class Real>
void row_transform<Real>::prepare_stockham() {
  width_ = width_of_row(length_, with_.width);
  chain_ = factorised(length_, width_, with_.max_radix);
  forward_ = with_.stockham(width_, false);
  swapped_ = with_.stockham(width_, true);
  row_scratch_bytes_ = 4 * length_ * sizeof(Real);
  const auto radix = static_cast<std::size_t>(chain_.stages[0].radix);
  table_ = make_aligned<Real>(2 * length_ + chain_reals(length_));
  table_writer<Real> to{table_.get()};
  write_first_stage(to, length_ / radix, radix, static_cast<std::size_t>(width_));
  write_chain(to, chain_, 1);
}

template <class Real>
void row_transform<Real>::prepare_four_step() {
  const int bits = std::countr_zero(length_);
  const auto width = static_cast<std::size_t>(with_.width);
  width_ = with_.width;
  four_step_.columns = factorised(std::size_t{1} << ((bits + 1) / 2), width_, with_.max_radix);
  four_step_.rows = factorised(std::size_t{1} << (bits / 2), 4, with_.max_radix);
  const std::size_t a = four_step_.columns.length;
  const std::size_t b = four_step_.rows.length;
  four_step_.block_pitch = (b + 1) * width;  // one vector more: blocks share no cache set
  table_ =
      make_aligned<Real>(2 * b * width + 2 * b * (a / width) + chain_reals(a) + chain_reals(b));
  table_writer<Real> to{table_.get()};
  write_step(to, four_step_, width);
  write_chain(to, four_step_.columns, 0);
  write_chain(to, four_step_.rows, 0);
  four_step_.roots = table_.get();
}

template <class Real>
std::size_t row_transform<Real>::block_reals() const noexcept {
  return 2 * four_step_.columns.length / static_cast<std::size_t>(width_) * four_step_.block_pitch;
}

template <class Real>
std::size_t row_transform<Real>::scratch_reals() const noexcept {
  const auto width = static_cast<std::size_t>(width_);
  const std::size_t a = four_step_.columns.length;
  return std::max(2 * ((a + width) * width + a), 4 * four_step_.rows.length * width);
}

template <class Real>
std::size_t row_transform<Real>::workspace_bytes() const noexcept {
  if (mixed_) return mixed_->workspace_bytes();
  if (method_ != method::four_step) return 0;
  return sizeof(Real) * (block_reals() + n_slots_ * scratch_reals());
}

template <class Real>
std::string row_transform<Real>::explain() const {
  switch (method_) {
    case method::tiny: return formatted("{} points in registers, a row per lane", length_);
    case method::grouped:
      return formatted("{} points in registers, radices {} x {}, {} lanes a row", length_,
                       length_ / static_cast<std::size_t>(width_), width_, width_);
    case method::stockham:
      return formatted("{} points in cache, radices {}, {} lanes", length_, words(chain_), width_);
    case method::mixed: return mixed_->explain();
    case method::four_step: break;
  }
  const auto& [columns, rows, roots, lane, first, pitch] = four_step_;
  return formatted(
      "{} columns of {} points, radices {}, times step roots, {} lanes\n"
      "{} rows of {} points, radices {}, {} lanes",
      rows.length, columns.length, words(columns), width_, columns.length, rows.length, words(rows),
      width_);
}

template <class Real>
prepared_rows<Real> row_transform<Real>::prepared(const rows<Real>& like) const noexcept {
  prepared_rows<Real> result;
  result.kernel = like.is_swapped ? swapped_ : forward_;
  result.how = chain_;
  result.roots = table_.get();
  result.scratch_bytes = row_scratch_bytes_;
  result.from_zero = like;
  if (like.count == 1) result.single = like.is_swapped ? single_swapped_ : single_forward_;
  result.of_single = {table_.get(), like.scale};
  return result;
}

template <class Real>
void row_transform<Real>::run(const rows<Real>& what, void* workspace, unsigned n_threads) const {
  if (what.count == 1 && single_forward_ != nullptr) {
    const single_row<Real> of_single{table_.get(), what.scale};
    return (what.is_swapped ? single_swapped_ : single_forward_)(
        &of_single, reinterpret_cast<const std::byte*>(what.in),
        reinterpret_cast<std::byte*>(what.out));
  }
  if (method_ == method::four_step) return run_four_step(what, workspace, n_threads);
  if (mixed_ && is_four_step(length_)) return mixed_->run_long(what, workspace, n_threads);
  if (n_threads <= 1) return run_share(what);
  // Shares are whole vectors of rows, so that each row meets the same kernel on any thread.
  const auto width = static_cast<std::size_t>(with_.width);
  const std::size_t n_groups = (what.count + width - 1) / width;
  const std::size_t n_shares = std::min<std::size_t>(n_groups, 4 * n_threads);
  thread_pool::shared().run(n_shares, n_threads, [&](std::size_t i, unsigned) {
    const std::size_t begin = n_groups * i / n_shares * width;
    const std::size_t end = std::min(n_groups * (i + 1) / n_shares * width, what.count);
    rows<Real> part = what;
    part.in += 2 * what.in_pitch * begin;
    part.out += 2 * what.out_pitch * begin;
    part.count = end - begin;
    run_share(part);
  });
}

template <class Real>
void row_transform<Real>::run_share(const rows<Real>& what) const {
  if (mixed_) return mixed_->run(what);
  void* const scratch = row_scratch_bytes_ == 0 ? nullptr : thread_scratch(row_scratch_bytes_);
  (what.is_swapped ? swapped_ : forward_)(chain_, table_.get(), what, static_cast<Real*>(scratch));
}

template <class Real>
void row_transform<Real>::run_four_step(const rows<Real>& what, void* workspace,
                                        unsigned n_threads) const {
  auto& pool = thread_pool::shared();
  auto* const blocks = static_cast<Real*>(workspace);
  Real* const scratch = blocks + block_reals();
  const std::size_t n_column_tiles = four_step_.rows.length / static_cast<std::size_t>(width_);
  const std::size_t n_blocks = four_step_.columns.length / static_cast<std::size_t>(width_);
  for (std::size_t row = 0; row < what.count; ++row) {
    tiles<Real> some;
    some.scale = what.scale;
    some.is_swapped = what.is_swapped;
    const auto tile = [&](std::size_t i, unsigned slot) {
      tiles<Real> one = some;
      one.first = i;
      one.end = i + 1;
      one.scratch = scratch + slot * scratch_reals();
      return one;
    };
    some.in = what.in + 2 * what.in_pitch * row;
    some.out = blocks;
    pool.run(n_column_tiles, n_threads,
             [&](std::size_t i, unsigned slot) { with_.columns(four_step_, tile(i, slot)); });
    some.in = blocks;
    some.out = what.out + 2 * what.out_pitch * row;
    pool.run(n_blocks, n_threads,
             [&](std::size_t i, unsigned slot) { with_.blocks(four_step_, tile(i, slot)); });
  }
}

template class row_transform<float>;
template class row_transform<double>;

}  // namespace wingbeat::backend::host
