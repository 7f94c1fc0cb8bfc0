// SPDX-License-Identifier: Apache-2.0
// Queues of calls: on the host one per thread, otherwise one per stream.
#pragma once

#include <cstdint>  // uintptr_t

#include "wingbeat/devices.hpp"  // engine
#include "wingbeat/queue.hpp"    // queue

namespace wingbeat::python {

/// Returns this thread's queue of the host engine.
[[nodiscard]] queue& host_queue();

/// Returns the queue that adopts a native stream: on cuda a CUstream of the device's primary
/// context, on opencl a cl_command_queue; host and reference ignore it. The most recently used
/// queues are kept, without workspaces.
[[nodiscard]] queue queue_of(engine runs_on, int device_index, std::uintptr_t native);

/// Returns a queue for one caller that adopts a stream, with a workspace.
[[nodiscard]] queue adopted_queue_of(engine runs_on, int device_index, std::uintptr_t native);

/// Drops the queues that were kept for streams.
void drop_queues();

}  // namespace wingbeat::python
