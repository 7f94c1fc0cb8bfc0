// SPDX-License-Identifier: Apache-2.0
// What the cache keeps, what it drops, what it tells apart, and that threads may share it.
#include "wingbeat/plan_cache.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "request/key.hpp"  // key_of
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

class cache : public ::testing::Test {
 protected:
  queue on{first_device(engine::reference)};
};

plan_spec of_length(std::size_t n) {
  return {.lengths = {n}};
}

TEST_F(cache, gives_the_same_plan_for_the_same_request) {
  plan_cache plans;
  const auto once = plans.get(on, of_length(64));
  EXPECT_EQ(plans.get(on, of_length(64)), once);
  EXPECT_NE(plans.get(on, of_length(32)), once);
  EXPECT_EQ(once->spec().lengths.front(), 64U);
  EXPECT_EQ(plans.size(), 2U);
  EXPECT_EQ(plans.n_hits(), 1U);
  EXPECT_EQ(plans.n_misses(), 2U);
}

TEST_F(cache, tells_devices_apart_and_queues_not) {
  plan_cache plans;
  const queue host{first_device(engine::host)}, again{first_device(engine::host)};
  const auto planned = plans.get(host, of_length(64));
  EXPECT_NE(plans.get(on, of_length(64)), planned);
  EXPECT_EQ(plans.get(again, of_length(64)), planned);
}

TEST_F(cache, makes_room_in_every_queue_it_serves) {
  const plan_spec spec{.lengths = {1 << 16}, .batch = 2};
  plan_cache plans;
  queue first{first_device(engine::host)}, second{first_device(engine::host)};
  const auto planned = plans.get(first, spec);
  ASSERT_GT(planned->workspace_bytes(), 0U);
  ASSERT_EQ(plans.get(second, spec), planned);
  buffer memory{second, input_bytes(spec)};
  EXPECT_NO_THROW(planned->enqueue(second, memory.view(), memory.view()));
}

TEST_F(cache, drops_what_was_used_longest_ago) {
  plan_cache plans{2};
  const auto oldest = plans.get(on, of_length(2));
  const auto older = plans.get(on, of_length(4));
  EXPECT_EQ(plans.get(on, of_length(2)), oldest);  // now length 4 is the one
  static_cast<void>(plans.get(on, of_length(8)));
  EXPECT_EQ(plans.size(), 2U);
  EXPECT_EQ(plans.get(on, of_length(2)), oldest);
  EXPECT_NE(plans.get(on, of_length(4)), older);
  EXPECT_EQ(older->spec().lengths.front(), 4U);  // its owner has it still
  EXPECT_EQ(plans.capacity(), 2U);
}

TEST_F(cache, bounds_the_bytes_of_tables) {
  const queue host{first_device(engine::host)};
  plan_cache plans;
  for (const std::size_t n : {1000002, 1000003, 1000004, 1000006}) {  // large primes
    const std::size_t before = plans.bytes();
    static_cast<void>(plans.get(host, {.lengths = {n}, .real = precision::fp64}));
    EXPECT_GT(plans.bytes() - before, 16 * n) << n;
    EXPECT_LT(plans.bytes() - before, 256 * n) << n;
  }
  EXPECT_EQ(plans.size(), 4U);
  const auto latest = plans.get(host, {.lengths = {1000006}, .real = precision::fp64});
  plans.resize_bytes(plans.bytes() - 1);
  EXPECT_EQ(plans.size(), 3U);
  EXPECT_LE(plans.bytes(), plans.max_bytes());
  plans.resize_bytes(1);
  EXPECT_EQ(plans.size(), 1U);  // the latest one, whatever it takes
  EXPECT_EQ(plans.get(host, {.lengths = {1000006}, .real = precision::fp64}), latest);
  static_cast<void>(plans.get(host, {.lengths = {1 << 20}}));
  EXPECT_EQ(plans.size(), 1U);
  plans.clear();
  EXPECT_EQ(plans.bytes(), 0U);
}

TEST_F(cache, keeps_nothing_without_room) {
  plan_cache plans{0};
  EXPECT_NE(plans.get(on, of_length(2)), plans.get(on, of_length(2)));
  EXPECT_EQ(plans.size(), 0U);
  EXPECT_EQ(plans.n_misses(), 2U);
}

TEST_F(cache, keeps_the_latest_plans_when_it_shrinks) {
  plan_cache plans;
  const auto older = plans.get(on, of_length(2)), latest = plans.get(on, of_length(4));
  plans.resize(1);
  EXPECT_EQ(plans.capacity(), 1U);
  EXPECT_EQ(plans.size(), 1U);
  EXPECT_EQ(plans.get(on, of_length(4)), latest);
  EXPECT_NE(plans.get(on, of_length(2)), older);
  EXPECT_EQ(plans.size(), 1U);
  plans.resize(2);
  EXPECT_NE(plans.get(on, of_length(4)), latest);
  EXPECT_EQ(plans.size(), 2U);
}

TEST_F(cache, is_empty_when_cleared) {
  plan_cache plans;
  const auto planned = plans.get(on, of_length(2));
  plans.clear();
  EXPECT_EQ(plans.size(), 0U);
  EXPECT_NE(plans.get(on, of_length(2)), planned);
}

