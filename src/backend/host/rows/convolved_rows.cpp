// SPDX-License-Identifier: Apache-2.0
// Complex rows of any length, convolved with a chirp, or with roots in Rader's order.
#include <algorithm>  // fill
#include <optional>
#include <vector>

#include "backend/host/rows/chirp_table.hpp"  // chirp_table
#include "backend/host/rows/mixed_chain.hpp"  // row_cost
#include "backend/host/rows/row_method.hpp"   // row_method
#include "roots/algorithm_text.hpp"           // chirp_text, rader_text
#include "roots/rader.hpp"                    // rader, is_rader_length
#include "text/formatted.hpp"                 // formatted
#include "tuning/padding.hpp"                 // padded_length

namespace wingbeat::backend::host {
namespace {

/// The cost of Rader's order for each point, in vector instructions: elements move one by one.
constexpr double order_cost = 13;

/// Returns the cost of one row convolved within `padded` points: two transforms, and products of
/// vectors of 32 bytes, ten instructions each.
template <class Real>
double convolution_cost(std::size_t padded, std::size_t width, double n_products) {
  return 2 * row_cost(padded, width, sizeof(Real)) +
         10 * n_products * static_cast<double>(padded * sizeof(Real)) / 32;
}

template <class Real>
double rader_cost(std::size_t length, std::size_t width) {
  return convolution_cost<Real>(length - 1, width, 1) + order_cost * static_cast<double>(length);
}

/// Returns the length within which rows are convolved: a good length or, by Rader, one point less
/// than the row.
template <class Real>
std::size_t padded_length(std::size_t length, std::size_t width) {
  if (length <= limits.longest_searched_chirp) {
    const std::size_t by_chirp =
        padded_length_of(length, [&](std::size_t n) { return row_cost(n, width, sizeof(Real)); });
    const bool is_by_rader =
        !is_long<Real>(length) && is_rader_length(length) &&
        has_radices(length - 1, width, sizeof(Real)) &&
        rader_cost<Real>(length, width) < convolution_cost<Real>(by_chirp, width, 2);
    return is_by_rader ? length - 1 : by_chirp;
  }
  device_info processor;
  processor.runs_on = wingbeat::engine::host;
  return tuning::padded_length(2 * length - 1, processor);
}

template <class Real>
class convolution_of_row final : public row_method<Real> {
 public:
  convolution_of_row(const kernels<Real>& kernel_set, std::size_t length, std::size_t padded,
                     unsigned n_slots)
      : multiply_(kernel_set.multiply),
        length_(length),
        n_padded_(padded),
        padded_(complex_rows(kernel_set, padded, n_slots)) {
    if (padded > length) {
      table_.emplace(length, padded);
      return;
    }
    const rader order{length, true};
    powers_ = order.powers;
    rader_spectrum_ = rounded<Real>(order.spectrum);
  }

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override {
    return line_bytes() + padded_->workspace_bytes();
  }
  [[nodiscard]] std::string explain() const override {
    const std::string without_rader = is_long<Real>(length_)
                                          ? formatted("{} points outgrow the inner cache", length_)
                                          : std::string{quicker_than_rader};
    return formatted("{} points {}\n{}, and back", length_,
                     table_ ? chirp_text(length_, n_padded_, without_rader) : rader_text(length_),
                     padded_->explain());
  }
  void run(const rows<Real>& given, void* workspace, unsigned n_threads) const override {
    auto* const line = static_cast<Real*>(workspace);
    void* const scratch = static_cast<std::byte*>(workspace) + line_bytes();
    const auto transform = [&](bool is_swapped, Real scale) {
      padded_->run({line, line, 2 * n_padded_, 2 * n_padded_, 1, scale, is_swapped}, scratch,
                   n_threads);
    };
    for (std::size_t i = 0; i < given.count; ++i) {
      const rows<Real> row = part_of(given, i, 1);
      table_ ? run_by_chirp(row, line, transform) : run_by_rader(row, line, transform);
    }
  }

 private:
  [[nodiscard]] std::size_t line_bytes() const noexcept {
    return aligned_up(2 * n_padded_ * sizeof(Real));
  }
  void multiply(const Real* x, const Real* factors, Real* out, std::size_t count,
                bool conjugates) const {
    multiply_({.x = x,
               .spectrum = factors,
               .out = out,
               .count = count,
               .conjugates_spectrum = conjugates});
  }

  /// The chirp of an inverse transform, and its spectrum, are the conjugates of a forward one's.
  template <class Transform>
  void run_by_chirp(const rows<Real>& row, Real* line, const Transform& transform) const {
    const auto [length, factors, spectrum] = table_->view();
    multiply(row.in, factors, line, length, row.is_swapped);
    std::fill(line + 2 * length, line + 2 * n_padded_, Real{0});
    transform(false, 1);
    multiply(line, spectrum, line, n_padded_, row.is_swapped);
    transform(true, row.scale);
    multiply(line, factors, row.out, length, row.is_swapped);
  }

  /// X[g^-k] = x[0] + (x[g^n] * w^(g^-n))[k]: x[0] is added to bin 0 of the product, which is in
  /// all elements. Of an inverse transform re and im change places.
  template <class Transform>
  void run_by_rader(const rows<Real>& row, Real* line, const Transform& transform) const {
    const std::size_t n = n_padded_, re = row.is_swapped ? 1 : 0, im = 1 - re;
    for (std::size_t i = 0; i < n; ++i) {
      line[2 * i] = row.in[2 * powers_[i] + re];
      line[2 * i + 1] = row.in[2 * powers_[i] + im];
    }
    const Real first[] = {row.in[re], row.in[im]};
    transform(false, 1);
    row.out[re] = (first[0] + line[0]) * row.scale;
    row.out[im] = (first[1] + line[1]) * row.scale;
    multiply(line, rader_spectrum_.get(), line, n, false);
    line[0] += first[0];
    line[1] += first[1];
    transform(true, row.scale);
    for (std::size_t k = 0; k < n; ++k) {
      Real* const bin = row.out + 2 * powers_[k == 0 ? 0 : n - k];
      bin[re] = line[2 * k];
      bin[im] = line[2 * k + 1];
    }
  }

  void (*multiply_)(const bin_product<Real>& bins);
  std::size_t length_, n_padded_;
  row_method_pointer<Real> padded_;
  std::optional<chirp_table<Real>> table_;  ///< None: by Rader.
  std::vector<std::size_t> powers_;         ///< See rader.
  aligned_array<Real> rader_spectrum_;
};

}  // namespace

template <class Real>
convolved_method<Real> convolved_rows(const kernels<Real>& kernel_set, std::size_t length,
                                      unsigned n_slots) {
  const auto width = static_cast<std::size_t>(kernel_set.width);
  const std::size_t padded = padded_length<Real>(length, width);
  return {
      std::make_unique<const convolution_of_row<Real>>(kernel_set, length, padded, n_slots),
      padded < length ? rader_cost<Real>(length, width) : convolution_cost<Real>(padded, width, 2)};
}

template convolved_method<float> convolved_rows(const kernels<float>&, std::size_t, unsigned);
template convolved_method<double> convolved_rows(const kernels<double>&, std::size_t, unsigned);

}  // namespace wingbeat::backend::host
