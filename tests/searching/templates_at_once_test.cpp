// SPDX-License-Identifier: Apache-2.0
// How many templates a run takes: where a device takes one, and where an error is the request's.
#include "searching/templates_at_once.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace wingbeat;
using searching::made_for;

device_info device_of(engine runs_on) {
  device_info device;
  device.runs_on = runs_on;
  return device;
}

const device_info opencl_device = device_of(engine::opencl);

TEST(templates_at_once, are_one_on_a_device_without_atomic_operations_on_64_bits) {
  device_info device = opencl_device;
  device.has_int64_atomics = false;
  EXPECT_EQ(made_for(device, 8, [](std::size_t count) { return count; }), 1U);
}

TEST(templates_at_once, are_one_where_an_opencl_device_has_no_memory_for_more) {
  std::vector<std::size_t> counts;
  const auto make = [&](std::size_t count) {
    counts.push_back(count);
    if (count > 1) throw memory_error("no memory");
    return count;
  };
  EXPECT_EQ(made_for(opencl_device, 8, make), 1U);
  EXPECT_EQ(counts, (std::vector<std::size_t>{8, 1}));
  EXPECT_THROW((void)made_for(device_of(engine::host), 8, make), memory_error);
}

TEST(templates_at_once, pass_errors_of_a_request_at_once) {
  const auto expect_one_call = [](const auto& failure) {
    int n_calls = 0;
    const auto make = [&](std::size_t count) {
      ++n_calls;
      if (count > 1) throw failure;
      return count;
    };
    EXPECT_THROW((void)made_for(opencl_device, 8, make), std::decay_t<decltype(failure)>);
    EXPECT_EQ(n_calls, 1);
  };
  expect_one_call(plan_error("a wrong request"));
  expect_one_call(device_error("a kernel that does not compile"));
}

TEST(templates_at_once, fill_the_memory_of_a_run_and_leave_many_runs) {
  search_spec spec{.image = {4096, 4096}, .templates = {512, 512}};
  EXPECT_EQ(searching::templates_at_once(spec, 100), 1U);
  EXPECT_EQ(searching::templates_at_once(spec, 256 * 1000), 1U);
  spec.image = {1024, 1024};
  EXPECT_EQ(searching::templates_at_once(spec, 256 * 1000), 16U) << "of 4 MiB each";
  EXPECT_EQ(searching::templates_at_once(spec, 256 * 5), 5U);
  spec.templates = {2, 2};
  spec.image = {16, 16};
  EXPECT_EQ(searching::templates_at_once(spec, 256 * 1000), 64U);
}

}  // namespace
