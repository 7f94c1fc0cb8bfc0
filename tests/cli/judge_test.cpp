// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// The check of `transform`: healthy outputs of the host pass, and a sample finds what is damaged.
#include "verify/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>  // pi

#include "cli/engine_runs.hpp"        // run_engines
#include "cli/messages.hpp"           // exit_ok
#include "cli/reports/transform.hpp"  // report_verdicts
#include "cli/samples.hpp"            // pack
#include "measure/plan_run.hpp"       // measure_plan
#include "request/resolved.hpp"       // points_of

namespace {

using namespace wingbeat;
using namespace wingbeat::cli;
using namespace wingbeat::verify;
using numbers = std::vector<double>;

constexpr std::size_t long_length = std::size_t{1} << 17;

plan_spec spec_of(std::vector<std::size_t> lengths, std::size_t batch, transform kind,
                  precision real = precision::fp32) {
  plan_spec spec;
  spec.lengths = std::move(lengths);
  spec.batch = batch;
  spec.kind = kind;
  spec.real = real;
  return spec;
}

std::size_t n_inputs(const plan_spec& spec) {
  return input_bytes(spec) / (spec.real == precision::fp64 ? 8 : 4);
}

/// The inputs whose transforms differ most: their energy is in all bins, in one, in every second.
const std::vector<std::function<double(std::size_t)>> signals{
    [](std::size_t i) { return std::sin(static_cast<double>(i * i % 10007)); },
    [](std::size_t i) { return std::cos(2 * std::numbers::pi * 0.1234 * static_cast<double>(i)); },
    [](std::size_t) { return 1.0; },
    [](std::size_t) { return 1.0 / 3; },
    [](std::size_t i) { return i == 4321 ? 1.0 : 0.0; },
    [](std::size_t i) { return i % 2 == 0 ? 1.0 : -1.0; },
    [](std::size_t i) { return i % 64 < 5 ? 1e-3 : 0; }};

struct checked_run {
  plan_spec spec;
  std::vector<std::byte> input;
  numbers output;

  checked_run(const plan_spec& s, const std::function<double(std::size_t)>& signal) : spec(s) {
    numbers samples(n_inputs(spec));
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = signal(i);
    input = pack(samples, spec.real);
    const auto m = measure::measure_plan(first_device(engine::host), spec, input, {.n_runs = 0});
    output = verify::numbers_of(m.output, spec.real);
  }

  [[nodiscard]] judge check(check_extent extent = check_extent::sample) const {
    return judge{problem(), extent};
  }
  [[nodiscard]] verify::checked_problem problem() const {
    return {spec, reader_of(input), spec.real};
  }

