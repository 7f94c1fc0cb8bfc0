// SPDX-License-Identifier: Apache-2.0
#include "backend/host/thread_pool.hpp"  // thread_pool
#include "backend/host_tasks.hpp"
#include "wingbeat/thread_limit.hpp"  // thread_limit

namespace wingbeat::backend {

void run_on_host(std::size_t n_tasks, const std::function<void(std::size_t)>& task) {
  if (n_tasks == 1) return task(0);
  host::thread_pool& pool = host::thread_pool::shared();
  pool.run(n_tasks, pool.n_threads(), [&](std::size_t i, unsigned) {
    const thread_limit alone{1};
    task(i);
  });
}

}  // namespace wingbeat::backend
