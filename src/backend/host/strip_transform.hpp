// SPDX-License-Identifier: Apache-2.0
// Complex transforms of columns on the host: the chain of stages and its table.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "backend/host/aligned.hpp"  // aligned_array
#include "backend/host/kernels.hpp"  // kernels, chain, strip

namespace wingbeat::backend::host {

/// Longest column that is transformed in lanes; a strip of longer ones outgrows the cache.
inline constexpr std::size_t max_strip_length = 4096;

template <class Real>
class strip_transform {
 public:
  /// Prepares columns of `length`, a power of two from 2 to max_strip_length.
  strip_transform(const kernels<Real>& with, std::size_t length);

  /// Returns the columns of one strip.
  [[nodiscard]] std::size_t width() const noexcept { return static_cast<std::size_t>(with_.width); }

  /// Returns the reals of `strip::scratch`.
  [[nodiscard]] std::size_t scratch_reals() const noexcept;

  /// Returns one line.
  [[nodiscard]] std::string explain() const;

  void run(const strip<Real>& what) const { with_.strip_of(chain_, table_.get(), what); }

 private:
  kernels<Real> with_;
  chain chain_;
  aligned_array<Real> table_;
};

extern template class strip_transform<float>;
extern template class strip_transform<double>;

}  // namespace wingbeat::backend::host
