// SPDX-License-Identifier: Apache-2.0
// Complex rows of any length: the candidates, and rows that have a lane each where they are many.
#include <algorithm>  // fill_n, min
#include <bit>        // has_single_bit
#include <cmath>      // ceil
#include <limits>     // numeric_limits
#include <optional>
#include <utility>  // move

#include "backend/host/rows/chain_tables.hpp"     // factorised, table_writer
#include "backend/host/rows/kernel_rows.hpp"      // kernel_rows
#include "backend/host/rows/mixed_chain.hpp"      // has_radices, transposed_chain_of
#include "backend/host/rows/strip_transform.hpp"  // strip_transform
#include "roots/root_products.hpp"                // root_products
#include "text/formatted.hpp"                     // formatted
#include "wingbeat/good_length.hpp"               // is_good_length

namespace wingbeat::backend::host {
namespace {

/// What a kernel of one row takes of the time of the same stages as calls, beside lanes of as many
/// rows: of fp64 they are few.
template <class Real>
constexpr double cost_without_calls = sizeof(Real) == 8 ? 0.75 : 1;

/// Returns the widest vector a row of `length` fills: its first stage needs radix and p alike.
std::size_t width_of_row(std::size_t length, std::size_t widest) {
  std::size_t width = widest;
  while (width * width > length) width /= 2;
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

/// The rows of a method, which fill the lanes of a strip, one in each, where they are many. A row
/// has the same bits in any lane.
template <class Real>
class rows_with_lanes final : public row_method<Real> {
 public:
  /// At least `least` rows, fewer than lanes, cost less in lanes.
  rows_with_lanes(row_method_pointer<Real> method, const kernels<Real>& kernel_set,
                  strip_transform<Real> columns, std::size_t length, std::size_t least,
                  bool has_single)
      : method_(std::move(method)),
        kernels_(kernel_set),
        columns_(std::move(columns)),
        length_(length),
        least_(least),
        width_(columns_.width()),
        has_single_(has_single) {}

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override {
    return method_->workspace_bytes();
  }
  [[nodiscard]] std::size_t rows_together() const noexcept override { return width_; }
  [[nodiscard]] std::string explain() const override {
    return method_->explain() + formatted("; {} rows or more a row per lane, radices {}", least_,
                                          words(columns_.factors()));
  }
  void run(const rows<Real>& given, void* workspace, unsigned n_threads) const override {
    if (given.count == 1 && has_single_) return method_->run(given, workspace, 1);
    const bool are_shared = workspace_bytes() == 0;
    share_rows(given, width_, are_shared ? n_threads : 1, [&](const rows<Real>& share) {
      std::size_t n_left = share.count % width_;
      if (n_left >= least_) n_left = 0;
      const std::size_t in_lanes = share.count - n_left;
      if (in_lanes > 0) run_in_lanes(part_of(share, 0, in_lanes));
      if (n_left == 0) return;
      method_->run(part_of(share, in_lanes, n_left), workspace, are_shared ? 1 : n_threads);
    });
  }
  [[nodiscard]] direct_run direct(prepared_rows<Real>& memory) const noexcept override {
    const std::size_t n = memory.shape.count;
    if (n < least_ || (n == 1 && has_single_)) return method_->direct(memory);
    return row_method<Real>::direct(memory);
  }

 private:
  void run_in_lanes(const rows<Real>& given) const {
    const std::size_t tile_reals = 2 * length_ * width_;
    auto* const tile =
        static_cast<Real*>(thread_scratch((tile_reals + columns_.scratch_reals()) * sizeof(Real)));
    const strip<Real> columns{
        tile, tile, width_, width_, tile + tile_reals, given.scale, given.is_swapped};
    rectangle moved{.imaginary_at = 1,
                    .run_length = length_,
                    .memory_step = 2,
                    .tile_run = 2,
                    .tile_step = 2 * width_};
    for (std::size_t row = 0; row < given.count; row += width_) {
      moved.n_runs = std::min(width_, given.count - row);
      if (moved.n_runs < width_) std::fill_n(tile, tile_reals, Real{0});
      moved.memory_run = given.in_pitch;
      kernels_.gather(moved, given.in + given.in_pitch * row, tile);
      columns_.run(columns);
      moved.memory_run = given.out_pitch;
      kernels_.scatter(moved, tile, given.out + given.out_pitch * row);
    }
  }

  row_method_pointer<Real> method_;
  kernels<Real> kernels_;
  strip_transform<Real> columns_;
  std::size_t length_, least_, width_;
  bool has_single_;
};

/// A length, and what its candidates are made of. Their costs are those of one row, 0 where a
/// candidate is quicker than any other, infinite where there is none.
template <class Real>
class candidates {
 public:
  candidates(const kernels<Real>& kernel_set, std::size_t length, unsigned n_slots)
      : kernels_(kernel_set),
        length_(length),
        n_slots_(n_slots),
        width_(static_cast<std::size_t>(kernel_set.width)),
        is_power_of_two_(std::has_single_bit(length)),
        has_radices_(host::has_radices(length, width_, sizeof(Real))) {}

  [[nodiscard]] row_method_pointer<Real> cheapest() const {
    constexpr struct {
      double (candidates::*cost)() const;
      row_method_pointer<Real> (candidates::*make)() const;
    } all[] = {{&candidates::cost_of_codelet, &candidates::codelet},
               {&candidates::cost_of_definition, &candidates::definition},
               {&candidates::cost_of_stages, &candidates::stages},
               {&candidates::cost_of_matrix, &candidates::matrix},
               {&candidates::cost_of_convolution, &candidates::convolved}};
    double least = none;
    const auto* best = all;
    for (const auto& each : all) {
      if (least == 0) break;
      const double cost = (this->*each.cost)();
      if (cost >= least) continue;
      least = cost;
      best = &each;
    }
    return (this->*best->make)();
  }

 private:
  static constexpr double none = std::numeric_limits<double>::infinity();

  [[nodiscard]] double cost_of_codelet() const {
    return kernels_.codelet(length_, false) != nullptr ? 0 : none;
  }
  [[nodiscard]] double cost_of_definition() const {
    return !is_good_length(length_) && length_ <= longest_direct ? 0 : none;
  }
  [[nodiscard]] double cost_of_stages() const {
    if (is_long<Real>(length_) || !has_radices_) return none;
    return is_power_of_two_ ? 0 : transposed_chain_of(length_, width_, sizeof(Real)).cost;
  }
  /// Strips of few columns lose to stages: see bench/lessons/processor.md#vectors-of-64-bytes.
  [[nodiscard]] double cost_of_matrix() const {
    if (!has_radices_ || (length_ <= limits.longest_in_lanes && cost_of_stages() < none)) {
      return none;
    }
    return is_power_of_two_ ? 0 : matrix_shape_of(length_, width_, sizeof(Real)).cost;
  }

  [[nodiscard]] double cost_of_convolution() const { return has_radices_ ? none : 0; }

  /// One row's kernel in registers, if its length has one, and its roots.
  [[nodiscard]] row_kernels<Real> single() const {
    row_kernels<Real> result;
    result.single = {kernels_.single(length_, false), kernels_.single(length_, true)};
    const auto [radix, width] = two_stages_of(length_, sizeof(Real), kernels_.width);
    if (radix == 0) return result;
    const auto a = static_cast<std::size_t>(radix), w = static_cast<std::size_t>(width);
    result.single_table = make_aligned<Real>(2 * a * (length_ / a + w));
    table_writer<Real> table{result.single_table.get()};
    write_first_stage(table, length_ / a, a, w);
    return result;
  }
  [[nodiscard]] row_method_pointer<Real> made(row_kernels<Real> result) const {
    return std::make_unique<const kernel_rows<Real>>(std::move(result), length_, width_);
  }

  [[nodiscard]] row_method_pointer<Real> codelet() const {
    row_kernels<Real> result = single();
    result.kernel = {kernels_.codelet(length_, false), kernels_.codelet(length_, true)};
    result.text = formatted("{} points in registers, rows side by side", length_);
    const auto [radix, width] = two_stages_of(length_, sizeof(Real), kernels_.width);
    if (radix == 0 || has_number_rows(length_, sizeof(Real))) return made(std::move(result));
    const auto group = static_cast<std::size_t>(width);
    result.text = formatted("{} points in registers, radices {} x {}, {} lanes a row", length_,
                            radix, width, width);
    result.table = make_aligned<Real>(8 * length_);
    table_writer<Real> table{result.table.get()};
    const root_products<Real> w{length_};
    for (std::size_t k = 1; k < length_ / group; ++k) {
      table.split(2 * group, [&](std::size_t l) { return w(l % group * k); });
    }
    write_first_stage(table, group, length_ / group, group);
    return made(std::move(result));
  }

  [[nodiscard]] row_method_pointer<Real> definition() const {
    const std::size_t half = length_ / 2;
    std::size_t width = std::min(width_, 32 / sizeof(Real));
    while (width > half) width /= 2;
    const int n_lanes = static_cast<int>(width);
    row_kernels<Real> result;
    result.text = formatted("{} points by the definition, {} lanes", length_, width);
    result.single = {kernels_.direct(n_lanes, false), kernels_.direct(n_lanes, true)};
    const std::size_t n_tiles = (half + width - 1) / width;
    result.table = make_aligned<Real>(2 * half * width * n_tiles);
    table_writer<Real> table{result.table.get()};
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
    return made(std::move(result));
  }

  /// A row has the same factors alone and in a lane, and thus the same bits.
  [[nodiscard]] row_method_pointer<Real> stages() const {
    row_kernels<Real> result = single();
    auto [factors, width, alone] = transposed_chain_of(length_, width_, sizeof(Real));
    if (is_power_of_two_) {
      width = width_of_row(length_, width_);
      factors = factorised(length_, static_cast<int>(width), kernels_.max_radix);
    }
    const bool has_single = result.single[0] != nullptr;
    if (const auto [radix, lanes] = two_stages_of(length_, sizeof(Real), kernels_.width);
        radix > 0) {
      factors = {length_, 2, {{radix}, {static_cast<int>(length_) / radix}}};
      width = static_cast<std::size_t>(lanes);
    }
    result.factors = factors;
    result.text =
        formatted("{} points in cache, radices {}, {} lanes", length_, words(factors), width);
    if (has_single) alone *= cost_without_calls<Real>;
    if (!has_single) add_transposed(result, width);
    row_method_pointer<Real> method = made(std::move(result));
    if (is_power_of_two_ || length_ > limits.longest_in_lanes) return method;
    return with_lanes(std::move(method), {kernels_, factors},
                      strip_cost(factors, width_, sizeof(Real)) / alone, has_single);
  }
  void add_transposed(row_kernels<Real>& result, std::size_t width) const {
    const int n_lanes = static_cast<int>(width);
    result.kernel = {kernels_.transposed(n_lanes, false), kernels_.transposed(n_lanes, true)};
    const auto a = static_cast<std::size_t>(result.factors.stages[0].radix), b = length_ / a;
    const std::size_t tiles = (a + width - 1) / width;
    result.scratch_bytes = (a % width == 0 ? 2 * tiles : tiles + 2) * 2 * width * b * sizeof(Real);
    result.table = make_aligned<Real>(2 * a * (b + width) + chain_reals(length_));
    table_writer<Real> table{result.table.get()};
    write_first_stage(table, b, a, width);
    write_chain(table, result.factors, 1);
  }

  [[nodiscard]] row_method_pointer<Real> matrix() const {
    return matrix_rows(kernels_, length_, n_slots_);
  }

  [[nodiscard]] row_method_pointer<Real> convolved() const {
    auto [method, alone] = convolved_rows(kernels_, length_, n_slots_);
    if (!strip_transform<Real>::fits(length_)) return std::move(method);
    strip_transform<Real> columns{kernels_, length_, length_};
    const double in_lanes =
        host::has_radices(length_)
            ? strip_cost(columns.factors(), width_, sizeof(Real))
            : chirped_strip_cost(length_, columns.factors(), width_, sizeof(Real));
    return with_lanes(std::move(method), std::move(columns), in_lanes / alone, false);
  }

  /// Returns the method with lanes for at least `n_rows` rows, where these are no more than lanes.
  [[nodiscard]] row_method_pointer<Real> with_lanes(row_method_pointer<Real> method,
                                                    strip_transform<Real> columns, double n_rows,
                                                    bool has_single) const {
    const auto least = static_cast<std::size_t>(std::ceil(n_rows));
    if (least > width_) return method;
    return std::make_unique<const rows_with_lanes<Real>>(
        std::move(method), kernels_, std::move(columns), length_, least, has_single);
  }

  const kernels<Real>& kernels_;
  std::size_t length_;
  unsigned n_slots_;
  std::size_t width_;
  bool is_power_of_two_, has_radices_;
};

}  // namespace

template <class Real>
row_method_pointer<Real> complex_rows(const kernels<Real>& kernel_set, std::size_t length,
                                      unsigned n_slots) {
  return candidates<Real>{kernel_set, length, n_slots}.cheapest();
}

template row_method_pointer<float> complex_rows(const kernels<float>&, std::size_t, unsigned);
template row_method_pointer<double> complex_rows(const kernels<double>&, std::size_t, unsigned);

}  // namespace wingbeat::backend::host
