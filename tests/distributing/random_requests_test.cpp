// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Random requests on ranks, in one process and in several over loopback, against plans of one
// device. Request i is drawn from seed WINGBEAT_RANDOM_SEED + i.
//
//     WINGBEAT_RANDOM_PLANS=2000 build/test/tests/distributing_tests
//         --gtest_filter='*random_requests_on*/host'
//     WINGBEAT_RANDOM_PLANS=1 WINGBEAT_RANDOM_SEED=4711 ..    repeats the one that failed
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributing/random_request.hpp"  // request_draw
#include "distributing/ranks.hpp"           // difference_on
#include "processes/ranks.hpp"              // free_address, refusals_of
#include "support/environment.hpp"          // from_environment
#include "support/on_engine.hpp"            // on_engine, all_engines, engine_name

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::Each;

class random_requests_on : public on_engine {
 protected:
  /// Calls a check for each request, up to five that fail.
  template <class Check>
  void check_requests(Check check) const {
    // Compiled engines take a second for each.
    const bool is_compiled = on->device().runs_on > engine::host;
    const int few = is_compiled ? 3 : 60, many = is_compiled ? 60 : 2000;
    const auto n_requests = from_environment(
        "WINGBEAT_RANDOM_PLANS", static_cast<std::uint64_t>(is_full_run() ? many : few));
    const std::uint64_t first = from_environment("WINGBEAT_RANDOM_SEED", 1);
    int n_wrong = 0;
    for (std::uint64_t seed = first; seed < first + n_requests && n_wrong < 5; ++seed) {
      const drawn_request drawn = request_draw{seed, on->device().has_fp64}.draw();
      SCOPED_TRACE("WINGBEAT_RANDOM_SEED=" + std::to_string(seed) + ": " + drawn.text());
      const std::string fault = check(drawn);
      EXPECT_EQ(fault, "");
      n_wrong += fault.empty() ? 0 : 1;
    }
  }

  /// Returns what is wrong with the parts of this process's ranks.
  static std::string fault_of(const domain& ranks, const distributed_spec& spec) {
    const double difference = difference_on(ranks, spec);
    if (difference <= tolerance_of(spec.transform)) return "";
    return "off by " + std::to_string(difference);
  }
};

TEST_P(random_requests_on, equal_one_device) {
  check_requests([&](const drawn_request& drawn) -> std::string {
    try {
      const std::vector<device_info> devices(drawn.n_ranks, on->device());
      return fault_of(domain::of_devices(devices), drawn.spec);
    } catch (const error& thrown) {
      return thrown.what();
    }
  });
}

TEST_P(random_requests_on, equal_one_device_over_processes) {
  if (leaves_out()) GTEST_SKIP() << "of a second for each request";
  bool shares_memory = true;
  check_requests([&](const drawn_request& drawn) {
    const std::string address = free_address();
    shares_memory = !shares_memory;
    std::vector<std::string> faults(drawn.n_ranks);
    const auto thrown = refusals_of(drawn.n_ranks, [&](std::size_t rank) {
      const domain ranks = domain::at({address, rank, drawn.n_ranks}, queue{on->device()},
                                      {.may_share_memory = shares_memory});
      faults[rank] = fault_of(ranks, drawn.spec);
    });
    std::string sum;
    for (std::size_t rank = 0; rank < drawn.n_ranks; ++rank) sum += thrown[rank] + faults[rank];
    return sum;
  });
}

INSTANTIATE_TEST_SUITE_P(engines, random_requests_on, all_engines(), engine_name);

}  // namespace