TEST_F(cache, keeps_no_request_that_was_refused) {
  plan_cache plans;
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(static_cast<void>(plans.get(on, of_length(0))), plan_error);
  }
  EXPECT_EQ(plans.size(), 0U);
  EXPECT_EQ(plans.n_misses(), 2U);
}

TEST_F(cache, makes_requests_with_callables_anew) {
  plan_spec spec = of_length(2);
  spec.load = {.in_bytes = 16, .element_bytes = 8};
  spec.load.callable = [](const void*, std::size_t, std::size_t, std::span<std::complex<float>>) {};
  plan_cache plans;
  EXPECT_NE(plans.get(on, spec), plans.get(on, spec));
  EXPECT_EQ(plans.size(), 0U);
  EXPECT_EQ(plans.n_misses(), 2U);
}

TEST_F(cache, makes_a_plan_once_for_all_threads) {
  plan_cache plans;
  constexpr std::size_t n_threads = 8, n_lengths = 6;
  std::vector<std::vector<std::shared_ptr<const plan>>> got(n_threads);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : got) {
      threads.emplace_back([&] {
        for (std::size_t log2 = 1; log2 <= n_lengths; ++log2) {
          mine.push_back(plans.get(on, of_length(std::size_t{1} << log2)));
        }
      });
    }
  }
  for (const auto& mine : got) EXPECT_EQ(mine, got.front());
  EXPECT_EQ(plans.n_misses(), n_lengths);
  EXPECT_EQ(plans.n_hits(), (n_threads - 1) * n_lengths);
}

TEST_F(cache, survives_threads_that_ask_fail_and_clear) {
  plan_cache plans{3};
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 300; ++i) {
        const std::size_t n = std::size_t{1} << (1 + (i * 7 + t) % 6);
        EXPECT_EQ(plans.get(on, of_length(n))->spec().lengths.front(), n);
        EXPECT_THROW(static_cast<void>(plans.get(on, of_length(0))), plan_error);
        if (i % 50 == t) plans.clear();
        EXPECT_LE(plans.size(), 3U);
      }
    });
  }
}

TEST(request_key, differs_where_any_field_does) {
  const plan_spec plain{.lengths = {4, 8}, .batch = {2, 3}};
  std::vector<plan_spec> all(1, plain);
  const auto add = [&](auto change) { change(all.emplace_back(plain)); };
  add([](plan_spec& s) { s.lengths = {8, 4}; });
  add([](plan_spec& s) { s.lengths = {4, 8, 2}; });
  add([](plan_spec& s) { s.batch = 6; });
  add([](plan_spec& s) { s.batch = {3, 2}; });
  add([](plan_spec& s) { s.kind = transform::inverse; });
  add([](plan_spec& s) { s.real = precision::bf16; });
  add([](plan_spec& s) { s.scale = scaling::by_length; });
  add([](plan_spec& s) { s.where = placement::in_place; });
  add([](plan_spec& s) { s.in.strides = {8, 1}; });
  add([](plan_spec& s) { s.out.strides = {8, 1}; });
  add([](plan_spec& s) { s.in.distances = {8, 1}; });
  add([](plan_spec& s) { s.out.distances = {8, 1}; });
  add([](plan_spec& s) { s.in.imaginary_at = 1; });
  add([](plan_spec& s) { s.in.origin = {1}; });
  add([](plan_spec& s) { s.out.imaginary_at = 1; });
  add([](plan_spec& s) { s.in.stored = precision::fp32; });
  add([](plan_spec& s) { s.in.stored = precision::fp16; });
  add([](plan_spec& s) { s.out.stored = precision::fp16; });
  add([](plan_spec& s) { s.factor = 2; });
  add([](plan_spec& s) { s.axis_kinds = {transform::dct2, transform::dst1}; });
  add([](plan_spec& s) { s.axis_kinds = {transform::dst1, transform::dct2}; });
  add([](plan_spec& s) { s.orthogonalize = true; });
  add([](plan_spec& s) { s.valid_in = {{8, 1}}; });
  add([](plan_spec& s) { s.valid_out = {{8, 1}}; });
  add([](plan_spec& s) { s.load.in_bytes = 9; });
  add([](plan_spec& s) { s.load.element_bytes = 9; });
  add([](plan_spec& s) { s.load.source.text = "ab"; });
  add([](plan_spec& s) { s.load.source.type = "ab"; });
  add([](plan_spec& s) { s.load.source = {.text = "a", .type = "b"}; });
  add([](plan_spec& s) { s.load.source.parameters = {std::byte{1}}; });
  add([](plan_spec& s) { s.store.out_bytes = 9; });
  add([](plan_spec& s) { s.store.element_bytes = 9; });
  add([](plan_spec& s) { s.store.source.text = "ab"; });
  add([](plan_spec& s) { s.store.source.parameters = {std::byte{2}}; });
  const auto key_on = [](engine runs_on, int index, const plan_spec& spec) {
    device_info device;
    device.runs_on = runs_on;
    device.index = index;
    return request::key_of(device, spec).value();
  };
  std::set<std::string> keys;
  for (const plan_spec& each : all) keys.insert(key_on(engine::cuda, 0, each));
  keys.insert(key_on(engine::host, 0, plain));
  keys.insert(key_on(engine::cuda, 1, plain));
  EXPECT_EQ(keys.size(), all.size() + 2);
  EXPECT_TRUE(keys.contains(key_on(engine::cuda, 0, plan_spec{plain})));
}

}  // namespace
