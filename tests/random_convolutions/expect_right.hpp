// SPDX-License-Identifier: Apache-2.0
// Random convolutions on the first device of an engine. Two variables of the environment say how
// many and from where: convolution i is drawn from seed WINGBEAT_RANDOM_SEED + i.
//
//     WINGBEAT_RANDOM_PLANS=2000 build/test/tests/random_convolutions_cuda_test
//     WINGBEAT_RANDOM_PLANS=1 WINGBEAT_RANDOM_SEED=4711 ..    repeats the one that failed
//     WINGBEAT_TEST_SECONDS=150 ..                            ends it after that time
#pragma once

#include <gtest/gtest.h>

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <cstdio>   // printf

#include "support/convolution_verdict.hpp"  // verdict_of
#include "support/environment.hpp"          // from_environment
#include "support/random_convolution.hpp"   // random_convolution, as_initialiser
#include "support/share.hpp"                // has_time
#include "wingbeat/devices.hpp"             // devices, why_absent

namespace wingbeat::test {

/// Checks `count` requests, fewer after five faults.
inline void expect_right_convolutions(engine runs_on, std::uint64_t count,
                                      convolution_limits within = {}) {
  const auto found = devices(runs_on);
  if (found.empty()) GTEST_SKIP() << why_absent(runs_on);
  queue on{found.front()};
  within.has_fp64 = found.front().has_fp64;
  const std::uint64_t n_requests = from_environment("WINGBEAT_RANDOM_PLANS", count);
  const std::uint64_t first = from_environment("WINGBEAT_RANDOM_SEED", 1);
  std::size_t n_right = 0, n_wrong = 0;
  std::uint64_t seed = first;
  for (; seed < first + n_requests && n_wrong < 5 && has_time(); ++seed) {
    const drawn_convolution drawn = random_convolution(seed, within);
    const auto [is, why, share] = verdict_of(on, drawn);
    n_right += is == plan_verdict::right;
    if (is == plan_verdict::right) continue;
    ++n_wrong;
    ADD_FAILURE() << "WINGBEAT_RANDOM_SEED=" << seed
                  << (drawn.reverses_images ? ", images loaded by a functor" : "")
                  << (drawn.reverses_kernels ? ", kernels loaded by a functor" : "")
                  << (drawn.reverses_results ? ", results stored by a functor" : "")
                  << (drawn.has_own_workspace ? ", own workspace" : "")
                  << ", each buffer starting behind " << drawn.shift
                  << " complex numbers\nconvolution_spec" << as_initialiser(drawn.spec) << "\n"
                  << why;
  }
  std::printf("%s: %zu right, %zu wrong of the random convolutions of seeds %llu to %llu\n",
              found.front().name.c_str(), n_right, n_wrong, static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(seed - 1));
  EXPECT_GT(n_right, 0U);
}

}  // namespace wingbeat::test
