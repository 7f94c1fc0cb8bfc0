// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// Planted templates are found on every engine that is here.
#include "convolving/planted.hpp"
#include "support/on_engine.hpp"  // on_engine, all_engines, engine_name

namespace {

using namespace wingbeat;

class planted_on : public wingbeat::test::on_engine {};

TEST_P(planted_on, templates_are_found_where_fp64_finds_them) {
  // The former is slow, and the latter compiles kernels for each size.
  const bool is_brief = GetParam() == engine::reference || GetParam() == engine::opencl;
  if (is_brief) return wingbeat::test::expect_planted_found(*on, /*count=*/60, {{9, 23}});
  wingbeat::test::expect_planted_found(*on, /*count=*/200, {{16, 16}, {9, 23}});
}

INSTANTIATE_TEST_SUITE_P(engines, planted_on, wingbeat::test::all_engines(),
                         wingbeat::test::engine_name);

}  // namespace
