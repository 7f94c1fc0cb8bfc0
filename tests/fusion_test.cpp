// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// Functors on every engine that is here, what compilers say of wrong ones, and what a plan refuses
// of them. random_plans draws others.
#include "wingbeat/fusion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <iterator>  // begin, end

#include "backend/fused_text_check.hpp"  // check_messages
#include "backend/fusion_check.hpp"      // check_fused
#include "request/resolved.hpp"          // points_of
#include "support/on_engine.hpp"         // all_engines, compiled_engines, engine_name
#include "support/refusal.hpp"           // refusal
#include "tuning/compiled_engines.hpp"   // compiles_kernels

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

using fusion = on_engine;

TEST_P(fusion, agrees_with_long_double) {
  for (const std::size_t n : cases<std::size_t>({64}, {2, 16, 1024, 4096, 45, 1001})) {
    check_fused(*on, n, 17, n == 64 ? scaling::by_length : scaling::none);
  }
  check_one_end(*on, 64, 3);
  if (!leaves_out()) check_one_end(*on, 225, 3);
}

/// Kinds that complement each other, in full runs all.
TEST_P(fusion, agrees_with_long_double_in_several_passes) {
  const bool is_whole = !leaves_out();
  const auto kinds = [&](transform first, transform second) {
    return is_whole ? std::vector<transform>{std::begin(every_kind), std::end(every_kind)}
                    : std::vector<transform>{first, second};
  };
  check_fused(*on, std::size_t{1} << 16, 3, scaling::by_sqrt_length, is_whole,
              kinds(transform::inverse, transform::forward_from_real));
  check_fused(*on, 59049, 2, scaling::none, is_whole,
              kinds(transform::forward, transform::inverse_to_real));
  if (is_whole) check_one_end(*on, std::size_t{1} << 16, 1);
}

TEST_P(fusion, takes_a_batch_of_more_rows_than_wait_together) {
  if (compiles_kernels(GetParam())) GTEST_SKIP() << "calls no functor by rows";
  check_fused(*on, 16, 20000 / (GetParam() == engine::reference ? 20 : 1));
}

INSTANTIATE_TEST_SUITE_P(engines, fusion, all_engines(), engine_name);

/// Texts that are wrong, on engines that compile them.
using fusion_text = on_engine;

TEST_P(fusion_text, is_named_by_the_line_that_is_wrong) {
  check_messages(*on);
}

TEST_P(fusion_text, is_named_by_the_part_that_is_missing) {
  check_parts([&](const plan_spec& spec) { return message_of_plan(*on, spec); });
}

TEST_P(fusion_text, takes_other_parameters_without_another_kernel) {
  check_parameters(*on);
}

INSTANTIATE_TEST_SUITE_P(engines, fusion_text, compiled_engines(), engine_name);

TEST(fusion_on_host, calls_once_for_every_element) {
  queue on{first_device(engine::host)};
  const std::vector<std::pair<std::vector<std::size_t>, std::size_t>> shapes{
      {{4}, 70000}, {{1024}, 3}, {{1 << 17}, 3}, {{8, 32}, 21}, {{4, 8, 16}, 7}, {{4, 32768}, 1}};
  for (const auto& [lengths, batch] : shapes) {
    plan_spec spec{.lengths = lengths, .batch = batch};
    const std::size_t n = request::points_of(spec);
    std::vector<std::atomic<int>> loads(n * batch), stores(n * batch);
    spec.load = {.in_bytes = 8, .element_bytes = 8};
    spec.load.callable = [&](const void*, std::size_t row, std::size_t first,
                             std::span<std::complex<float>> into) {
      EXPECT_LE(first + into.size(), n) << "a run beyond its transform";
      for (std::size_t i = 0; i < into.size(); ++i) ++loads[row * n + first + i];
      for (auto& z : into) z = 0;
    };
    spec.store = {.out_bytes = 8, .element_bytes = 8};
    spec.store.callable = [&](void*, std::size_t row, std::size_t first,
                              std::span<const std::complex<float>> values) {
      EXPECT_LE(first + values.size(), n) << "a run beyond its transform";
      for (std::size_t i = 0; i < values.size(); ++i) ++stores[row * n + first + i];
    };
    const plan planned{on, spec};
    buffer in{on, 8}, out{on, 8};
    planned.enqueue(on, in.view(), out.view());
    const auto is_one = [](const auto& count) { return count == 1; };
    EXPECT_TRUE(std::all_of(loads.begin(), loads.end(), is_one)) << planned.explain();
    EXPECT_TRUE(std::all_of(stores.begin(), stores.end(), is_one)) << planned.explain();
  }
}

