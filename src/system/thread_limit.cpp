// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/thread_limit.hpp"
#include "text/reject.hpp"  // reject

#include <limits>

namespace wingbeat {
namespace {

thread_local unsigned max_threads = std::numeric_limits<unsigned>::max();

}  // namespace

thread_limit::thread_limit(unsigned n_threads) : outer_(max_threads) {
  reject_if(n_threads == 0,
            "a thread_limit was given 0 threads; give at least 1, the calling thread");
  max_threads = n_threads;
}

thread_limit::~thread_limit() {
  max_threads = outer_;
}

unsigned thread_limit::current() noexcept {
  return max_threads;
}

}  // namespace wingbeat
