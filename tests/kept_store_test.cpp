// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Stores of your own that may keep what they are given over the rows of a batch, on every engine
// that is here: what comes out is the same whether an engine keeps or stores. Values are positive
// where a plain plan's are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "request/resolved.hpp"   // points_of
#include "support/memory.hpp"     // contents, filled
#include "support/on_engine.hpp"  // on_engine, all_engines, engine_name
#include "support/refusal.hpp"    // refusal
#include "support/signal.hpp"     // noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

/// Of the same element of rows that differ in the first dimension of the batch alone: how many are
/// positive, and the sum of their places in that dimension, counted from 1.
struct summary {
  unsigned count, numbers;
  bool operator==(const summary&) const = default;
};

/// `beside` rows have the same place in the first dimension, `reals` elements each.
std::string text_of(std::size_t beside, std::size_t reals) {
  return "#define BESIDE " + std::to_string(beside) + "\n#define REALS " + std::to_string(reals) +
         R"(
#include "wingbeat/device/atomic.hpp"
namespace wd = wingbeat::device;
struct summary { unsigned count, numbers; };
struct counted {
  using element = summary;
  struct kept { unsigned numbers; unsigned char count; };
  template <class Kept, class Visit>
  WINGBEAT_FN static void each_member(Kept& state, Visit visit) {
    visit(state.numbers);
    visit(state.count);
  }
  WINGBEAT_FN static WINGBEAT_GLOBAL summary& place(WINGBEAT_GLOBAL summary* out, wd::size row,
                                                    wd::size i) {
    return out[row % BESIDE * REALS + i];
  }
  WINGBEAT_FN static kept started(WINGBEAT_GLOBAL summary* out, wd::size row, wd::size i) {
    return {place(out, row, i).numbers, 0};
  }
  WINGBEAT_FN static bool changes(const kept&, WINGBEAT_GLOBAL summary*, wd::size, wd::size,
                                  float x) {
    return x > 0;
  }
  WINGBEAT_FN static void keep(kept& state, WINGBEAT_GLOBAL summary*, wd::size row, wd::size,
                               float) {
    state.numbers += unsigned(row / BESIDE) + 1;
    state.count += 1;
  }
  WINGBEAT_FN static summary before(WINGBEAT_GLOBAL summary* out, wd::size row, wd::size i) {
    return place(out, row, i);
  }
  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL summary* out, wd::size row, wd::size i,
                                 const kept& state, summary found) {
    place(out, row, i) = {found.count + state.count, state.numbers};
  }
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL summary* out, wd::size row, wd::size i, float x) {
    if (!(x > 0)) return;
    wd::atomic_add(&place(out, row, i).count, 1u);
    wd::atomic_add(&place(out, row, i).numbers, unsigned(row / BESIDE) + 1);
  }
};
)";
}

class kept_store : public on_engine {
 protected:
  static plan_spec counted(plan_spec spec) {
    const std::size_t rows = spec.batch, beside = rows / spec.batch.counts()[0];
    const std::size_t reals = request::points_of(spec);
    spec.store = {.out_bytes = beside * reals * sizeof(summary),
                  .element_bytes = sizeof(summary),
                  .source = {.text = text_of(beside, reals), .type = "counted"},
                  .kept_bytes = sizeof(unsigned) + 1,
                  .kept_moved_bytes = 2 * beside * reals * sizeof(summary)};
    spec.store.callable = run_writer<float>{
        [=](void* out, std::size_t row, std::size_t first, std::span<const float> values) {
          auto* const places = static_cast<summary*>(out) + row % beside * reals + first;
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (!(values[i] > 0)) continue;
            std::atomic_ref{places[i].count} += 1;
            std::atomic_ref{places[i].numbers} += static_cast<unsigned>(row / beside + 1);
          }
        }};
    return spec;
  }

  void check(plan_spec spec) {
    spec.kind = transform::inverse_to_real;
    const std::size_t rows = spec.batch, beside = rows / spec.batch.counts()[0];
    const auto x = noise<float>(input_bytes(spec) / 8, 1);
    const buffer in = filled(*on, x), plain{*on, output_bytes(spec)};
    plan{*on, spec}.enqueue(*on, in.view(), plain.view());
    const auto y = contents<float>(plain);
    const std::size_t reals = y.size() / rows;
    std::vector<summary> expected(beside * reals, {2, 3});
    const buffer out = filled(*on, expected);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < reals; ++i) {
        if (!(y[row * reals + i] > 0)) continue;
        summary& place = expected[row % beside * reals + i];
        place.count += 1;
        place.numbers += static_cast<unsigned>(row / beside + 1);
      }
    }
    const plan keeping{*on, counted(spec)};
    keeping.enqueue(*on, in.view(), out.view());
    EXPECT_EQ(contents<summary>(out), expected) << keeping.explain();
  }
};

TEST_P(kept_store, counts_over_the_first_dimension_of_the_batch) {
  check({.lengths = {64}, .batch = {3, 5}});
  if (leaves_out()) return;
  check({.lengths = {45}, .batch = {2, 9}});
  check({.lengths = {30}, .batch = {1, 7}});
  check({.lengths = {12, 16}, .batch = 4});
  check({.lengths = {64}, .batch = 6});
  check({.lengths = {1 << 17}, .batch = {2, 2}});
}

/// A GPU keeps where rows are enough for a workgroup a compute unit.
TEST_P(kept_store, counts_over_many_rows_beside_each_other) {
  const bool keeps = GetParam() == engine::cuda;
  const std::size_t units = keeps ? on->device().compute_units : 1;
  for (const std::size_t n : cases<std::size_t>({64}, {45})) {
    const plan_spec spec{.lengths = {n}, .batch = {3, 16 * units + 5}};
    check(spec);
    plan_spec counting = counted(spec);
    counting.kind = transform::inverse_to_real;
    const std::string text = plan{*on, counting}.explain();
    EXPECT_EQ(text.find("whose values your store keeps") != std::string::npos, keeps) << text;
  }
}

TEST_P(kept_store, is_refused_in_a_sentence) {
  plan_spec large = counted({.lengths = {64}, .batch = {3, 5}, .kind = transform::inverse_to_real});
  large.store.kept_bytes = 65;
  EXPECT_THAT(refusal([&] { (void)plan(*on, large); }), HasSubstr("store.kept_bytes is 65"));
}

INSTANTIATE_TEST_SUITE_P(engines, kept_store, all_engines(), engine_name);

}  // namespace
