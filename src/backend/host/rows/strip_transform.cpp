// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/strip_transform.hpp"

#include <bit>  // has_single_bit

#include "backend/host/rows/chain_tables.hpp"  // factorised, table_writer, write_chain
#include "backend/host/rows/mixed_chain.hpp"   // has_radices, mixed_chain, chain_cost
#include "backend/host/thresholds.hpp"         // limits
#include "roots/algorithm_text.hpp"            // chirp_text
#include "text/formatted.hpp"                  // formatted

namespace wingbeat::backend::host {
namespace {

/// Returns the length that columns of another are convolved within.
std::size_t padded_length(std::size_t length) {
  return padded_length_of(length, [](std::size_t n) {
    return static_cast<double>(n) * (2 * chain_cost(n) + limits.chirp_cost);
  });
}

/// Returns the widest strip that neighbours fill, of long columns no more than a cache line. No
/// vector is narrower than 128 bits: fewer neighbours go through a tile, which any vector fills.
template <class Real>
std::size_t width_for(std::size_t length, std::size_t neighbours, std::size_t width) {
  while (length > limits.longest_wide_strip && width * 2 * sizeof(Real) > limits.line_bytes)
    width /= 2;
  const std::size_t widest = width;
  while (width > neighbours && width * sizeof(Real) > 16) width /= 2;
  return width > neighbours ? widest : width;
}

}  // namespace

template <class Real>
bool strip_transform<Real>::fits(std::size_t length) noexcept {
  if (length == 1) return false;  // which has no stages
  return length <= (has_radices(length) ? limits.longest_strip : limits.longest_chirped_strip);
}

template <class Real>
strip_transform<Real>::strip_transform(const kernels<Real>& kernel_set, std::size_t length,
                                       std::size_t neighbours)
    : kernels_(kernel_set), width_(static_cast<std::size_t>(kernel_set.width)) {
  if (std::has_single_bit(length)) {
    width_ = width_for<Real>(length, neighbours, width_);
    chain_ = factorised(length, 1, kernel_set.max_radix, 1);
  } else if (has_radices(length)) {
    chain_ = mixed_chain(length);
  } else {
    chain_ = mixed_chain(padded_length(length));
    chirped_.emplace(length, chain_.length);
  }
  write_roots();
}

template <class Real>
strip_transform<Real>::strip_transform(const kernels<Real>& kernel_set, const chain& factors)
    : kernels_(kernel_set), width_(static_cast<std::size_t>(kernel_set.width)), chain_(factors) {
  write_roots();
}

template <class Real>
void strip_transform<Real>::write_roots() {
  table_ = make_aligned<Real>(chain_reals(chain_.length));
  table_writer<Real> table{table_.get()};
  write_chain(table, chain_, 0);
}

template <class Real>
std::size_t strip_transform<Real>::scratch_reals() const noexcept {
  return chain_.n_stages == 1 && !chirped_ ? 0 : 4 * chain_.length * width();
}

template <class Real>
std::string strip_transform<Real>::explain() const {
  if (chirped_) {
    const std::size_t length = chirped_->view().length;
    return formatted("columns of {} points {}, radices {}, {} lanes", length,
                     chirp_text(length, chain_.length, "Rader's algorithm takes rows alone"),
                     words(chain_), width());
  }
  return formatted("columns of {} points, radices {}, {} lanes", chain_.length, words(chain_),
                   width());
}

template class strip_transform<float>;
template class strip_transform<double>;

}  // namespace wingbeat::backend::host
