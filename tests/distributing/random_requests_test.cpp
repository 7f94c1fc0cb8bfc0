// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Random requests on ranks of one process against plans of one device, on every engine.
#include <gtest/gtest.h>

#include "distributing/random_request.hpp"  // check_requests, fault_of
#include "support/on_engine.hpp"            // on_engine, all_engines, engine_name

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class random_requests_on : public on_engine {};

TEST_P(random_requests_on, equal_one_device) {
  check_requests(on->device(), [&](const drawn_request& drawn) -> std::string {
    try {
      const std::vector<device_info> devices(drawn.n_ranks, on->device());
      return fault_of(domain::of_devices(devices), drawn.spec);
    } catch (const error& thrown) {
      return thrown.what();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(engines, random_requests_on, all_engines(), engine_name);

}  // namespace
