// SPDX-License-Identifier: Apache-2.0
// How much memory the tables of plans take, for caches that are bounded by it.
#pragma once

#include <cstddef>  // ptrdiff_t

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// Returns the bytes of tables, of roots, spectra and weights, that this thread has allocated less
/// those that it has freed, on processors and devices. The difference around the making of a plan
/// or a convolution is what that keeps; code and workspaces are not counted.
[[nodiscard]] std::ptrdiff_t table_bytes_of_thread() noexcept;

}  // namespace wingbeat
