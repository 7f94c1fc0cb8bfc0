// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wingbeat/table_memory.hpp"  // table_bytes_of_thread

namespace wingbeat {

/// Counts bytes of allocated tables; negative for freed tables.
void count_table_bytes(std::ptrdiff_t bytes) noexcept;

}  // namespace wingbeat
