// SPDX-License-Identifier: Apache-2.0
// A way to transform rows that is more than one kernel.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "backend/host/kernels.hpp"  // rows

namespace wingbeat::backend::host {

template <class Real>
class row_method {
 public:
  virtual ~row_method() = default;

  /// Returns 0 where a row is one thread's, which then has memory of its own.
  [[nodiscard]] virtual std::size_t workspace_bytes() const noexcept = 0;

  /// Returns one line per pass.
  [[nodiscard]] virtual std::string explain() const = 0;

  /// Transforms one row after another, each on at most `n_threads` threads. `workspace` is aligned
  /// and holds workspace_bytes().
  virtual void run(const rows<Real>& given, void* workspace, unsigned n_threads) const = 0;
};

}  // namespace wingbeat::backend::host
