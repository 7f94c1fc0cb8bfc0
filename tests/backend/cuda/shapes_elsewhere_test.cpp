// SPDX-License-Identifier: Apache-2.0
// Label: slow
// Timeout: 1800
// Every shape of the tuning data compiled for older and newer devices than sm_90.
#include <gtest/gtest.h>

#include "backend/cuda/shape_check.hpp"  // check_shapes

namespace {

using wingbeat::test::check_shapes;

TEST(shapes_elsewhere, compile_without_spills_for_sm_80) {
  check_shapes("sm_80", 1);
}

TEST(shapes_elsewhere, compile_without_spills_for_sm_100) {
  check_shapes("sm_100", 1);
}

}  // namespace
