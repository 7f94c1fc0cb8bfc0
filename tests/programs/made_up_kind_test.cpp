// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// A kind of transforms that there is not: real signals to the conjugates of their bins, and back.
// All that engines are told of it is a row of traits. Oracle: the kinds whose conjugates they are.
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "programs/prepared_program.hpp"  // prepared_program
#include "support/full_run.hpp"           // cases_on
#include "support/memory.hpp"             // contents, filled
#include "support/signal.hpp"             // fill_noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

/// Returns a request whose transforms have the other direction than its kind says.
request::resolved_spec turned(const plan_spec& spec) {
  request::resolved_spec result{spec};
  const request::traits& opposite = request::traits_of(result.kind.opposite);
  result.kind.is_forward = opposite.is_forward;
  result.kind.other_axes = opposite.other_axes;
  return result;
}

std::vector<float> conjugated(std::vector<float> bins) {
  for (std::size_t i = 1; i < bins.size(); i += 2) bins[i] = -bins[i];
  return bins;
}

std::vector<float> transformed(const queue& on, const request::resolved_spec& request,
                               const std::vector<float>& x) {
  const backend::engine& engine = backend::engine_of(on.device().runs_on);
  const programs::program steps = *engine.realise(on.impl(), request);
  const buffer in = test::filled(on, x), out{on, output_bytes(request.spec)};
  const buffer between{on, steps.workspace_bytes()};
  const programs::prepared_program ready{engine, on.impl(), steps};
  ready.enqueue(*on.impl(), {.in = in.view(), .out = out.view(), .workspace = between.view()});
  return test::contents<float>(out);
}

void expect_close(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  float largest = 0;
  for (const float each : expected) largest = std::max(largest, std::abs(each));
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], 2e-6F * largest) << i;
  }
}

class made_up_kind : public ::testing::TestWithParam<engine> {};

TEST_P(made_up_kind, is_computed_from_its_row) {
  if (devices(GetParam()).empty()) GTEST_SKIP() << why_absent(GetParam());
  const queue on{devices(GetParam()).front()};
  using lengths = std::vector<std::size_t>;
  for (const lengths& n :
       test::cases_on<lengths>(GetParam(), {{15}, {4096}, {3, 30}}, {{16}, {30}, {5, 4, 18}})) {
    for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
      const plan_spec spec{.lengths = n, .batch = 3, .kind = kind};
      SCOPED_TRACE(testing::Message() << name_of(kind) << " of " << n.back());
      std::vector<float> x(input_bytes(spec) / sizeof(float));
      test::fill_noise(x.data(), x.size(), 1);
      if (kind == transform::forward_from_real) {
        expect_close(transformed(on, turned(spec), x), conjugated(transformed(on, spec, x)));
      } else {
        expect_close(transformed(on, turned(spec), x), transformed(on, spec, conjugated(x)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(engines, made_up_kind,
                         ::testing::Values(engine::reference, engine::host, engine::opencl),
                         [](const auto& chosen) { return std::string{name_of(chosen.param)}; });

}  // namespace
