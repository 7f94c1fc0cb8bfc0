// SPDX-License-Identifier: Apache-2.0
// Random requests on the first device of an engine. Two variables of the environment say how many
// and from where: plan i is drawn from seed WINGBEAT_RANDOM_SEED + i. The last sentence of the test
// says how many were checked, and how close to its bound the largest error is.
//
//     WINGBEAT_RANDOM_PLANS=10000 build/test/tests/random_plans_tests --gtest_filter=*_on_host
//     WINGBEAT_RANDOM_PLANS=1 WINGBEAT_RANDOM_SEED=4711 ..    repeats the one that failed
//     WINGBEAT_TEST_SECONDS=400 ..                            ends it after that time
#pragma once

#include <gtest/gtest.h>

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <cstdio>   // printf
#include <map>
#include <string>

#include "support/environment.hpp"  // from_environment
#include "support/plan_check.hpp"   // check_plan, plan_verdict
#include "support/random_plan.hpp"  // random_plan, as_initialiser
#include "support/share.hpp"        // has_time, largest_share
#include "wingbeat/devices.hpp"     // devices, why_absent

namespace wingbeat::test {

/// Checks `count` requests, fewer after five faults. What the engine does not do yet is counted by
/// its sentence; where that is everything, the test fails, having seen nothing.
inline void expect_right(engine runs_on, std::uint64_t count, draw_limits within = {}) {
  const auto candidates = devices(runs_on);
  if (candidates.empty()) GTEST_SKIP() << why_absent(runs_on);
  queue on{candidates.front()};
  within.has_fp64 = candidates.front().has_fp64;
  within.has_real_kinds = true;
  const std::uint64_t n_plans = from_environment("WINGBEAT_RANDOM_PLANS", count);
  const std::uint64_t first = from_environment("WINGBEAT_RANDOM_SEED", 1);
  std::size_t n_right = 0, n_wrong = 0;
  std::map<std::string, std::size_t> refusals;
  largest_share largest;
  std::uint64_t seed = first;
  for (; seed < first + n_plans && n_wrong < 5 && has_time(); ++seed) {
    const drawn_plan drawn = random_plan(seed, within);
    const auto [is, why, share] = check_plan(on, drawn);
    largest.add(share, [&] { return "seed " + std::to_string(seed); });
    n_right += is == plan_verdict::right;
    n_wrong += is == plan_verdict::wrong;
    if (is == plan_verdict::refused) ++refusals[why];
    if (is != plan_verdict::wrong) continue;
    ADD_FAILURE() << "WINGBEAT_RANDOM_SEED=" << seed << (drawn.is_one_buffer ? ", one buffer" : "")
                  << (drawn.has_own_workspace ? ", own workspace" : "")
                  << ", each buffer starting behind " << drawn.shift
                  << " complex numbers\nplan_spec{" << as_initialiser(drawn.spec).substr(1) << "\n"
                  << why;
  }
  std::printf(
      "%s: %zu right, %zu wrong of the random plans of seeds %llu to %llu; the largest "
      "error is %.3Lf of its bound (%s)\n",
      candidates.front().name.c_str(), n_right, n_wrong, static_cast<unsigned long long>(first),
      static_cast<unsigned long long>(seed - 1), largest.share, largest.owner.c_str());
  for (const auto& [sentence, n] : refusals) std::printf("%zu refused: %s\n", n, sentence.c_str());
  EXPECT_GT(n_right, 0U) << "every request was refused, so nothing was checked";
}

}  // namespace wingbeat::test
