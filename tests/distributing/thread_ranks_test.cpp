// SPDX-License-Identifier: Apache-2.0
// Ranks of the host in threads that meet over loopback, and store in each other's memory or send
// to each other: what the thread sanitizer watches, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributing/random_request.hpp"  // check_requests, fault_of
#include "processes/ranks.hpp"              // free_address, refusals_of

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

TEST(thread_ranks, make_random_requests) {
  const device_info device = first_device(engine::host);
  check_requests(device, [&](const drawn_request& drawn) {
    const std::string address = free_address();
    std::vector<std::string> faults(drawn.n_ranks);
    const auto thrown = refusals_of(drawn.n_ranks, [&](std::size_t rank) {
      const domain ranks = domain::at({address, rank, drawn.n_ranks}, queue{device},
                                      {.may_share_memory = drawn.shares_memory});
      faults[rank] = fault_of(ranks, drawn.spec);
    });
    std::string sum;
    for (std::size_t rank = 0; rank < drawn.n_ranks; ++rank) sum += thrown[rank] + faults[rank];
    return sum;
  });
}

}  // namespace
