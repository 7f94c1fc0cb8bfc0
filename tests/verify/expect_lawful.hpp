// SPDX-License-Identifier: Apache-2.0
// Every law on the first device of an engine.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "request/traits.hpp"    // traits_of
#include "support/full_run.hpp"  // cases_on
#include "verify/verify.hpp"     // check
#include "wingbeat/devices.hpp"  // devices, why_absent

namespace wingbeat::test {

/// Returns the kinds from reals to reals, or the others.
inline std::vector<transform> kinds_of_reals(bool are_of_reals) {
  std::vector<transform> kinds;
  for (const transform each : verify::every_kind()) {
    if (request::traits_of(each).is_real_to_real() == are_of_reals) kinds.push_back(each);
  }
  return kinds;
}

/// Checks kinds in the precisions the device has, or in fp32 alone: see `cases_on`. Skips where
/// the engine is absent.
inline void expect_lawful(engine runs_on, verify::lengths over,
                          const std::vector<transform>& kinds = kinds_of_reals(false)) {
  const auto candidates = devices(runs_on);
  if (candidates.empty()) GTEST_SKIP() << why_absent(runs_on);
  for (const precision real : cases_on<precision>(runs_on, {precision::fp32}, {precision::fp64})) {
    if (real == precision::fp64 && !candidates.front().has_fp64) continue;
    const auto verdicts = verify::check({candidates.front()}, real, over, {}, kinds);
    EXPECT_FALSE(verdicts.empty());
    for (const auto& v : verdicts) {
      EXPECT_TRUE(v.is_right()) << v.law << ", " << name_of(v.kind) << ", " << name_of(v.real)
                                << ", " << v.lengths.size() << " axes, the first of "
                                << v.lengths.front() << ": " << v.error << " of " << v.bound
                                << " allowed " << v.failure;
    }
  }
}

}  // namespace wingbeat::test
