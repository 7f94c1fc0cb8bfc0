// SPDX-License-Identifier: Apache-2.0
// For stores that see whole rows a workgroup holds rows up to the longest of each device.
#include <gtest/gtest.h>

#include <utility>  // pair
#include <vector>

#include "planner/devices.hpp"      // hopper, ampere, opencl
#include "programs/transforms.hpp"  // holds_whole_rows

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

TEST(whole_rows, whose_factors_are_small_fit_a_workgroup_however_few_they_are) {
  const std::vector<std::pair<device_info, std::size_t>> devices{
      {hopper(), 8192},
      {ampere(), 8192},
      {opencl(true, 49152, 1024), 4096},
      {opencl(false, 1 << 18, 4096), 1024}};
  for (const auto& [device, longest] : devices) {
    for (const transform kind : {transform::forward, transform::inverse,
                                 transform::forward_from_real, transform::inverse_to_real}) {
      for (std::size_t n = 2; n <= longest; ++n) {
        std::size_t rest = n;
        for (const std::size_t radix : {2, 3, 5, 7}) {
          while (rest % radix == 0) rest /= radix;
        }
        if (rest != 1) continue;
        for (const std::size_t batch : {1, 100000}) {
          plan_spec spec{.lengths = {n}, .batch = batch, .kind = kind};
          spec.store = {.out_bytes = batch * 4, .element_bytes = 4, .row_outputs = 1};
          EXPECT_TRUE(programs::holds_whole_rows(spec, device))
              << device.name << ", " << name_of(kind) << " of " << n << ", batch " << batch;
        }
      }
    }
  }
}

}  // namespace
