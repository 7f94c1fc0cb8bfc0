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
  /// follow each other in memory: strips are no wider than these, nor than a vector.
  strip_transform(const kernels<Real>& table, std::size_t length, std::size_t neighbours);

  /// Returns the columns of one strip.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }

  /// Returns the reals of `strip::scratch`.
  [[nodiscard]] std::size_t scratch_reals() const noexcept;

  /// Returns one line.
  [[nodiscard]] std::string explain() const;

  void run(const strip<Real>& what) const {
    if (is_mixed_) return with_.mixed.strip_of(chain_, table_.get(), what);
    with_.strip_of(static_cast<int>(width_), chain_, table_.get(), what);
  }

 private:
  kernels<Real> with_;
  bool is_mixed_;  ///< The length is no power of two.
  std::size_t width_;
  chain chain_;
  aligned_array<Real> table_;
};

extern template class strip_transform<float>;
extern template class strip_transform<double>;

}  // namespace wingbeat::backend::host
