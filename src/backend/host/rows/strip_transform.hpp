// SPDX-License-Identifier: Apache-2.0
// Complex transforms of columns on the host: the chain of stages and its table.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>

#include "backend/host/aligned.hpp"           // aligned_array
#include "backend/host/kernels.hpp"           // kernels, chain, strip
#include "backend/host/rows/chirp_table.hpp"  // chirp_table

namespace wingbeat::backend::host {

template <class Real>
class strip_transform {
 public:
  /// Prepares columns of `length`, one that `fits`, of which `neighbours` follow each other in
  /// memory. Strips are as wide as a vector; where the length is a power of two, no wider than the
  /// neighbours.
  strip_transform(const kernels<Real>& kernel_set, std::size_t length, std::size_t neighbours);

  /// Prepares columns of these factors, in strips as wide as a vector.
  strip_transform(const kernels<Real>& kernel_set, const chain& factors);

  /// Returns whether strips of a length stay in cache, those that are convolved with a chirp too.
  [[nodiscard]] static bool fits(std::size_t length) noexcept;

  /// Returns the columns of one strip.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }

  /// Returns the reals of `strip::scratch`.
  [[nodiscard]] std::size_t scratch_reals() const noexcept;

  /// Returns the factors of the length, or of that within which columns are convolved.
  [[nodiscard]] const chain& factors() const noexcept { return chain_; }

  /// Returns one line.
  [[nodiscard]] std::string explain() const;

  void run(const strip<Real>& columns) const {
    if (chirped_) return kernels_.chirped_strip(chain_, table_.get(), chirped_->view(), columns);
    kernels_.strip_of(static_cast<int>(width_), chain_, table_.get(), columns);
  }

 private:
  void write_roots();

  kernels<Real> kernels_;
  std::size_t width_;
  chain chain_;
  aligned_array<Real> table_;
  std::optional<chirp_table<Real>> chirped_;
};

extern template class strip_transform<float>;
extern template class strip_transform<double>;

}  // namespace wingbeat::backend::host
