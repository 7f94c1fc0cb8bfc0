// SPDX-License-Identifier: Apache-2.0
// Programs put together of others: where their arrays lie, what they move, and that a run on the
// engine `host` goes through them in order.
#include "programs/program.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "programs/prepared_program.hpp"  // prepared_program
#include "support/memory.hpp"             // contents, filled
#include "support/signal.hpp"             // noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using programs::place;

constexpr std::size_t n = 64, bytes = n * sizeof(std::complex<float>);

class host_program : public ::testing::Test {
 protected:
  /// Returns the steps of a transform of n points.
  [[nodiscard]] programs::program transform_of(transform kind) const {
    return *backend::host_engine().realise(
        on.impl(), plan_spec{.lengths = {n}, .kind = kind, .scale = scaling::by_sqrt_length});
  }

  queue on{devices(engine::host).front()};
};

TEST_F(host_program, runs_its_parts_in_order_through_the_array_between_them) {
  programs::program steps;
  steps.add(programs::clear{bytes});
  steps.add(transform_of(transform::forward), {place::input, place::between_a});
  // The first half of the output stays cleared.
  steps.add(transform_of(transform::inverse), {place::between_a, place::output, 0, bytes});
  steps.reserve(place::between_a, bytes);
  EXPECT_EQ(steps.workspace_bytes(), bytes);
  EXPECT_EQ(steps.traffic_bytes(), bytes + 2 * 2 * bytes);
  ASSERT_EQ(steps.texts().size(), 3U);
  EXPECT_EQ(steps.texts().front(), "clears 512 bytes");
  EXPECT_TRUE(steps.passes().empty()) << "calls are no launches";

  std::vector<std::complex<float>> signal;
  for (const auto& z : test::noise<float>(n, 1)) signal.emplace_back(z.re, z.im);
  const buffer in = test::filled(on, signal), between{on, bytes};
  const buffer out = test::filled(on, std::vector<std::complex<float>>(2 * n, 7));
  const programs::prepared_program ready{backend::host_engine(), on.impl(), steps};
  ready.enqueue(*on.impl(), {.in = in.view(), .out = out.view(), .workspace = between.view()});
  const auto result = test::contents<std::complex<float>>(out);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(result[i], std::complex<float>{}) << i;
    EXPECT_LT(std::abs(result[n + i] - signal[i]), 1e-5) << i;
  }
}

TEST_F(host_program, gives_each_array_of_the_workspace_a_place_of_its_own) {
  programs::program steps;
  for (const place each : {place::between_b, place::workspace_a, place::values}) {
    steps.reserve(each, 100);
    steps.reserve(each, 40);
  }
  EXPECT_EQ(steps.offset_bytes(place::workspace_a), 0U);
  EXPECT_EQ(steps.offset_bytes(place::between_b), 256U);
  EXPECT_EQ(steps.offset_bytes(place::values), 512U);
  EXPECT_EQ(steps.workspace_bytes(), 612U);
}

TEST_F(host_program, of_one_call_is_run_directly) {
  const programs::prepared_program alone{backend::host_engine(), on.impl(),
                                         transform_of(transform::forward)};
  EXPECT_NE(alone.direct().call, nullptr);
  programs::program steps;
  steps.add(programs::clear{bytes});
  steps.add(transform_of(transform::forward), {});
  const programs::prepared_program cleared{backend::host_engine(), on.impl(), steps};
  EXPECT_EQ(cleared.direct().call, nullptr);
}

}  // namespace