  /// Returns whether a sample finds the damage.
  [[nodiscard]] bool finds(const std::function<void(numbers&)>& damage) const {
    numbers damaged = output;
    damage(damaged);
    return !check()(damaged).is_within;
  }
};

TEST(judge, passes_healthy_outputs_of_every_signal) {
  std::vector<plan_spec> specs{
      spec_of({long_length}, 1, transform::forward),
      spec_of({long_length}, 1, transform::forward_from_real),
      spec_of({long_length}, 1, transform::inverse_to_real),
      spec_of({long_length}, 1, transform::inverse, precision::fp64),
      spec_of({2 * long_length}, 1, transform::forward_from_real, precision::fp64),
      spec_of({75 * 1001}, 2, transform::forward),
      spec_of({1000}, 300, transform::forward_from_real),
      spec_of({512, 360}, 1, transform::forward_from_real),
      spec_of({300, 512}, 2, transform::inverse),
      spec_of({512, 300}, 1, transform::inverse_to_real)};
  specs[2].scale = scaling::by_length;
  specs[0].scale = scaling::by_sqrt_length;
  for (const plan_spec& spec : specs) {
    for (std::size_t s = 0; s < signals.size(); ++s) {
      const checked_run run(spec, signals[s]);
      judge check = run.check();
      ASSERT_EQ(check.extent(), check_extent::sample);
      const agreement found = check(run.output);
      EXPECT_TRUE(found.is_within)
          << name_of(spec.kind) << " " << request::points_of(spec) << " signal " << s << ": "
          << found.relative_l2 << " " << found.norm_error << " of " << found.relative_l2_bound
          << ", largest " << found.largest_error / found.largest_value;
    }
  }
}

TEST(judge, samples_bin_0_the_middle_and_the_strongest) {
  for (const std::size_t n : {long_length, std::size_t{3} * 5 * 7 * 11 * 13 * 13}) {
    for (std::size_t s = 0; s < 2; ++s) {
      const checked_run run(spec_of({n}, 1, transform::forward), signals[s]);
      std::size_t strongest = 0;
      const auto magnitude = [&](std::size_t k) {
        return std::hypot(run.output[2 * k], run.output[2 * k + 1]);
      };
      for (std::size_t k = 0; k < n; ++k) {
        if (magnitude(k) > magnitude(strongest)) strongest = k;
      }
      const double error = 1e-4 * magnitude(strongest);  // far too little for the norm of noise
      for (const std::size_t k : {std::size_t{0}, n / 2, strongest}) {
        EXPECT_TRUE(run.finds([&](numbers& x) { x[2 * k] += error; })) << n << " " << k;
      }
    }
  }
}

TEST(judge, compares_some_values_of_long_primes) {
  const checked_run run(spec_of({100'003}, 1, transform::forward_from_real), signals[0]);
  judge check = run.check();
  const agreement found = check(run.output);
  EXPECT_TRUE(found.is_within);
  EXPECT_GE(found.n_values, 16U);
}

TEST(judge, has_the_energy_of_transforms_from_reals_to_reals) {
  for (const request::traits& kind : request::kinds) {
    if (!kind.is_real_to_real()) continue;
    for (const bool is_orthogonal : {false, true}) {
      plan_spec spec = spec_of({200, 360}, 1, kind.kind);
      spec.axis_kinds = {transform::dct1, kind.kind};
      spec.orthogonalize = is_orthogonal;
      for (const std::size_t s : {0U, 2U}) {
        const checked_run run(spec, signals[s]);
        const agreement found = run.check()(run.output);
        EXPECT_TRUE(found.is_within) << kind.name << " " << found.norm_error;
        EXPECT_GT(found.norm_error, 0) << kind.name;
        EXPECT_TRUE(run.finds([](numbers& x) {
          for (double& v : x) v *= 1 + 1e-6;
        })) << kind.name;
        const auto strip = [](numbers& x) { std::fill_n(x.begin() + 30'000, 64, 0.0); };
        EXPECT_TRUE(s != 0 || run.finds(strip)) << kind.name << ", by the norm";
      }
    }
  }
}

TEST(judge, finds_damage_of_few_bins_and_of_all) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const transform kind : {transform::forward, transform::forward_from_real}) {
    const checked_run run(spec_of({long_length}, 1, kind), signals[0]);
    const std::size_t odd = 2 * 31337 + 1;
    EXPECT_TRUE(run.finds([&](numbers& x) { x[odd] = nan; }));
    EXPECT_TRUE(run.finds([&](numbers& x) { x[odd] = 1e9; })) << "it becomes the strongest";
    EXPECT_TRUE(run.finds([&](numbers& x) {
      for (double& v : x) v = -v;
    }));
    EXPECT_TRUE(run.finds([&](numbers& x) {
      for (std::size_t i = 1; i < x.size(); i += 2) x[i] = -x[i];
    })) << "the other direction";
    EXPECT_TRUE(run.finds([&](numbers& x) { std::rotate(x.begin(), x.begin() + 2, x.end()); }));
    EXPECT_TRUE(run.finds([&](numbers& x) {
      for (double& v : x) v *= 1 + 1e-5;
    }));
    EXPECT_TRUE(run.finds([&](numbers& x) {
      for (std::size_t i = 0; i < 64; ++i) x[40000 + i] = 0;  // a cache line or two
    })) << "by the norm";
    EXPECT_TRUE(run.finds([&](numbers& x) { x.assign(x.size(), 0); }));
  }
}

TEST(judge, finds_one_wrong_transform_of_many_and_a_wrong_tile_of_an_image) {
  const checked_run rows(spec_of({256}, 5000, transform::forward), signals[0]);
  EXPECT_TRUE(rows.finds([](numbers& x) {
    for (std::size_t i = 0; i < 512; ++i) x[2345 * 512 + i] *= 1.0001;
  }));
  const checked_run image(spec_of({512, 512}, 1, transform::forward), signals[0]);
  EXPECT_TRUE(image.finds(
      [](numbers& x) { std::swap_ranges(x.begin(), x.begin() + 1024, x.begin() + 100 * 1024); }));
}

TEST(judge, compares_everything_of_short_problems_and_where_asked) {
  const checked_run run(spec_of({1024}, 2, transform::forward), signals[0]);
  judge check = run.check();
  EXPECT_EQ(check.extent(), check_extent::full);
  EXPECT_EQ(check(run.output).n_values, 2048U);
  EXPECT_THAT(check.description(), ::testing::HasSubstr("all 2048 values"));
  const checked_run longer(spec_of({long_length}, 1, transform::forward), signals[0]);
  judge sample = longer.check();
  const agreement sampled = sample(longer.output);
  EXPECT_TRUE(sampled.is_within);
  EXPECT_THAT(sample.description(), ::testing::HasSubstr("of 131072 values"));
  EXPECT_LT(sampled.n_values, long_length / 2);
  numbers damaged = longer.output;
  std::swap(damaged[2 * 50001], damaged[2 * 50003]);  // which no sample is bound to find
  EXPECT_FALSE(longer.check(check_extent::full)(damaged).is_within);
}

TEST(judge, counts_all_parts_of_a_problem) {
  const checked_run run(spec_of({long_length}, 1, transform::forward), signals[0]);
  const checked_run next(spec_of({long_length}, 1, transform::forward), signals[1]);
  judge check = run.check();
  const agreement first = check(run.output);
  check.follow(next.problem());
  const agreement second = check(next.output);
  EXPECT_TRUE(second.is_within);
  EXPECT_THAT(
      check.description(),
      ::testing::HasSubstr(std::to_string(first.n_values + second.n_values) + " of 262144 values"));
  EXPECT_FALSE(check(run.output).is_within) << "that of the part before";
  agreement worse = worse_of(check(run.output), second);
  EXPECT_FALSE(worse.is_within);
  EXPECT_FALSE(worse_of(second, worse).is_within);
}

TEST(judge, makes_the_exit_code_1_by_either_extent) {
  for (const std::size_t n : {std::size_t{1000}, long_length}) {
    const checked_run run(spec_of({n}, 1, transform::forward), signals[0]);
    const plan_spec other = spec_of({n}, 1, transform::inverse);  // a wrong sign
    const std::vector<device_info> host{first_device(engine::host)};
    judge wrong = run.check(), right = run.check();
    const engine_outcome refused = run_engines(other, run.input, host, wrong);
    EXPECT_EQ(refused.best, nullptr);
    EXPECT_EQ(report_verdicts(refused, false), exit_check_failed) << n;
    EXPECT_EQ(report_verdicts(run_engines(run.spec, run.input, host, right), true), exit_ok) << n;
  }
}

TEST(judge, judges_magnitudes_of_spectra) {
  const checked_run run(spec_of({512}, 300, transform::forward_from_real), signals[0]);
  numbers magnitudes = run.output;
  for (std::size_t i = 0; i < magnitudes.size(); i += 2) {
    magnitudes[i] = std::hypot(magnitudes[i], magnitudes[i + 1]);
    magnitudes[i + 1] = 0;
  }
  judge check{{run.spec, reader_of(run.input), run.spec.real, true}, check_extent::sample};
  EXPECT_TRUE(check(magnitudes).is_within);
  magnitudes[2 * 257 * 299 + 20] *= 1.001;
  EXPECT_FALSE(check(magnitudes).is_within);
}

}  // namespace
