// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Stores that reduce what a plan makes: sums and maxima of rows, in one pass and in several, of
// complex and real sides, on every engine that is here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "request/resolved.hpp"   // output_array
#include "support/memory.hpp"     // contents, filled, transformed
#include "support/on_engine.hpp"  // on_engine, all_engines, engine_name
#include "support/refusal.hpp"    // refusal
#include "support/signal.hpp"     // noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

/// Of a row: the sum of |z|^2, how many elements there were, and a sum of their numbers.
struct summary {
  float energy;
  unsigned count, numbers;
};

constexpr const char* text = R"(
#include "wingbeat/device/atomic.hpp"
#include "wingbeat/device/complex.hpp"
namespace wd = wingbeat::device;
struct summary { float energy; unsigned count, numbers; };
struct summed {
  using element = summary;
  using partial = summary;
  WINGBEAT_FN static partial start() { return {0, 0, 0}; }
  WINGBEAT_FN static void add(partial& sum, wd::size, wd::size i, wd::complex<float> z) {
    sum.energy += z.re * z.re + z.im * z.im;
    sum.count += 1;
    sum.numbers += unsigned(i);
  }
  WINGBEAT_FN static void add(partial& sum, wd::size row, wd::size i, float x) {
    add(sum, row, i, wd::complex<float>{x, 0});
  }
  WINGBEAT_FN static void combine(partial& sum, partial other) {
    sum.energy += other.energy;
    sum.count += other.count;
    sum.numbers += other.numbers;
  }
  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, wd::size row, partial sum) {
    wd::atomic_add(&out[row].energy, sum.energy);
    wd::atomic_add(&out[row].count, sum.count);
    wd::atomic_add(&out[row].numbers, sum.numbers);
  }
};
)";

/// The same for the engines of this process.
template <class Value>
run_writer<Value> callable() {
  return [](void* out, std::size_t row, std::size_t first, std::span<const Value> values) {
    auto& sums = static_cast<summary*>(out)[row];
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::atomic_ref{sums.energy} += std::norm(values[i]);
      std::atomic_ref{sums.count} += 1;
      std::atomic_ref{sums.numbers} += static_cast<unsigned>(first + i);
    }
  };
}

plan_spec summed(plan_spec spec) {
  spec.store = {.out_bytes = std::size_t{spec.batch} * sizeof(summary),
                .element_bytes = sizeof(summary),
                .source = {.text = text, .type = "summed"},
                .partial_bytes = sizeof(summary),
                .clears_output = true};
  if (spec.kind == transform::inverse_to_real) {
    spec.store.callable = callable<float>();
  } else {
    spec.store.callable = callable<std::complex<float>>();
  }
  return spec;
}

class reduction : public on_engine {
 protected:
  /// Two runs, each into memory that something else left there.
  void check(const plan_spec& spec) {
    SCOPED_TRACE(joined_lengths(spec));
    const std::size_t rows = spec.batch;
    std::vector<float> x;
    for (const auto& z : noise<float>(input_bytes(spec) / 8 + 1, 1))
      x.insert(x.end(), {z.re, z.im});
    const buffer in = filled(*on, x);
    const arrays::array output = request::output_array(spec);
    const std::size_t reals = output.elements() * (output.is_real() ? 1 : 2);
    auto y = transformed(*on, spec, x);  // zeros outside its ranges
    y.resize(rows * reals);

    const plan planned{*on, summed(spec)};
    const buffer out = filled(*on, std::vector<summary>(rows, {1e9f, 77, 77}));
    for (int run = 0; run < 2; ++run) {
      planned.enqueue(*on, in.view(), out.view());
      const auto got = contents<summary>(out);
      for (std::size_t row = 0; row < rows; ++row) {
        double energy = 0;
        for (std::size_t i = 0; i < reals; ++i)
          energy += double(y[row * reals + i]) * y[row * reals + i];
        const std::size_t count = output.valid_elements();
        ASSERT_EQ(got[row].count, count) << "row " << row << " run " << run;
        ASSERT_EQ(got[row].numbers, static_cast<unsigned>(count * (count - 1) / 2))
            << "row " << row;
        ASSERT_NEAR(got[row].energy / energy, 1, 1e-4) << "row " << row;
      }
    }
  }

  static std::string joined_lengths(const plan_spec& spec) {
    std::string title{name_of(spec.kind)};
    for (const std::size_t n : spec.lengths) title += " " + std::to_string(n);
    return title;
  }
};

TEST_P(reduction, sums_each_row_of_a_batch) {
  for (const std::size_t n : cases<std::size_t>({16}, {2, 256})) {
    check({.lengths = {n}, .batch = 37});
  }
  check({.lengths = {1024}, .batch = 3, .kind = transform::inverse});
}

TEST_P(reduction, sums_what_comes_from_several_passes) {
  check({.lengths = {1 << 17}, .batch = 2});
  check({.lengths = {64, 128}, .batch = 3});
}

TEST_P(reduction, sums_the_sides_of_real_transforms) {
  for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
    check({.lengths = {512}, .batch = 5, .kind = kind});
    if (leaves_out()) continue;
    check({.lengths = {1 << 17}, .batch = 1, .kind = kind});
    check({.lengths = {32, 64}, .batch = 2, .kind = kind});
  }
}

TEST_P(reduction, sums_the_sides_of_real_transforms_of_odd_length) {
  for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
    check({.lengths = {45}, .batch = 5, .kind = kind});
    if (leaves_out()) continue;
    check({.lengths = {59049}, .batch = 2, .kind = kind});
    check({.lengths = {12, 35}, .batch = 2, .kind = kind});
  }
}

TEST_P(reduction, numbers_the_elements_in_its_ranges_alone) {
  check({.lengths = {64}, .batch = 5, .valid_in = {{3, 40}}, .valid_out = {{7, 60}}});
  check({.lengths = {7, 45},
         .batch = 2,
         .kind = transform::inverse_to_real,
         .valid_out = {{1, 6}, {6, 40}}});
  if (leaves_out()) return;
  check({.lengths = {16, 64},
         .batch = 3,
         .kind = transform::forward_from_real,
         .valid_in = {{1, 10}, {3, 30}},
         .valid_out = {{0, 16}, {1, 32}}});
  check({.lengths = {64}, .batch = 3, .kind = transform::inverse_to_real, .valid_out = {{9, 10}}});
  check({.lengths = {1 << 16}, .batch = 2, .valid_in = {{5, 40001}}, .valid_out = {{17, 60000}}});
}

TEST_P(reduction, is_refused_in_a_sentence) {
  plan_spec large = summed({.lengths = {64}});
  large.store.partial_bytes = 68;
  EXPECT_THAT(refusal([&] { (void)plan(*on, large); }), HasSubstr("store.partial_bytes is 68"));
  plan_spec odd = summed({.lengths = {64}});
  odd.store.out_bytes = 14;
  EXPECT_THAT(refusal([&] { (void)plan(*on, odd); }), HasSubstr("multiples of 4 bytes"));
}

INSTANTIATE_TEST_SUITE_P(engines, reduction, all_engines(), engine_name);

}  // namespace
