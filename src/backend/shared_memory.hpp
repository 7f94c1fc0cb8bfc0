// SPDX-License-Identifier: Apache-2.0
// Memory that another process writes to at its own address.
#pragma once

#include <memory>  // shared_ptr
#include <string>

namespace wingbeat::backend {

class queue;

/// Returns a handle by which a process opens memory that this queue allocated; empty if none can.
/// cuda shares memory within one machine, host and reference within this process, for ranks in
/// threads.
[[nodiscard]] std::string share(const queue& on, void* memory);

/// Returns the address of memory that was shared; null if the device of `on` does not reach it. The
/// last pointer closes it, which must happen before its owner frees it.
[[nodiscard]] std::shared_ptr<void> open_shared(const std::shared_ptr<queue>& on,
                                                const std::string& shared);

/// Same for queues of cuda.
[[nodiscard]] std::string cuda_share(const queue& on, void* memory);
[[nodiscard]] std::shared_ptr<void> cuda_open_shared(const std::shared_ptr<queue>& on,
                                                     const std::string& shared);

}  // namespace wingbeat::backend
