// SPDX-License-Identifier: Apache-2.0
// The engine through its interface. Oracle: the definition; bound: one rounding of each output.
// Beyond the definition's reach, a tone and an impulse have known transforms.
#include <gtest/gtest.h>

#include <limits>  // numeric_limits
#include <thread>

#include "backend/backend.hpp"            // reference_engine
#include "programs/prepared_program.hpp"  // prepared_program
#include "support/full_run.hpp"           // is_full_run
#include "support/oracle.hpp"             // relative_l2
#include "support/signal.hpp"             // real_noise
#include "support/tolerance.hpp"          // unit_roundoff
#include "wingbeat/good_length.hpp"       // good_length

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using device::direction;

direction direction_of(transform kind) {
  const bool is_forward = kind == transform::forward || kind == transform::forward_from_real;
  return is_forward ? direction::forward : direction::inverse;
}

/// One queue and one plan of the reference engine; memory is this process's.
template <class Real>
struct bench {
  explicit bench(plan_spec asked) : spec(std::move(asked)) {
    spec.real = sizeof(Real) == 4 ? precision::fp32 : precision::fp64;
    queue = engine.open(engine.devices().front());
    plan = programs::prepared_transform(queue, spec);
  }

  void run(const Real* in, Real* out) const {
    plan->enqueue(*queue, {.in = {const_cast<Real*>(in), 0, input_bytes(spec)},
                           .out = {out, 0, output_bytes(spec)},
                           .workspace = {}});
  }
  [[nodiscard]] std::vector<Real> run(const std::vector<Real>& in) const {
    std::vector<Real> out(output_bytes(spec) / sizeof(Real),
                          std::numeric_limits<Real>::quiet_NaN());
    run(in.data(), out.data());
    return out;
  }
  [[nodiscard]] std::size_t in_step() const {
    return input_bytes(spec) / spec.batch / sizeof(Real);
  }
  [[nodiscard]] std::size_t out_step() const {
    return output_bytes(spec) / spec.batch / sizeof(Real);
  }
  [[nodiscard]] std::vector<Real> input() const {
    return real_noise<Real>(input_bytes(spec) / sizeof(Real), spec.lengths[0]);
  }

  const backend::engine& engine = backend::reference_engine();
  plan_spec spec;
  std::shared_ptr<backend::queue> queue;
  std::shared_ptr<const programs::prepared_program> plan;
};

/// Returns N complex values: what one row of input stands for.
template <class Real>
exact meaning_of(transform kind, const Real* in, std::size_t n) {
  exact x(n);
  for (std::size_t j = 0; j < n; ++j) {
    if (kind == transform::forward_from_real) {
      x[j] = in[j];
    } else if (kind == transform::inverse_to_real) {
      const std::size_t k = j <= n / 2 ? j : n - j;
      const long double im = k == 0 || 2 * k == n ? 0 : in[2 * k + 1];
      x[j] = {in[2 * k], j == k ? im : -im};
    } else {
      x[j] = {in[2 * j], in[2 * j + 1]};
    }
  }
  return x;
}

/// Checks every row of an output against the definition, to one rounding.
template <class Real>
void expect_right(const bench<Real>& fixture, const std::vector<Real>& in,
                  const std::vector<Real>& out, long double scale = 1) {
  const std::size_t n = fixture.spec.lengths[0];
  const transform kind = fixture.spec.kind;
  for (std::size_t r = 0; r < fixture.spec.batch; ++r) {
    const auto x = meaning_of(kind, in.data() + r * fixture.in_step(), n);
    const exact expected = dft_by_definition(x, direction_of(kind));
    const Real* const got = out.data() + r * fixture.out_step();
    const long double allowed = 1.01L * unit_roundoff<Real> * largest(expected) * scale;
    const bool is_real = kind == transform::inverse_to_real;
    const std::size_t count = kind == transform::forward_from_real ? n / 2 + 1 : n;
    for (std::size_t k = 0; k < count; ++k) {
      const auto value = is_real ? std::complex<long double>(got[k])
                                 : std::complex<long double>(got[2 * k], got[2 * k + 1]);
      ASSERT_LE(std::abs(value - scale * expected[k]), allowed)
          << name_of(kind) << " of length " << n << ", row " << r << ", element " << k;
    }
  }
}

constexpr transform kinds[] = {transform::forward, transform::inverse, transform::forward_from_real,
                               transform::inverse_to_real};

