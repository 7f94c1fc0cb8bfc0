// SPDX-License-Identifier: Apache-2.0
// Batches of work dealt to several takers.
#pragma once

#include <exception>  // current_exception, exception_ptr, rethrow_exception
#include <mutex>
#include <optional>
#include <span>
#include <thread>   // jthread
#include <utility>  // move
#include <vector>

namespace wingbeat::searching {

/// Calls take(taker, batch) with the batches of `next` until it returns none or a call throws; each
/// taker in a thread of its own, the first one in this. Calls next() and done(batch), when a batch
/// was taken, one at a time. Throws the first exception, once no thread is left.
template <class Taker, class Next, class Take, class Done>
void deal(std::span<Taker> takers, const Next& next, const Take& take, const Done& done) {
  std::mutex mutex;  // guards what follows
  std::exception_ptr failure;
  const auto next_batch = [&] {
    const std::lock_guard lock{mutex};
    return failure ? std::nullopt : next();
  };
  const auto deal_to = [&](Taker& taker) {
    try {
      while (auto batch = next_batch()) {
        take(taker, *batch);
        const std::lock_guard lock{mutex};
        done(*batch);
      }
    } catch (...) {
      const std::lock_guard lock{mutex};
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (Taker& taker : takers.subspan(1)) threads.emplace_back([&] { deal_to(taker); });
    deal_to(takers.front());
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace wingbeat::searching
