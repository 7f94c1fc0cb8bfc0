// SPDX-License-Identifier: Apache-2.0
// Pieces of work in several threads, such as kernels that are compiled at the same time.
#pragma once

#include <cstddef>  // size_t
#include <functional>

namespace wingbeat::backend {

/// Calls `work(0)` to `work(n - 1)`, in the calling thread and in others: at most as many as its
/// `thread_limit` allows, and in all such calls of the process at most one per processor. Returns
/// when all have ended. Begins no more calls once one has thrown, and rethrows the exception of the
/// lowest number.
void each_concurrently(std::size_t n, const std::function<void(std::size_t)>& work);

}  // namespace wingbeat::backend
