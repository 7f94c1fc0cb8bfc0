// SPDX-License-Identifier: Apache-2.0
// Tasks on the threads of the host engine.
#pragma once

#include <cstddef>  // size_t
#include <functional>

namespace wingbeat::backend {

/// Runs task 0 to `n_tasks` - 1, in any order, on the threads of the host engine; calls within a
/// task stay on its thread. Rethrows the first exception of a task.
void run_on_host(std::size_t n_tasks, const std::function<void(std::size_t)>& task);

}  // namespace wingbeat::backend