template <class Real>
class reference_engine : public ::testing::Test {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(reference_engine, reals);

TYPED_TEST(reference_engine, agrees_with_the_definition) {
  for (const transform kind : kinds) {
    for (std::size_t n = 2; n <= 1024; n *= 2) {
      const bench<TypeParam> fixture{{.lengths = {n}, .batch = 3, .kind = kind}};
      const auto in = fixture.input();
      expect_right(fixture, in, fixture.run(in));
    }
  }
}

TYPED_TEST(reference_engine, agrees_with_the_definition_at_every_good_length) {
  const std::size_t last = is_full_run() ? 4096 : 512;
  for (const transform kind : kinds) {
    for (std::size_t n = 3; n <= last; n = good_length(n + 1)) {
      const bench<TypeParam> fixture{{.lengths = {n}, .batch = 2, .kind = kind}};
      const auto in = fixture.input();
      expect_right(fixture, in, fixture.run(in));
    }
  }
}

TYPED_TEST(reference_engine, scales_on_the_way_out) {
  for (const transform kind : kinds) {
    const bench<TypeParam> by_n{{.lengths = {128}, .kind = kind, .scale = scaling::by_length}};
    const bench<TypeParam> by_root{
        {.lengths = {128}, .kind = kind, .scale = scaling::by_sqrt_length}};
    const auto in = by_n.input();
    expect_right(by_n, in, by_n.run(in), 1.0L / 128);
    expect_right(by_root, in, by_root.run(in), 1 / std::sqrt(128.0L));
  }
}

TYPED_TEST(reference_engine, works_in_place_on_padded_rows) {
  for (const transform kind : kinds) {
    for (const std::size_t n : {2, 15, 64, 75, 128, 130}) {
      const bench<TypeParam> fixture{
          {.lengths = {n}, .batch = 4, .kind = kind, .where = placement::in_place}};
      const auto in = fixture.input();
      ASSERT_EQ(fixture.in_step(), fixture.out_step());
      auto both = in;
      fixture.run(both.data(), both.data());
      expect_right(fixture, in, both);
    }
  }
}

TYPED_TEST(reference_engine, does_not_read_the_imaginary_parts_of_bins_0_and_half) {
  const bench<TypeParam> fixture{{.lengths = {32}, .kind = transform::inverse_to_real}};
  auto in = fixture.input();
  const auto expected = fixture.run(in);
  in[1] = in[33] = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_EQ(fixture.run(in), expected);
}

TYPED_TEST(reference_engine, leaves_its_input_and_the_bytes_around_its_output_alone) {
  const bench<TypeParam> fixture{{.lengths = {64}, .batch = 2}};
  const auto in = fixture.input();
  const auto kept = in;
  std::vector<TypeParam> out(8 + 256 + 8, TypeParam{7});
  fixture.plan->enqueue(*fixture.queue,
                        {.in = {const_cast<TypeParam*>(in.data()), 0, input_bytes(fixture.spec)},
                         .out = {out.data(), 8 * sizeof(TypeParam), output_bytes(fixture.spec)},
                         .workspace = {}});
  EXPECT_EQ(in, kept);
  for (std::size_t j = 0; j < 8; ++j) {
    EXPECT_EQ(out[j], 7);
    EXPECT_EQ(out[8 + 256 + j], 7);
  }
}

TYPED_TEST(reference_engine, finds_a_tone_in_a_million_samples) {
  constexpr std::size_t n = std::size_t{1} << 20, bin = 654'321;
  const bench<TypeParam> fixture{{.lengths = {n}, .scale = scaling::by_length}};
  const auto x = tone<TypeParam>(n, bin);
  std::vector<complex<TypeParam>> got(n);
  fixture.run(&x[0].re, &got[0].re);
  EXPECT_LE(relative_l2(got, impulse<TypeParam>(n, bin)), unit_roundoff<TypeParam>);
}

TEST(reference_queue, carries_bytes_both_ways_and_measures_time) {
  const auto& engine = backend::reference_engine();
  const auto queue = engine.open(engine.devices().front());
  void* const memory = queue->allocate(64);
  const std::vector<char> sent(64, 'x');
  std::vector<char> got(64);
  const auto before = queue->record();
  queue->write({memory, 0, 64}, sent.data());
  queue->read(got.data(), {memory, 0, 64});
  const auto after = queue->record();
  queue->release(memory);
  EXPECT_EQ(got, sent);
  EXPECT_GE(after->seconds_since(*before), 0);
}

TEST(reference_plan, runs_from_many_threads_at_once) {
  const bench<float> fixture{{.lengths = {256}, .batch = 2}};
  const auto in = fixture.input();
  const auto expected = fixture.run(in);
  std::vector<std::vector<float>> got(4);
  {
    std::vector<std::jthread> threads;
    for (auto& out : got) threads.emplace_back([&] { out = fixture.run(in); });
  }
  for (const auto& out : got) EXPECT_EQ(out, expected);
}

TEST(reference_plan, says_which_algorithm_it_chose) {
  const bench<float> small{{.lengths = {64}}};
  const bench<float> large{{.lengths = {128}}};
  EXPECT_NE(small.plan->program().describe().find("the sum that defines it"), std::string::npos);
  EXPECT_NE(large.plan->program().describe().find("radix-2"), std::string::npos);
  const bench<float> mixed{{.lengths = {100}}};
  EXPECT_NE(mixed.plan->program().describe().find("each prime factor"), std::string::npos);
}

}  // namespace
