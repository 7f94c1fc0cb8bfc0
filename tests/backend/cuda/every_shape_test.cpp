// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 900
// Shapes of the tuning data compiled for sm_90, in a full run every one, and samples for older and
// newer devices; shapes_elsewhere_test.cpp compiles the rest.
#include <gtest/gtest.h>

#include "backend/cuda/shape_check.hpp"  // check_shapes
#include "support/full_run.hpp"          // is_full_run

namespace {

using wingbeat::test::check_shapes;
using wingbeat::test::is_full_run;

TEST(every_shape, compiles_without_spills_for_sm_90) {
  check_shapes("sm_90", is_full_run() ? 1 : 13);
}

TEST(every_shape, compiles_without_spills_for_sm_80_in_part) {
  check_shapes("sm_80", is_full_run() ? 8 : 41);
}

TEST(every_shape, compiles_without_spills_for_sm_100_in_part) {
  check_shapes("sm_100", is_full_run() ? 8 : 41);
}

}  // namespace
