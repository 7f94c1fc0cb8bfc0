// SPDX-License-Identifier: Apache-2.0
// Ranks in threads, or in processes of their own, that meet over loopback.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "processes/stream_socket.hpp"  // listening_at, own_end
#include "support/child.hpp"            // start_child, exit_code_of
#include "support/refusal.hpp"          // refusal

namespace wingbeat::test {

/// Returns an address of this machine whose port is free.
inline std::string free_address() {
  const auto place = processes::own_end(processes::listening_at({"127.0.0.1", "0"}));
  return place.host + ":" + place.port;
}

/// Runs `work(rank)` in a thread for each rank; returns what each of them threw.
inline std::vector<std::string> refusals_of(std::size_t n_ranks,
                                            const std::function<void(std::size_t)>& work) {
  std::vector<std::string> sentences(n_ranks);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < n_ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        work(rank);
      } catch (const std::exception& thrown) {
        sentences[rank] = thrown.what();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  return sentences;
}

}  // namespace wingbeat::test
