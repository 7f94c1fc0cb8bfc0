// SPDX-License-Identifier: Apache-2.0
// Complex transforms of columns on the host: the chain of stages and its table.
#pragma once

#include <bit>      // has_single_bit
#include <cstddef>  // size_t
#include <optional>
#include <string>

#include "backend/host/aligned.hpp"            // aligned_array
#include "backend/host/kernels.hpp"            // kernels, chain, strip
#include "backend/host/rows/chain_tables.hpp"  // factorised, table_writer, write_chain
#include "backend/host/rows/chirp_table.hpp"   // chirp_table
#include "backend/host/rows/mixed_chain.hpp"   // has_radices, mixed_chain, chain_cost
#include "backend/host/thresholds.hpp"         // limits
#include "roots/algorithm_text.hpp"            // chirp_text
#include "text/formatted.hpp"                  // formatted

namespace wingbeat::backend::host {

template <class Real>
class strip_transform {
 public:
  /// Prepares columns of `length`, one that `fits`, of which `neighbours` follow each other in
  /// memory. Strips are as wide as a vector; where the length is a power of two, no wider than the
  /// neighbours.
  strip_transform(const kernels<Real>& kernel_set, std::size_t length, std::size_t neighbours)
      : kernels_(kernel_set), width_(static_cast<std::size_t>(kernel_set.width)) {
    if (std::has_single_bit(length)) {
      width_ = width_for(length, neighbours, width_);
      chain_ = factorised(length, 1, kernel_set.max_radix, 1);
    } else if (has_radices(length)) {
      chain_ = mixed_chain(length);
    } else {
      chain_ = mixed_chain(padded_length_of(length, [](std::size_t n) {
        return static_cast<double>(n) * (2 * chain_cost(n) + limits.chirp_cost);
      }));
      chirped_.emplace(length, chain_.length);
    }
    write_roots();
  }

  /// Prepares columns of these factors, in strips as wide as a vector.
  strip_transform(const kernels<Real>& kernel_set, const chain& factors)
      : kernels_(kernel_set), width_(static_cast<std::size_t>(kernel_set.width)), chain_(factors) {
    write_roots();
  }

  /// Returns whether strips of a length stay in cache, those that are convolved with a chirp too.
  [[nodiscard]] static bool fits(std::size_t length) noexcept {
    if (length == 1) return false;  // which has no stages
    return length <= (has_radices(length) ? limits.longest_strip : limits.longest_chirped_strip);
  }

  /// Returns the columns of one strip.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }

  /// Returns the reals of `strip::scratch`.
  [[nodiscard]] std::size_t scratch_reals() const noexcept {
    return chain_.n_stages == 1 && !chirped_ ? 0 : 4 * chain_.length * width_;
  }

  /// Returns the factors of the length, or of that within which columns are convolved.
  [[nodiscard]] const chain& factors() const noexcept { return chain_; }

  /// Returns one line.
  [[nodiscard]] std::string explain() const {
    const std::size_t length = chirped_ ? chirped_->view().length : chain_.length;
    const std::string chirp =
        chirped_ ? " " + chirp_text(length, chain_.length, "Rader's algorithm takes rows alone")
                 : "";
    return formatted("columns of {} points{}, radices {}, {} lanes", length, chirp, words(chain_),
                     width_);
  }

  void run(const strip<Real>& columns) const {
    if (chirped_) return kernels_.chirped_strip(chain_, table_.get(), chirped_->view(), columns);
    kernels_.strip_of(static_cast<int>(width_), chain_, table_.get(), columns);
  }

 private:
  /// Returns the widest strip that neighbours fill, of long columns no more than a cache line. No
  /// vector is narrower than 128 bits: fewer neighbours go through a tile, which any vector fills.
  static std::size_t width_for(std::size_t length, std::size_t neighbours, std::size_t width) {
    while (length > limits.longest_wide_strip && width * 2 * sizeof(Real) > limits.line_bytes)
      width /= 2;
    const std::size_t widest = width;
    while (width > neighbours && width * sizeof(Real) > 16) width /= 2;
    return width > neighbours ? widest : width;
  }

  void write_roots() {
    table_ = make_aligned<Real>(chain_reals(chain_.length));
    table_writer<Real> table{table_.get()};
    write_chain(table, chain_, 0);
  }

  kernels<Real> kernels_;
  std::size_t width_;
  chain chain_;
  aligned_array<Real> table_;
  std::optional<chirp_table<Real>> chirped_;
};

}  // namespace wingbeat::backend::host
