// SPDX-License-Identifier: Apache-2.0
// Timeout: 300
// Functors on the engines that call them, host and reference, and what a plan refuses of them.
#include "wingbeat/fusion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "backend/fusion_check.hpp"  // check_fused
#include "support/on_engine.hpp"     // engine_name
#include "support/refusal.hpp"       // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

using fusion = on_engine;

TEST_P(fusion, agrees_with_long_double_at_every_length) {
  for (std::size_t n = 2; n <= 4096; n *= 2) {
    check_fused(*on, n, n < 256 ? 17 : 3);
    check_one_end(*on, n, 3);
  }
}

TEST_P(fusion, agrees_with_long_double_at_odd_lengths) {
  for (const std::size_t n : {3, 45, 1001, 59049}) {
    check_fused(*on, n, 2);
    check_one_end(*on, n, 3);
  }
}

TEST_P(fusion, scales_before_the_store) {
  check_fused(*on, 64, 3, scaling::by_length);
  check_fused(*on, 1024, 1, scaling::by_sqrt_length);
}

TEST_P(fusion, takes_long_rows_in_several_runs) {
  check_fused(*on, std::size_t{1} << 15, 3);
  check_one_end(*on, std::size_t{1} << 17, 1);
}

TEST_P(fusion, takes_a_batch_of_more_rows_than_wait_together) {
  check_fused(*on, 16, 20000 / (GetParam() == engine::reference ? 20 : 1));
}

INSTANTIATE_TEST_SUITE_P(engines, fusion, ::testing::Values(engine::host, engine::reference),
                         engine_name);

TEST(fusion_on_host, calls_once_for_every_element) {
  queue on{first_device(engine::host)};
  for (const std::size_t n : {4, 1024, 1 << 17}) {
    const std::size_t batch = n == 4 ? 70000 : 3;
    std::vector<std::atomic<int>> loads(n * batch), stores(n * batch);
    plan_spec spec{.lengths = {n}, .batch = batch};
    spec.load = {.in_bytes = 8, .element_bytes = 8};
    spec.load.callable = [&](const void*, std::size_t row, std::size_t first,
                             std::span<std::complex<float>> into) {
      for (std::size_t i = 0; i < into.size(); ++i) ++loads[row * n + first + i];
      for (auto& z : into) z = 0;
    };
    spec.store = {.out_bytes = 8, .element_bytes = 8};
    spec.store.callable = [&](void*, std::size_t row, std::size_t first,
                              std::span<const std::complex<float>> values) {
      for (std::size_t i = 0; i < values.size(); ++i) ++stores[row * n + first + i];
    };
    const plan planned{on, spec};
    buffer in{on, 8}, out{on, 8};
    planned.enqueue(on, in.view(), out.view());
    const auto is_one = [](const auto& count) { return count == 1; };
    EXPECT_TRUE(std::all_of(loads.begin(), loads.end(), is_one)) << n;
    EXPECT_TRUE(std::all_of(stores.begin(), stores.end(), is_one)) << n;
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
