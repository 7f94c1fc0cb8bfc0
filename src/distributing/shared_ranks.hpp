// SPDX-License-Identifier: Apache-2.0
// Finds out whether ranks of several processes can store in each other's memory, and opens it.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr
#include <string>
#include <vector>

#include "wingbeat/buffer.hpp"  // buffer
#include "wingbeat/domain.hpp"  // domain

namespace wingbeat::distributing {

/// Memory of ranks of other processes; null for this process's ranks and for ranks without memory.
using peer_memory = std::vector<std::shared_ptr<void>>;  // [rank]

/// Returns a text that identifies this machine since its start.
[[nodiscard]] std::string machine();

/// Returns the size of a buffer of at least `size_bytes` that others can open.
[[nodiscard]] std::size_t shared_size(std::size_t size_bytes);

/// Opens this rank's memory on all other ranks; an empty buffer yields nothing. Collective. Throws
/// `device_error` on all ranks if one cannot open it.
[[nodiscard]] peer_memory opened_by_all(const domain& ranks, const buffer& own);

/// Returns whether all ranks reach each other's memory, by trying. Collective.
[[nodiscard]] bool shares_memory(const domain& ranks);

}  // namespace wingbeat::distributing
