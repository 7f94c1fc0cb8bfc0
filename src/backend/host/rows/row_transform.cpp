// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/row_transform.hpp"

#include <algorithm>  // fill_n, min
#include <bit>        // has_single_bit
#include <cmath>      // ceil, isfinite
#include <utility>    // move

#include "backend/host/rows/chain_tables.hpp"      // factorised, table_writer
#include "backend/host/rows/chirp_transform.hpp"   // chirp_transform
#include "backend/host/rows/matrix_transform.hpp"  // matrix_transform
#include "backend/host/rows/mixed_chain.hpp"       // has_radices, transposed_chain_of
#include "backend/host/thread_pool.hpp"            // thread_pool
#include "backend/host/thresholds.hpp"             // limits
#include "roots/root_products.hpp"                 // root_products
#include "text/formatted.hpp"                      // formatted
#include "wingbeat/good_length.hpp"                // is_good_length

namespace wingbeat::backend::host {
namespace {

constexpr std::size_t max_tiny = 15;
constexpr std::size_t max_grouped = 64;

/// What a kernel of one row takes of the time of the same stages as calls, beside lanes of as many
/// rows: of fp64 they are few.
template <class Real>
constexpr double cost_without_calls = sizeof(Real) == 8 ? 0.75 : 1;

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

/// Writes w^(pk) of a first stage that keeps `width` adjacent p in a vector.  [tile of p][k - 1]
template <class Real>
void write_first_stage(table_writer<Real>& table, std::size_t n_p, std::size_t radix,
                       std::size_t width) {
  const root_products<Real> w{n_p * radix};
  for (std::size_t tile = 0; tile * width < n_p; ++tile) {
    const std::size_t p = first_of_tile(tile, width, n_p);
    for (std::size_t k = 1; k < radix; ++k) {
      table.split(width, [&](std::size_t l) { return w((p + place<Real>(l, width)) * k); });
    }
  }
}

}  // namespace

template <class Real>
bool row_transform<Real>::is_long(std::size_t length) noexcept {
  return 2 * sizeof(Real) * length > limits.stockham_bytes;
}

template <class Real>
row_transform<Real>::row_transform(const kernels<Real>& kernel_set, std::size_t length,
                                   unsigned n_slots)
    : kernels_(kernel_set), length_(length) {
  const bool is_power_of_two = std::has_single_bit(length);
  prepare_single();
  if (length <= max_tiny) {
    prepare_tiny();
  } else if (is_power_of_two && length <= max_grouped && group_of(length) <= kernel_set.width) {
    prepare_grouped();
  } else if (is_power_of_two && !is_long(length)) {
    prepare_stockham();
  } else if (!is_good_length(length) && length <= longest_direct) {
    prepare_direct();
  } else if (!has_radices(length, static_cast<std::size_t>(kernel_set.width), sizeof(Real))) {
    prepare_chirp(n_slots);
  } else if (is_mixed(length)) {
    prepare_mixed();
  } else {
    whole_ = std::make_unique<matrix_transform<Real>>(kernel_set, length, is_long(length), n_slots);
  }
}

template <class Real>
void row_transform<Real>::prepare_single() {
  single_ = {kernels_.single(length_, false), kernels_.single(length_, true)};
  const auto [radix, width] = two_stages_of(length_, sizeof(Real), kernels_.width);
  if (radix == 0) return;
  const auto a = static_cast<std::size_t>(radix), w = static_cast<std::size_t>(width);
  single_table_ = make_aligned<Real>(2 * a * (length_ / a + w));
  table_writer<Real> table{single_table_.get()};
  write_first_stage(table, length_ / a, a, w);
}

template <class Real>
void row_transform<Real>::prepare_tiny() {
  text_ = formatted("{} points in registers, rows side by side", length_);
  kernel_ = {kernels_.tiny(length_, false), kernels_.tiny(length_, true)};
}

template <class Real>
void row_transform<Real>::prepare_grouped() {
  const auto group = static_cast<std::size_t>(group_of(length_));
  const std::size_t radix = length_ / group;
  width_ = static_cast<int>(group);
  text_ = formatted("{} points in registers, radices {} x {}, {} lanes a row", length_, radix,
                    width_, width_);
  kernel_ = {kernels_.grouped(length_, false), kernels_.grouped(length_, true)};
  table_ = make_aligned<Real>(4 * length_);
  table_writer<Real> table{table_.get()};
  const root_products<Real> w{length_};
  for (std::size_t k = 1; k < radix; ++k) {
    table.split(2 * group, [&](std::size_t l) { return w(l % group * k); });
  }
}

template <class Real>
void row_transform<Real>::prepare_stockham() {
  width_ = width_of_row(length_, kernels_.width);
  chain_ = factorised(length_, width_, kernels_.max_radix);
  text_ = formatted("{} points in cache, radices {}, {} lanes", length_, words(chain_), width_);
  kernel_ = {kernels_.stockham(width_, false), kernels_.stockham(width_, true)};
  row_scratch_bytes_ = 4 * length_ * sizeof(Real);
  const auto radix = static_cast<std::size_t>(chain_.stages[0].radix);
  table_ = make_aligned<Real>(2 * length_ + chain_reals(length_));
  table_writer<Real> table{table_.get()};
  write_first_stage(table, length_ / radix, radix, static_cast<std::size_t>(width_));
  write_chain(table, chain_, 1);
}

/// Whether rows of `length`, which has radices and is no power of two, are transposed between their
/// stages: those that may have a lane each, and others where this costs less than a matrix.
template <class Real>
bool row_transform<Real>::is_mixed(std::size_t length) const {
  if (std::has_single_bit(length) || is_long(length)) return false;
  const auto width = static_cast<std::size_t>(kernels_.width);
  const double cost = transposed_chain_of(length, width, sizeof(Real)).cost;
  if (length <= limits.longest_in_lanes && std::isfinite(cost)) return true;
  return cost <= matrix_shape_of(length, width, sizeof(Real)).cost;
}

template <class Real>
void row_transform<Real>::prepare_direct() {
  const std::size_t half = length_ / 2;
  width_ = std::min(kernels_.width, 32 / int{sizeof(Real)});
  while (static_cast<std::size_t>(width_) > half) width_ /= 2;
  const auto width = static_cast<std::size_t>(width_);
  text_ = formatted("{} points by the definition, {} lanes", length_, width_);
  single_ = {kernels_.direct(width_, false), kernels_.direct(width_, true)};
  const std::size_t n_tiles = (half + width - 1) / width;
  table_ = make_aligned<Real>(2 * half * width * n_tiles);
  table_writer<Real> table{table_.get()};
  const root_products<Real> w{length_};
  for (std::size_t j = 1; j <= half; ++j) {
    const Real share = 2 * j == length_ ? Real(0.5) : Real{1};
    for (std::size_t tile = 0; tile < n_tiles; ++tile) {
      table.split(width, [&](std::size_t l) {
        const std::size_t k = 1 + first_of_tile(tile, width, half) + place<Real>(l, width);
        const std::complex<Real> root = w(j * k % length_);
        return std::complex<Real>{share * root.real(), share == 1 ? -root.imag() : Real{0}};
      });
    }
  }
}

/// A row has the same factors alone and in a lane, and thus the same bits.
template <class Real>
void row_transform<Real>::prepare_mixed() {
  const auto widest = static_cast<std::size_t>(kernels_.width);
  const auto [factors, width, cost] = transposed_chain_of(length_, widest, sizeof(Real));
  chain_ = factors;
  width_ = static_cast<int>(width);
  double alone = cost;
  if (const auto [radix, lanes] = two_stages_of(length_, sizeof(Real), kernels_.width); radix > 0) {
    chain_ = {length_, 2, {{radix}, {static_cast<int>(length_) / radix}}};
    width_ = lanes;
  }
  text_ = formatted("{} points in cache, radices {}, {} lanes", length_, words(chain_), width_);
  if (single_[0] == nullptr) {
    prepare_transposed();
  } else {
    alone *= cost_without_calls<Real>;
  }
  many_ = {kernels_.tiny(length_, false), kernels_.tiny(length_, true)};
  least_in_lanes_ = 1;
  if (many_[0] != nullptr || length_ > limits.longest_in_lanes) return;
  const double in_lanes = strip_cost(chain_, widest, sizeof(Real));
  least_in_lanes_ = static_cast<std::size_t>(std::ceil(in_lanes / alone));
  if (least_in_lanes_ <= widest) lanes_.emplace(kernels_, chain_);
}

template <class Real>
void row_transform<Real>::prepare_transposed() {
  kernel_ = {kernels_.transposed(width_, false), kernels_.transposed(width_, true)};
  const auto width = static_cast<std::size_t>(width_);
  const auto a = static_cast<std::size_t>(chain_.stages[0].radix), b = length_ / a;
  const std::size_t n_tiles = (a + width - 1) / width;
  row_scratch_bytes_ = (n_tiles + 3) * 2 * width * b * sizeof(Real);
  table_ = make_aligned<Real>(2 * a * (b + width) + chain_reals(length_));
  table_writer<Real> table{table_.get()};
  write_first_stage(table, b, a, width);
  write_chain(table, chain_, 1);
}

template <class Real>
void row_transform<Real>::prepare_chirp(unsigned n_slots) {
  auto chirped = std::make_unique<chirp_transform<Real>>(kernels_, length_, n_slots);
  const double alone = chirped->cost();
  whole_ = std::move(chirped);
  if (!strip_transform<Real>::fits(length_)) return;
  const auto widest = static_cast<std::size_t>(kernels_.width);
  lanes_.emplace(kernels_, length_, length_);
  const double cost = has_radices(length_)
                          ? strip_cost(lanes_->factors(), widest, sizeof(Real))
                          : chirped_strip_cost(length_, lanes_->factors(), widest, sizeof(Real));
  least_in_lanes_ = static_cast<std::size_t>(std::ceil(cost / alone));
  if (least_in_lanes_ > widest) lanes_.reset();
}

template <class Real>
std::string row_transform<Real>::explain() const {
  const std::string text = whole_ ? whole_->explain() : text_;
  if (many_[0] != nullptr) return text + "; rows side by side in registers";
  if (!lanes_) return text;
  return text + formatted("; {} rows or more a row per lane, radices {}", least_in_lanes_,
                          words(lanes_->factors()));
}

template <class Real>
prepared_rows<Real> row_transform<Real>::prepared(const rows<Real>& like) const noexcept {
  prepared_rows<Real> result;
  result.kernel = kernel_[like.is_swapped];
  result.factors = chain_;
  result.roots = table_.get();
  result.scratch_bytes = row_scratch_bytes_;
  result.from_zero = like;
  if (has_lanes() && like.count >= least_in_lanes_) result.kernel = nullptr;
  if (like.count == 1) result.single = single_[like.is_swapped];
  result.of_single = one_row(like.scale);
  return result;
}

template <class Real>
void row_transform<Real>::run(const rows<Real>& given, void* workspace, unsigned n_threads) const {
  if (given.count == 1 && single_[0] != nullptr) return run_singly(given);
  if (n_threads <= 1 || workspace_bytes() > 0) return run_share(given, workspace, n_threads);
  // Shares are whole vectors of rows, so that each row meets the same kernel on any thread.
  const auto width = static_cast<std::size_t>(kernels_.width);
  const std::size_t n_groups = (given.count + width - 1) / width;
  const auto share = [&](std::size_t begin, std::size_t end, unsigned) {
    rows<Real> part = given;
    part.in += 2 * given.in_pitch * begin * width;
    part.out += 2 * given.out_pitch * begin * width;
    part.count = std::min(end * width, given.count) - begin * width;
    run_share(part, nullptr, 1);
  };
  thread_pool::shared().share(n_groups, std::size_t{4} * n_threads, n_threads, share);
}

template <class Real>
void row_transform<Real>::run_share(const rows<Real>& given, void* workspace,
                                    unsigned n_threads) const {
  const rows<Real> left = run_many(given);
  if (left.count == 0) return;
  if (whole_) return whole_->run(left, workspace, n_threads);
  if (kernel_[0] == nullptr) return run_singly(left);
  void* const scratch = row_scratch_bytes_ == 0 ? nullptr : thread_scratch(row_scratch_bytes_);
  kernel_[given.is_swapped](chain_, table_.get(), left, static_cast<Real*>(scratch));
}

/// Transforms whole vectors of rows, each lane one, and returns those that are left because they
/// cost less one by one.
template <class Real>
rows<Real> row_transform<Real>::run_many(const rows<Real>& given) const {
  rows<Real> left = given;
  if (!has_lanes()) return left;
  left.count = given.count % static_cast<std::size_t>(kernels_.width);
  if (left.count >= least_in_lanes_) left.count = 0;
  const std::size_t in_lanes = given.count - left.count;
  if (in_lanes > 0) run_in_lanes(given, in_lanes);
  left.in += 2 * given.in_pitch * in_lanes;
  left.out += 2 * given.out_pitch * in_lanes;
  return left;
}

template <class Real>
void row_transform<Real>::run_singly(const rows<Real>& given) const {
  const single_row<Real> of_single = one_row(given.scale);
  const single_kernel kernel = single_[given.is_swapped];
  for (std::size_t row = 0; row < given.count; ++row) {
    kernel(&of_single, reinterpret_cast<const std::byte*>(given.in + 2 * given.in_pitch * row),
           reinterpret_cast<std::byte*>(given.out + 2 * given.out_pitch * row));
  }
}

/// The first `count` rows. They have the same bits in any lane.
template <class Real>
void row_transform<Real>::run_in_lanes(const rows<Real>& given, std::size_t count) const {
  if (many_[0] != nullptr) {
    rows<Real> whole = given;
    whole.count = count;
    return many_[given.is_swapped](chain_, nullptr, whole, nullptr);
  }
  const std::size_t width = lanes_->width(), tile_reals = 2 * length_ * width;
  auto* const tile =
      static_cast<Real*>(thread_scratch((tile_reals + lanes_->scratch_reals()) * sizeof(Real)));
  strip<Real> columns;
  columns.in = columns.out = tile;
  columns.in_pitch = columns.out_pitch = width;
  columns.scratch = tile + tile_reals;
  columns.scale = given.scale;
  columns.is_swapped = given.is_swapped;
  rectangle moved;
  moved.imaginary_at = 1;
  moved.run_length = length_;
  moved.memory_step = moved.tile_run = 2;
  moved.tile_step = 2 * width;
  for (std::size_t row = 0; row < count; row += width) {
    moved.n_runs = std::min(width, count - row);
    if (moved.n_runs < width) std::fill_n(tile, tile_reals, Real{0});
    moved.memory_run = 2 * given.in_pitch;
    kernels_.gather(moved, given.in + 2 * given.in_pitch * row, tile);
    lanes_->run(columns);
    moved.memory_run = 2 * given.out_pitch;
    kernels_.scatter(moved, tile, given.out + 2 * given.out_pitch * row);
  }
}

template class row_transform<float>;
template class row_transform<double>;

}  // namespace wingbeat::backend::host
