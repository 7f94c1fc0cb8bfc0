// SPDX-License-Identifier: Apache-2.0
// Limits the threads that the host engine takes for the calls of one thread.
#pragma once

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// During its lifetime, work of the constructing thread on host takes at most `n_threads` threads,
/// itself included. The innermost limit counts. Results do not depend on it. Destroy it in the
/// thread that made it.
///
///     const thread_limit alone{1};
///     plan.enqueue(queue, in, out);
class thread_limit {
 public:
  /// Throws `plan_error` for 0.
  explicit thread_limit(unsigned n_threads);
  ~thread_limit();
  thread_limit(const thread_limit&) = delete;
  thread_limit& operator=(const thread_limit&) = delete;

  /// Returns the limit of the calling thread; the largest number if there is none.
  [[nodiscard]] static unsigned current() noexcept;

 private:
  unsigned outer_;
};

}  // namespace wingbeat
