// SPDX-License-Identifier: Apache-2.0
// Complex transforms of columns on the host: the chain of stages and its table.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "backend/host/aligned.hpp"  // aligned_array
#include "backend/host/kernels.hpp"  // kernels, chain, strip

namespace wingbeat::backend::host {

template <class Real>
class strip_transform {
 public:
  /// Prepares columns of `length`, a good one up to `limits.longest_strip`, of which `neighbours`
  /// follow each other in memory. Strips are as wide as a vector; where the length is a power of
  /// two, no wider than the neighbours.
  strip_transform(const kernels<Real>& kernel_set, std::size_t length, std::size_t neighbours);

  /// Returns the columns of one strip.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }

  /// Returns the reals of `strip::scratch`.
  [[nodiscard]] std::size_t scratch_reals() const noexcept;

  [[nodiscard]] const chain& factors() const noexcept { return chain_; }

  /// Returns one line.
  [[nodiscard]] std::string explain() const;

  void run(const strip<Real>& columns) const {
    kernels_.strip_of(static_cast<int>(width_), chain_, table_.get(), columns);
  }

 private:
  kernels<Real> kernels_;
  std::size_t width_;
  chain chain_;
  aligned_array<Real> table_;
};

extern template class strip_transform<float>;
extern template class strip_transform<double>;

}  // namespace wingbeat::backend::host
