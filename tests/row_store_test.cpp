// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Stores that make outputs of whole rows, against outputs made of the rows that a plan without
// functors leaves in memory, on every engine that is here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <stdexcept>  // logic_error

#include "support/memory.hpp"           // contents, filled, transformed
#include "support/on_engine.hpp"        // on_engine, all_engines, engine_name
#include "support/refusal.hpp"          // refusal
#include "support/signal.hpp"           // noise
#include "tuning/compiled_engines.hpp"  // compiles_kernels
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

/// Of part t of a row: the strongest element, its power over the mean of the row, and the first
/// element of the part, which is of another place than that of the output.
struct peak {
  float ratio;
  unsigned element;
  float factor;
};

constexpr unsigned outputs = 3;
constexpr float factor = 2.5F;

constexpr const char* text = R"(
#include "wingbeat/device/complex.hpp"
namespace wd = wingbeat::device;
struct peak { float ratio; unsigned element; float factor; };
WINGBEAT_FN float power(wd::complex<float> z) { return z.re * z.re + z.im * z.im; }
WINGBEAT_FN float power(float x) { return x * x; }
struct peaks {
  using element = peak;
  struct parameters { unsigned elements, outputs; };
  struct operands { float factor; };
  template <class Values>
  WINGBEAT_FN static peak output(const Values& values,
                                 WINGBEAT_GLOBAL const parameters& with, operands given,
                                 wd::size, wd::size t) {
    peak best{0, 0, given.factor};
    float sum = 0;
    for (unsigned i = 0; i < with.elements; ++i) {
      const float found = power(values(i));
      sum += found;
      if (i % with.outputs == t && found > best.ratio) {
        best.ratio = found;
        best.element = i;
      }
    }
    best.ratio *= given.factor / sum;
    return best;
  }
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL peak* out, WINGBEAT_GLOBAL const parameters& with,
                                operands, wd::size row, wd::size t, peak found) {
    out[row * with.outputs + t] = found;
  }
};
struct prepared_peaks : peaks {
  static constexpr bool is_across = true;
  WINGBEAT_FN static wd::complex<float> prepared(wd::complex<float> z,
                                                 WINGBEAT_GLOBAL const parameters&, operands,
                                                 wd::size, wd::size) {
    return {z.im, z.re};
  }
};
)";

template <class Value>
std::vector<peak> peaks_of(std::span<const Value> values) {
  std::vector<peak> found(outputs, peak{0, 0, factor});
  double sum = 0;
  for (const Value& each : values) sum += std::norm(each);
  for (unsigned i = 0; i < values.size(); ++i) {
    peak& best = found[i % outputs];
    const auto ratio = static_cast<float>(factor * std::norm(values[i]) / sum);
    if (ratio > best.ratio) best = {ratio, i, factor};
  }
  return found;
}

template <class Value>
operand_writer<Value> callable(std::size_t elements) {
  return [elements](void* out, const host_arguments& given, std::size_t row, std::size_t first,
                    std::span<const Value> values) {
    if (first != 0 || values.size() != elements) throw std::logic_error("part of a row");
    const auto found = peaks_of(values);
    for (unsigned t = 0; t < outputs; ++t) {
      auto& place = static_cast<peak*>(out)[row * outputs + t];
      place = found[t];
      place.factor = given.value<float>(0);
    }
  };
}

std::size_t elements_of(const plan_spec& spec) {
  const std::size_t n = spec.lengths.back();
  return spec.kind == transform::forward_from_real ? n / 2 + 1 : n;
}

plan_spec with_peaks(plan_spec spec, const char* type = "peaks") {
  const std::array<unsigned, 2> parameters{static_cast<unsigned>(elements_of(spec)), outputs};
  const auto bytes = std::as_bytes(std::span{parameters});
  spec.store = {.out_bytes = std::size_t{spec.batch} * outputs * sizeof(peak),
                .element_bytes = sizeof(peak),
                .source = {text, type, {bytes.begin(), bytes.end()}},
                .row_outputs = outputs,
                .operands = {kernel_parameter::value<float>()}};
  if (spec.kind == transform::inverse_to_real) {
    spec.store.callable = callable<float>(elements_of(spec));
  } else {
    spec.store.callable = callable<std::complex<float>>(elements_of(spec));
  }
  return spec;
}

