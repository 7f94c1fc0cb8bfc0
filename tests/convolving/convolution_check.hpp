// SPDX-License-Identifier: Apache-2.0
// Convolutions on an engine against the sums that define them; see support/convolution_verdict.hpp.
#pragma once

#include <gtest/gtest.h>

#include "support/convolution_verdict.hpp"  // verdict_of
#include "support/random_convolution.hpp"   // as_initialiser, noise_range
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

inline void check_convolution(queue& on, const convolution_spec& spec, noise_range images = {}) {
  const auto [is, why, share] = verdict_of(on, {.spec = spec, .images = images});
  EXPECT_EQ(is, plan_verdict::right) << as_initialiser(spec) << "\n"
                                     << why << "\n"
                                     << convolution(on, spec).explain();
}

}  // namespace wingbeat::test
