// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Functors of plans with ranges: they number the elements in the ranges alone, as packed rows. A
// functor that moves each element to its number must do what a layout of packed ranges does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <complex>
#include <cstring>  // memcpy
#include <string>
#include <vector>

#include "support/memory.hpp"     // contents
#include "support/on_engine.hpp"  // on_engine, all_engines, engine_name
#include "support/signal.hpp"     // noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

std::size_t elements_of(const std::vector<index_range>& ranges) {
  std::size_t count = 1;
  for (const index_range& range : ranges) count *= range.end - range.first;
  return count;
}

/// The layout of the elements in the ranges, packed.
memory_layout packed(const std::vector<index_range>& ranges, std::size_t n_batches) {
  memory_layout layout{.strides = std::vector<std::size_t>(ranges.size())};
  std::size_t stride = 1;
  for (std::size_t a = ranges.size(); a-- > 0;) {
    layout.strides[a] = stride;
    stride *= ranges[a].end - ranges[a].first;
  }
  for (const index_range& range : ranges) layout.origin.push_back(range.first);
  layout.distances.assign(n_batches, stride);
  return layout;
}

/// Loads and stores element i of a row at its number; `sums` adds up each row instead.
std::string text_of(const char* value, std::size_t n_in, const char* stored, std::size_t n_out) {
  return fmt::format(R"(
#include "wingbeat/device/atomic.hpp"
#include "wingbeat/device/complex.hpp"
using namespace wingbeat::device;
struct numbered_load {{
  using element = {0};
  WINGBEAT_FN static {0} load(WINGBEAT_GLOBAL const element* in, size row, size i) {{
    return copied_from(in + row * {1} + i);
  }}
  WINGBEAT_FN static float copied_from(WINGBEAT_GLOBAL const float* at) {{ return *at; }}
  WINGBEAT_FN static complex<float> copied_from(WINGBEAT_GLOBAL const complex<float>* at) {{
    return {{at->re, at->im}};
  }}
}};
struct numbered_store {{
  using element = {2};
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, size row, size i, {2} z) {{
    copy(out + row * {3} + i, z);
  }}
  WINGBEAT_FN static void copy(WINGBEAT_GLOBAL float* to, float x) {{ *to = x; }}
  WINGBEAT_FN static void copy(WINGBEAT_GLOBAL complex<float>* to, complex<float> z) {{
    to->re = z.re;
    to->im = z.im;
  }}
}};
struct numbered_sum {{
  using element = unsigned;
  struct partial {{ unsigned count, numbers; }};
  WINGBEAT_FN static partial start() {{ return {{0, 0}}; }}
  WINGBEAT_FN static void add(partial& sum, size, size i, {2}) {{
    sum.count += 1;
    sum.numbers += unsigned(i);
  }}
  WINGBEAT_FN static void combine(partial& sum, partial other) {{
    sum.count += other.count;
    sum.numbers += other.numbers;
  }}
  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL unsigned* out, size row, partial sum) {{
    atomic_add(&out[2 * row], sum.count);
    atomic_add(&out[2 * row + 1], sum.numbers);
  }}
}};
)",
                     value, n_in, stored, n_out);
}

template <class Value>
run_reader<Value> loading(std::size_t n) {
  return [n](const void* in, std::size_t row, std::size_t first, std::span<Value> into) {
    std::memcpy(into.data(), static_cast<const Value*>(in) + row * n + first,
                into.size() * sizeof(Value));
  };
}

template <class Value>
run_writer<Value> storing(std::size_t n) {
  return [n](void* out, std::size_t row, std::size_t first, std::span<const Value> values) {
    std::memcpy(static_cast<Value*>(out) + row * n + first, values.data(),
                values.size() * sizeof(Value));
  };
}

