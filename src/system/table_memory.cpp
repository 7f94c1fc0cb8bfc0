// SPDX-License-Identifier: Apache-2.0
#include "system/table_memory.hpp"

namespace wingbeat {
namespace {

constinit thread_local std::ptrdiff_t held_bytes = 0;

}  // namespace

std::ptrdiff_t table_bytes_of_thread() noexcept {
  return held_bytes;
}

void count_table_bytes(std::ptrdiff_t bytes) noexcept {
  held_bytes += bytes;
}

}  // namespace wingbeat