class row_store : public on_engine {
 protected:
  void check(const plan_spec& spec, const char* type = "peaks") {
    const std::size_t n = elements_of(spec), rows = spec.batch;
    const bool is_real = spec.kind == transform::inverse_to_real;
    SCOPED_TRACE(std::string{name_of(spec.kind)} + " " + std::to_string(spec.lengths.back()));
    std::vector<float> x;
    for (const auto& z : noise<float>(input_bytes(spec) / 8 + 1, 1)) {
      x.insert(x.end(), {z.re, z.im});
    }
    const auto y = transformed(*on, spec, x);
    const plan planned{*on, with_peaks(spec, type)};
    const buffer in = filled(*on, x);
    const buffer out = filled(*on, std::vector<peak>(rows * outputs, {-1, 77, 0}));
    planned.enqueue(*on, in.view(), out.view(), {.store = {factor}});
    const auto got = contents<peak>(out);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto* const complex = reinterpret_cast<const std::complex<float>*>(y.data());
      const auto expected = is_real ? peaks_of(std::span{y.data() + row * n, n})
                                    : peaks_of(std::span{complex + row * n, n});
      for (unsigned t = 0; t < outputs; ++t) {
        const peak& found = got[row * outputs + t];
        ASSERT_EQ(found.element, expected[t].element) << "row " << row << " output " << t;
        ASSERT_NEAR(found.ratio, expected[t].ratio, 1e-4) << "row " << row << " output " << t;
        ASSERT_EQ(found.factor, factor);
      }
    }
  }
};

TEST_P(row_store, sees_rows_of_complex_numbers) {
  for (const std::size_t n : cases<std::size_t>({16, 1000}, {7, 256, 2048})) {
    check({.lengths = {n}, .batch = 37});
  }
  check({.lengths = {64}, .batch = 5, .kind = transform::inverse});
}

TEST_P(row_store, sees_both_sides_of_real_transforms) {
  for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
    for (const std::size_t n : cases<std::size_t>({400, 45}, {16, 1024})) {
      check({.lengths = {n}, .batch = 19, .kind = kind});
    }
  }
}

TEST_P(row_store, makes_many_outputs) {
  constexpr std::size_t n = 64, count = 4096, rows = 3;
  plan_spec spec{.lengths = {n}, .batch = rows};
  spec.store = {.out_bytes = rows * count * sizeof(float),
                .element_bytes = sizeof(float),
                .source = {R"(
struct parts {
  using element = float;
  template <class Values>
  WINGBEAT_FN static float output(const Values& z, wingbeat::device::size,
                                  wingbeat::device::size t) {
    return z(unsigned(t / 64)).re + z(unsigned(t % 64)).im;
  }
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL float* out, wingbeat::device::size row,
                                wingbeat::device::size t, float x) {
    out[row * 4096 + t] = x;
  }
};)",
                           "parts"},
                .row_outputs = count};
  spec.store.callable = [](void* out, std::size_t row, std::size_t,
                           std::span<const std::complex<float>> z) {
    for (std::size_t t = 0; t < count; ++t)
      static_cast<float*>(out)[row * count + t] = z[t / n].real() + z[t % n].imag();
  };
  std::vector<float> x(2 * n * rows);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 13);
  const auto y = transformed(*on, {.lengths = {n}, .batch = rows}, x);
  const buffer in = filled(*on, x), out = filled(*on, std::vector<float>(rows * count, -1));
  plan{*on, spec}.enqueue(*on, in.view(), out.view());
  const auto got = contents<float>(out);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float* const bins = y.data() + i / count * 2 * n;
    const std::size_t t = i % count;
    ASSERT_NEAR(got[i], bins[2 * (t / n)] + bins[2 * (t % n) + 1], 1e-3) << "output " << i;
  }
}

TEST_P(row_store, prepares_elements) {
  check({.lengths = {128}, .batch = 21}, "prepared_peaks");
  check({.lengths = {128}, .batch = 21, .kind = transform::forward_from_real}, "prepared_peaks");
}

TEST_P(row_store, sees_rows_of_any_length_by_a_callable) {
  if (compiles_kernels(GetParam())) GTEST_SKIP() << "rows fit a workgroup";
  check({.lengths = {1 << 18}, .batch = 1});
}

TEST_P(row_store, is_refused_in_a_sentence) {
  const auto refused = [&](const plan_spec& spec) {
    return refusal([&] { (void)plan(*on, spec); });
  };
  EXPECT_THAT(refused(with_peaks({.lengths = {8, 8}})), HasSubstr("lengths has 2 axes"));
  EXPECT_THAT(refused(with_peaks({.lengths = {8}, .valid_out = {{0, 4}}})),
              HasSubstr("valid_out has a range"));
  EXPECT_THAT(refused(with_peaks({.lengths = {8}, .kind = transform::dct2})),
              HasSubstr("kind is dct2"));
  plan_spec reduces = with_peaks({.lengths = {8}});
  reduces.store.partial_bytes = 4;
  EXPECT_THAT(refused(reduces), HasSubstr("store.partial_bytes 4"));
  if (!compiles_kernels(GetParam())) return;
  EXPECT_THAT(refused(with_peaks({.lengths = {1 << 20}})),
              HasSubstr("whole row of length 1048576; choose length "));
}

INSTANTIATE_TEST_SUITE_P(engines, row_store, all_engines(), engine_name);

}  // namespace