template <class Value>
run_writer<Value> summing() {
  return [](void* out, std::size_t row, std::size_t first, std::span<const Value> values) {
    auto* const of_row = static_cast<unsigned*>(out) + 2 * row;
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::atomic_ref{of_row[0]} += 1;
      std::atomic_ref{of_row[1]} += static_cast<unsigned>(first + i);
    }
  };
}

class fusion_ranges : public on_engine {
 protected:
  void check(plan_spec spec) {
    const bool from_real = spec.kind == transform::forward_from_real;
    const bool to_real = spec.kind == transform::inverse_to_real;
    const std::size_t n_in = elements_of(spec.valid_in), n_out = elements_of(spec.valid_out);
    const std::size_t in_bytes = spec.batch * n_in * (from_real ? 4 : 8);
    const std::size_t out_bytes = spec.batch * n_out * (to_real ? 4 : 8);
    SCOPED_TRACE(fmt::format("{} of {}, {} in, {} out", name_of(spec.kind),
                             fmt::join(spec.lengths, " x "), n_in, n_out));
    const auto x = noise<float>(in_bytes / 8 + 1, 3);
    buffer in{*on, in_bytes}, out{*on, out_bytes}, plain{*on, out_bytes};
    in.write(x.data(), in_bytes);
    plan_spec laid = spec;
    laid.in = packed(spec.valid_in, spec.batch.counts().size());
    laid.out = packed(spec.valid_out, spec.batch.counts().size());
    plan{*on, laid}.enqueue(*on, in.view(), plain.view());

    const std::string text = text_of(from_real ? "float" : "complex<float>", n_in,
                                     to_real ? "float" : "complex<float>", n_out);
    spec.load = {.in_bytes = in_bytes,
                 .element_bytes = from_real ? 4u : 8u,
                 .source = {.text = text, .type = "numbered_load"}};
    spec.store = {.out_bytes = out_bytes,
                  .element_bytes = to_real ? 4u : 8u,
                  .source = {.text = text, .type = "numbered_store"}};
    if (from_real) {
      spec.load.callable = loading<float>(n_in);
    } else {
      spec.load.callable = loading<std::complex<float>>(n_in);
    }
    if (to_real) {
      spec.store.callable = storing<float>(n_out);
    } else {
      spec.store.callable = storing<std::complex<float>>(n_out);
    }
    plan{*on, spec}.enqueue(*on, in.view(), out.view());
    const auto got = contents<float>(out), expected = contents<float>(plain);
    float largest = 0;
    for (const float each : expected) largest = std::max(largest, std::abs(each));
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], expected[i], 1e-5F * largest) << "real " << i;
    }
    check_sum(spec, in, n_out);
  }

  void check_sum(plan_spec spec, const buffer& in, std::size_t n_out) {
    const std::size_t rows = spec.batch;
    spec.store.out_bytes = rows * 8;
    spec.store.element_bytes = 4;
    spec.store.source.type = "numbered_sum";
    if (spec.kind == transform::inverse_to_real) {
      spec.store.callable = summing<float>();
    } else {
      spec.store.callable = summing<std::complex<float>>();
    }
    spec.store.partial_bytes = 8;
    spec.store.clears_output = true;
    buffer sums{*on, rows * 8};
    plan{*on, spec}.enqueue(*on, in.view(), sums.view());
    const auto got = contents<unsigned>(sums);
    for (std::size_t row = 0; row < rows; ++row) {
      ASSERT_EQ(got[2 * row], n_out) << "row " << row;
      ASSERT_EQ(got[2 * row + 1], static_cast<unsigned>(n_out * (n_out - 1) / 2)) << "row " << row;
    }
  }
};

TEST_P(fusion_ranges, number_elements_of_complex_rows) {
  check({.lengths = {64}, .batch = 5, .valid_in = {{3, 40}}, .valid_out = {{7, 60}}});
  if (leaves_out()) return;
  check({.lengths = {1024}, .batch = 3, .valid_in = {{0, 500}}, .valid_out = {{511, 1024}}});
  check({.lengths = {1 << 16}, .batch = 2, .valid_in = {{5, 40001}}, .valid_out = {{17, 60000}}});
}

