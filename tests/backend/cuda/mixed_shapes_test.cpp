// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 900
// Shapes of lengths that are no powers of two, compiled for sm_90, sm_80 and sm_100: a sample of
// them, in a full run every one.
#include <gtest/gtest.h>

#include "backend/cuda/shape_check.hpp"  // check_shapes
#include "support/full_run.hpp"          // is_full_run

namespace {

using namespace wingbeat::test;
using wingbeat::programs::mixed_requests;

TEST(mixed_shapes, compile_without_spills_for_sm_90) {
  check_shapes("sm_90", is_full_run() ? 1 : 47, mixed_requests());
}

TEST(mixed_shapes, compile_without_spills_for_sm_80) {
  check_shapes("sm_80", is_full_run() ? 1 : 113, mixed_requests());
}

TEST(mixed_shapes, compile_without_spills_for_sm_100) {
  check_shapes("sm_100", is_full_run() ? 1 : 113, mixed_requests());
}

}  // namespace