TEST(fusion_on_host, passes_on_what_a_functor_throws) {
  queue on{first_device(engine::host)};
  plan_spec spec{.lengths = {64}};
  spec.load = {.in_bytes = 8, .element_bytes = 8};
  spec.load.callable = [](const void*, std::size_t, std::size_t, std::span<std::complex<float>>) {
    throw file_error("the disk is full");
  };
  const plan planned{on, spec};
  buffer in{on, 8}, out{on, 512};
  EXPECT_THROW(planned.enqueue(on, in.view(), out.view()), file_error);
}

/// A request that every engine takes; the tests spoil it.
plan_spec sound() {
  return fused_case<float>{{.lengths = {64}, .batch = 3}, fuse::both}.spec();
}

std::string refusal_of(const plan_spec& spec) {
  return refusal([&] { plan{queue{first_device(engine::host)}, spec}; });
}

TEST(fusion_refusals, name_the_form_that_is_missing) {
  plan_spec spec = sound();
  spec.load.callable = {};
  EXPECT_THAT(refusal_of(spec), HasSubstr("the load functor has no callable, which engine host"));
  spec = sound();
  spec.store.callable = run_writer<std::complex<float>>{};
  EXPECT_THAT(refusal_of(spec), HasSubstr("the store functor has no callable"));
}

TEST(fusion_refusals, name_the_element_that_is_wrong) {
  plan_spec spec = sound();
  spec.real = precision::fp64;
  EXPECT_THAT(refusal_of(spec), HasSubstr("takes a span of std::complex<float> and this forward "
                                          "plan in fp64 has elements of std::complex<double>"));
  spec = sound();
  spec.kind = transform::forward_from_real;
  EXPECT_THAT(refusal_of(spec), HasSubstr("has elements of float"));
}

TEST(fusion_refusals, want_the_sizes_of_the_buffers) {
  plan_spec spec = sound();
  spec.load.in_bytes = 0;
  EXPECT_THAT(refusal_of(spec), HasSubstr("load.in_bytes is 0"));
  plan_spec named{.lengths = {64}};
  named.store.source.type = "power";
  EXPECT_THAT(refusal_of(named), HasSubstr("store.out_bytes is 0"));
  spec = sound();
  spec.store.element_bytes = 0;
  EXPECT_THAT(refusal_of(spec), HasSubstr("store.element_bytes is 0"));
}

TEST(fusion_refusals, keep_input_and_output_apart) {
  plan_spec spec = sound();
  spec.where = placement::in_place;
  EXPECT_THAT(refusal_of(spec), HasSubstr("placement::out_of_place"));

  queue on{first_device(engine::host)};
  spec = sound();
  const plan planned{on, spec};
  buffer memory{on, 4096};
  EXPECT_THAT(refusal([&] { planned.enqueue(on, memory.view(), memory.view()); }),
              HasSubstr("give it two buffers"));
}

TEST(fusion_refusals, hold_buffers_to_what_was_stated) {
  queue on{first_device(engine::host)};
  const plan_spec spec = sound();
  const plan planned{on, spec};
  buffer in{on, input_bytes(spec) + 4}, out{on, output_bytes(spec)};
  buffer_view part = in.view();
  part.size_bytes = input_bytes(spec) - 1;
  EXPECT_THAT(refusal([&] { planned.enqueue(on, part, out.view()); }),
              HasSubstr("this plan needs"));
  buffer_view odd = in.view();
  odd.offset_bytes = 2;
  odd.size_bytes -= 2;
  EXPECT_THAT(refusal([&] { planned.enqueue(on, odd, out.view()); }),
              HasSubstr("starts at byte 2, within an element of the functor's, which has 4 bytes"));
}

TEST(fusion_on_host, counts_the_bytes_that_were_stated) {
  queue on{first_device(engine::host)};
  const plan_spec spec = sound();
  EXPECT_EQ(input_bytes(spec), 3U * 67 * 4);
  EXPECT_EQ(output_bytes(spec), 3U * 66 * 4);
  EXPECT_EQ((plan{on, spec}.traffic_bytes()), 3U * 67 * 4 + 3U * 66 * 4);
}

}  // namespace
