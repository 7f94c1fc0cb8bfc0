// SPDX-License-Identifier: Apache-2.0
// How many threads the host engine takes for the calls of one thread.
#pragma once

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// While it lives, what the constructing thread runs on host takes at most so many threads, itself
/// included. The innermost limit counts. Results do not depend on it. Destroy it in the thread that
/// made it.
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

  /// Returns the limit of the calling thread; the largest number where there is none.
  [[nodiscard]] static unsigned current() noexcept;

 private:
  unsigned outer_;
};

}  // namespace wingbeat
