// SPDX-License-Identifier: Apache-2.0
// Memory that another process writes to by an address of its own.
#pragma once

#include <memory>  // shared_ptr
#include <string>

namespace wingbeat::backend {

class queue;

/// Returns what a process opens memory by that this queue allocated; empty where none can: cuda
/// shares memory of one machine, host and reference that of this process, for ranks in threads.
[[nodiscard]] std::string share(const queue& on, void* memory);

/// Returns the address of memory that was shared; null where the device of `on` does not reach it.
/// It is closed with the last pointer, before whoever allocated it frees it.
[[nodiscard]] std::shared_ptr<void> open_shared(const std::shared_ptr<queue>& on,
                                                const std::string& shared);

/// The same of queues of cuda.
[[nodiscard]] std::string cuda_share(const queue& on, void* memory);
[[nodiscard]] std::shared_ptr<void> cuda_open_shared(const std::shared_ptr<queue>& on,
                                                     const std::string& shared);

}  // namespace wingbeat::backend
