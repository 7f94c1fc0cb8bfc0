// SPDX-License-Identifier: Apache-2.0
// Whether ranks of several processes store in each other's memory, and that memory.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr
#include <string>
#include <vector>

#include "wingbeat/buffer.hpp"  // buffer
#include "wingbeat/domain.hpp"  // domain

namespace wingbeat::distributing {

/// Memory of ranks of other processes; of this one's ranks, and of those that have none, null.
using peer_memory = std::vector<std::shared_ptr<void>>;  // [rank]

/// Returns what tells this machine, since it was started, from others.
[[nodiscard]] std::string machine();

/// Returns the bytes of memory that others open, where so many are needed.
[[nodiscard]] std::size_t shared_size(std::size_t size_bytes);

/// Returns this rank's memory as the others open it, for all of them; of an empty buffer nothing.
/// Collective. Throws `device_error` on all ranks where one cannot open it.
[[nodiscard]] peer_memory opened_by_all(const domain& ranks, const buffer& own);

/// Returns whether all ranks reach each other's memory, by trying. Collective.
[[nodiscard]] bool shares_memory(const domain& ranks);

}  // namespace wingbeat::distributing
