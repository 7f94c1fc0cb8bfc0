// SPDX-License-Identifier: Apache-2.0
// Queues for calls: one of each thread for the host, one for each stream that a call names.
#pragma once

#include <cstdint>  // uintptr_t

#include "wingbeat/devices.hpp"  // engine
#include "wingbeat/queue.hpp"    // queue

namespace wingbeat::python {

/// Returns this thread's queue of the host engine.
[[nodiscard]] queue& host_queue();

/// Returns the queue that adopts a native stream: on cuda a CUstream of the device's primary
/// context, on opencl a cl_command_queue; of host and reference it reads no stream. The latest
/// queues are kept, and have no workspace.
[[nodiscard]] queue queue_of(engine runs_on, int device_index, std::uintptr_t native);

/// Returns a queue of the caller's own that adopts a stream, with a workspace.
[[nodiscard]] queue adopted_queue_of(engine runs_on, int device_index, std::uintptr_t native);

/// Drops the queues that are kept for streams, and with them their workspaces.
void drop_queues();

}  // namespace wingbeat::python