TEST_P(fusion_ranges, number_reals_of_pairs_and_one_by_one) {
  for (const index_range range :
       cases<index_range>({{3, 38}}, {{0, 64}, {2, 41}, {0, 33}, {9, 10}})) {
    check({.lengths = {64},
           .batch = 3,
           .kind = transform::forward_from_real,
           .valid_in = {range},
           .valid_out = {{1, 31}}});
    check({.lengths = {64},
           .batch = 3,
           .kind = transform::inverse_to_real,
           .valid_in = {{0, 33}},
           .valid_out = {range}});
  }
}

TEST_P(fusion_ranges, number_reals_of_rows_of_odd_length) {
  for (const index_range range : cases<index_range>({{3, 38}}, {{0, 63}})) {
    check({.lengths = {63},
           .batch = 3,
           .kind = transform::forward_from_real,
           .valid_in = {range},
           .valid_out = {{1, 32}}});
    check({.lengths = {63},
           .batch = 3,
           .kind = transform::inverse_to_real,
           .valid_in = {{0, 32}},
           .valid_out = {range}});
  }
}

TEST_P(fusion_ranges, number_reals_of_boxes_of_odd_length) {
  check({.lengths = {6, 15},
         .batch = 3,
         .kind = transform::forward_from_real,
         .valid_in = {{1, 5}, {3, 12}},
         .valid_out = {{0, 6}, {0, 8}}});
  check({.lengths = {7, 45},
         .batch = 2,
         .kind = transform::inverse_to_real,
         .valid_in = {{0, 7}, {0, 23}},
         .valid_out = {{1, 6}, {6, 40}}});
  if (leaves_out()) return;
  check({.lengths = {3, 5, 7},
         .batch = 4,
         .kind = transform::inverse_to_real,
         .valid_in = {{0, 3}, {0, 5}, {0, 4}},
         .valid_out = {{0, 3}, {0, 5}, {0, 7}}});
  check({.lengths = {3, 4, 9},
         .batch = 4,
         .kind = transform::forward_from_real,
         .valid_in = {{0, 3}, {0, 4}, {0, 9}},
         .valid_out = {{0, 3}, {1, 4}, {0, 5}}});
}

TEST_P(fusion_ranges, number_reals_of_odd_length_in_several_launches) {
  check({.lengths = {59049},
         .batch = 2,
         .kind = transform::forward_from_real,
         .valid_in = {{0, 59049}},
         .valid_out = {{0, 29525}}});
  if (leaves_out()) return;
  check({.lengths = {59049},
         .batch = 2,
         .kind = transform::inverse_to_real,
         .valid_in = {{0, 29525}},
         .valid_out = {{17, 50001}}});
}

TEST_P(fusion_ranges, number_elements_of_boxes) {
  check({.lengths = {32, 64},
         .batch = 2,
         .valid_in = {{3, 20}, {5, 50}},
         .valid_out = {{9, 32}, {1, 2}}});
  if (leaves_out()) return;
  check({.lengths = {16, 64},
         .batch = 3,
         .kind = transform::forward_from_real,
         .valid_in = {{1, 10}, {3, 30}},
         .valid_out = {{0, 16}, {0, 33}}});
  check({.lengths = {64, 64},
         .batch = 2,
         .kind = transform::inverse_to_real,
         .valid_in = {{0, 64}, {0, 33}},
         .valid_out = {{6, 57}, {6, 57}}});
  check({.lengths = {8, 16, 32},
         .batch = 2,
         .kind = transform::inverse_to_real,
         .valid_in = {{0, 8}, {0, 16}, {0, 17}},
         .valid_out = {{1, 6}, {2, 11}, {3, 28}}});
}

INSTANTIATE_TEST_SUITE_P(engines, fusion_ranges, all_engines(), engine_name);

}  // namespace
