// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wingbeat/table_memory.hpp"  // table_bytes_of_thread

namespace wingbeat {

/// Counts bytes of tables that were allocated, negative ones of those that were freed.
void count_table_bytes(std::ptrdiff_t bytes) noexcept;

}  // namespace wingbeat
