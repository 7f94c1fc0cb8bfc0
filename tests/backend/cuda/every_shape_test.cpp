// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 900
// Every shape of the tuning data compiled for sm_90, and samples for older and newer devices;
// shapes_elsewhere_test.cpp compiles the rest.
#include <gtest/gtest.h>

#include "backend/cuda/shape_check.hpp"  // check_shapes

namespace {

using wingbeat::test::check_shapes;

TEST(every_shape, compiles_without_spills_for_sm_90) {
  check_shapes("sm_90", 1);
}

TEST(every_shape, compiles_without_spills_for_sm_80_in_part) {
  check_shapes("sm_80", 4);
}

TEST(every_shape, compiles_without_spills_for_sm_100_in_part) {
  check_shapes("sm_100", 4);
}

}  // namespace
