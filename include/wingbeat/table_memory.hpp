// SPDX-License-Identifier: Apache-2.0
// Reports the memory that the tables of plans take, for caches that are bounded by it.
#pragma once

#include <cstddef>  // ptrdiff_t

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// Returns the bytes of tables (roots, spectra, weights), on processors and devices, that this
/// thread has allocated minus those that it has freed. The difference around the making of a plan
/// or a convolution is what that plan keeps; code and workspaces are not counted.
[[nodiscard]] std::ptrdiff_t table_bytes_of_thread() noexcept;

}  // namespace wingbeat
