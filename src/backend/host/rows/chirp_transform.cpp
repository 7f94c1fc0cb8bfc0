// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/chirp_transform.hpp"

#include <algorithm>  // fill

#include "backend/host/rows/mixed_chain.hpp"  // row_cost
#include "backend/host/thresholds.hpp"        // limits
#include "roots/algorithm_text.hpp"           // chirp_text, rader_text
#include "roots/rader.hpp"                    // rader, is_rader_length
#include "text/formatted.hpp"                 // formatted
#include "tuning/padding.hpp"                 // padded_length

namespace wingbeat::backend::host {
namespace {

/// What Rader's order costs for each point, in vector instructions: elements move one by one.
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

/// Returns the length that rows of another are convolved within: a good one or, by Rader, one less.
template <class Real>
std::size_t padded_length(std::size_t length, std::size_t width) {
  if (length <= limits.longest_searched_chirp) {
    const std::size_t by_chirp =
        padded_length_of(length, [&](std::size_t n) { return row_cost(n, width, sizeof(Real)); });
    const bool is_by_rader =
        !row_transform<Real>::is_long(length) && is_rader_length(length) &&
        has_radices(length - 1, width, sizeof(Real)) &&
        rader_cost<Real>(length, width) < convolution_cost<Real>(by_chirp, width, 2);
    return is_by_rader ? length - 1 : by_chirp;
  }
  device_info processor;
  processor.runs_on = wingbeat::engine::host;
  return tuning::padded_length(2 * length - 1, processor);
}

}  // namespace

template <class Real>
chirp_transform<Real>::chirp_transform(const kernels<Real>& kernel_set, std::size_t length,
                                       unsigned n_slots)
    : kernels_(kernel_set),
      length_(length),
      padded_(kernel_set, padded_length<Real>(length, static_cast<std::size_t>(kernel_set.width)),
              n_slots) {
  if (padded_.length() > length) {
    table_.emplace(length, padded_.length());
    return;
  }
  const rader order{length, true};
  powers_ = order.powers;
  rader_spectrum_ = make_aligned<Real>(2 * padded_.length());
  for (std::size_t k = 0; k < padded_.length(); ++k) {
    rader_spectrum_[2 * k] = static_cast<Real>(order.spectrum[k].real());
    rader_spectrum_[2 * k + 1] = static_cast<Real>(order.spectrum[k].imag());
  }
}

template <class Real>
double chirp_transform<Real>::cost() const {
  const auto width = static_cast<std::size_t>(kernels_.width);
  return is_by_rader() ? rader_cost<Real>(length_, width)
                       : convolution_cost<Real>(padded_.length(), width, 2);
}

template <class Real>
std::size_t chirp_transform<Real>::workspace_bytes() const noexcept {
  return aligned_up(2 * padded_.length() * sizeof(Real)) + padded_.workspace_bytes();
}

template <class Real>
std::string chirp_transform<Real>::explain() const {
  const std::string without_rader = row_transform<Real>::is_long(length_)
                                        ? formatted("{} points outgrow the inner cache", length_)
                                        : std::string{quicker_than_rader};
  return formatted(
      "{} points {}\n{}, and back", length_,
      is_by_rader() ? rader_text(length_) : chirp_text(length_, padded_.length(), without_rader),
      padded_.explain());
}

template <class Real>
void chirp_transform<Real>::multiply(const Real* x, const Real* factors, Real* out,
                                     std::size_t count, bool conjugates) const {
  kernels_.multiply(
      {.x = x, .spectrum = factors, .out = out, .count = count, .conjugates_spectrum = conjugates});
}

/// The chirp of an inverse transform, and its spectrum, are the conjugates of a forward one's.
template <class Real>
void chirp_transform<Real>::run_by_chirp(const rows<Real>& row, Real* line, void* scratch,
                                         unsigned n_threads) const {
  const auto [length, factors, spectrum] = table_->view();
  multiply(row.in, factors, line, length, row.is_swapped);
  std::fill(line + 2 * length, line + 2 * padded_.length(), Real{0});
  rows<Real> padded{
      .in = line, .out = line, .in_pitch = padded_.length(), .out_pitch = padded_.length()};
  padded.count = 1;
  padded_.run(padded, scratch, n_threads);
  multiply(line, spectrum, line, padded_.length(), row.is_swapped);
  padded.is_swapped = true;
  padded.scale = row.scale;
  padded_.run(padded, scratch, n_threads);
  multiply(line, factors, row.out, length, row.is_swapped);
}

/// X[g^-k] = x[0] + (x[g^n] * w^(g^-n))[k]: x[0] is added to bin 0 of the product, which is in all
/// elements. Of an inverse transform re and im change places.
template <class Real>
void chirp_transform<Real>::run_by_rader(const rows<Real>& row, Real* line, void* scratch,
                                         unsigned n_threads) const {
  const std::size_t n = padded_.length(), re = row.is_swapped ? 1 : 0, im = 1 - re;
  for (std::size_t i = 0; i < n; ++i) {
    line[2 * i] = row.in[2 * powers_[i] + re];
    line[2 * i + 1] = row.in[2 * powers_[i] + im];
  }
  const Real first[] = {row.in[re], row.in[im]};
  rows<Real> padded{.in = line, .out = line, .in_pitch = n, .out_pitch = n};
  padded.count = 1;
  padded_.run(padded, scratch, n_threads);
  row.out[re] = (first[0] + line[0]) * row.scale;
  row.out[im] = (first[1] + line[1]) * row.scale;
  multiply(line, rader_spectrum_.get(), line, n, false);
  line[0] += first[0];
  line[1] += first[1];
  padded.is_swapped = true;
  padded.scale = row.scale;
  padded_.run(padded, scratch, n_threads);
  for (std::size_t k = 0; k < n; ++k) {
    Real* const bin = row.out + 2 * powers_[k == 0 ? 0 : n - k];
    bin[re] = line[2 * k];
    bin[im] = line[2 * k + 1];
  }
}

template <class Real>
void chirp_transform<Real>::run(const rows<Real>& given, void* workspace,
                                unsigned n_threads) const {
  auto* const line = static_cast<Real*>(workspace);
  const std::size_t line_bytes = aligned_up(2 * padded_.length() * sizeof(Real));
  void* const scratch = static_cast<std::byte*>(workspace) + line_bytes;
  rows<Real> row = given;
  for (; row.count > 0; --row.count) {
    if (is_by_rader()) {
      run_by_rader(row, line, scratch, n_threads);
    } else {
      run_by_chirp(row, line, scratch, n_threads);
    }
    row.in += 2 * given.in_pitch;
    row.out += 2 * given.out_pitch;
  }
}

template class chirp_transform<float>;
template class chirp_transform<double>;

}  // namespace wingbeat::backend::host
