// SPDX-License-Identifier: Apache-2.0
// What a call on the host costs beside its transform: no allocation, and of short rows no lock.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>   // seconds
#include <cstdlib>  // malloc, free
#include <future>   // async
#include <new>      // bad_alloc, nothrow_t
#include <vector>

#include "backend/backend.hpp"    // queue, plan, host_engine
#include "backend/host/cpu.hpp"   // chosen_set
#include "backend/host/plan.hpp"  // make_plan
#include "wingbeat/wingbeat.hpp"  // plan, queue

namespace {
std::atomic<std::size_t> n_allocations = 0;

void* counted_or_null(std::size_t n_bytes) noexcept {
  ++n_allocations;
  return std::malloc(n_bytes);
}

void* counted(std::size_t n_bytes) {
  if (void* const result = counted_or_null(n_bytes)) return result;
  throw std::bad_alloc{};
}
}  // namespace

void* operator new(std::size_t n_bytes) {
  return counted(n_bytes);
}
void* operator new[](std::size_t n_bytes) {
  return counted(n_bytes);
}
void* operator new(std::size_t n_bytes, const std::nothrow_t&) noexcept {
  return counted_or_null(n_bytes);
}
void* operator new[](std::size_t n_bytes, const std::nothrow_t&) noexcept {
  return counted_or_null(n_bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using namespace wingbeat;

/// A plan and its buffers on the host.
struct prepared_run {
  queue on{first_device(engine::host)};
  plan planned;
  buffer in, out;

  explicit prepared_run(const plan_spec& spec)
      : planned(on, spec), in(on, input_bytes(spec)), out(on, output_bytes(spec)) {
    const std::vector<std::byte> zeros(in.size_bytes());
    in.write(zeros.data(), zeros.size());
  }
  void enqueue() { planned.enqueue(on, in.view(), out.view()); }
};

std::vector<plan_spec> specs() {
  std::vector<plan_spec> result;
  for (std::size_t n = 1; n <= std::size_t{1} << 17; n *= 2) {
    if (n > 1) result.push_back({.lengths = {n}});
    result.push_back({.lengths = {2 * n}, .kind = transform::forward_from_real});
    result.push_back({.lengths = {2 * n}, .kind = transform::inverse_to_real});
  }
  result.push_back({.lengths = {100}, .batch = 3});
  result.push_back({.lengths = {15}, .kind = transform::forward_from_real});
  result.push_back({.lengths = {16, 8, 12}, .batch = 5});
  result.push_back({.lengths = {64}, .batch = 4096, .real = precision::fp64});
  return result;
}

TEST(host_direct, allocates_nothing_once_planned) {
  for (const plan_spec& spec : specs()) {
    prepared_run run{spec};
    run.enqueue();
    run.on.wait();
    const std::size_t before = n_allocations;
    run.enqueue();
    run.on.wait();
    EXPECT_EQ(n_allocations, before) << run.planned.explain();
  }
}

/// Another thread holds the workspace of the queue: only a call that takes none returns.
TEST(host_direct, waits_for_no_workspace_for_short_rows) {
  for (const transform kind : {transform::forward, transform::forward_from_real}) {
    for (const std::size_t n : {2, 8, 64, 96, 1024, 4096}) {
      prepared_run run{{.lengths = {n}, .kind = kind}};
      std::future<void> call;
      run.on.impl()->reserve(1);
      const auto held = run.on.impl()->lend(1);
      call = std::async(std::launch::async, [&] { run.enqueue(); });
      ASSERT_EQ(call.wait_for(std::chrono::seconds{10}), std::future_status::ready) << n;
    }
  }
}

TEST(host_direct, is_one_call_for_rows_in_memory_and_none_for_the_rest) {
  const auto is_direct = [](const plan_spec& spec) {
    return backend::host::make_plan(backend::host::chosen_set(), spec)->direct().call != nullptr;
  };
  EXPECT_TRUE(is_direct({.lengths = {2}}));
  EXPECT_TRUE(is_direct({.lengths = {64}, .batch = 3}));
  EXPECT_TRUE(is_direct({.lengths = {4096}}));
  EXPECT_TRUE(is_direct({.lengths = {60}, .kind = transform::inverse}));
  EXPECT_TRUE(is_direct({.lengths = {64}, .kind = transform::forward_from_real}));
  EXPECT_FALSE(is_direct({.lengths = {8, 8}})) << "two passes";
  EXPECT_TRUE(is_direct({.lengths = {15}, .kind = transform::forward_from_real}));
  EXPECT_TRUE(is_direct({.lengths = {105}, .kind = transform::forward_from_real})) << "in stages";
  EXPECT_FALSE(is_direct({.lengths = {131}, .kind = transform::forward_from_real})) << "a tile";
  EXPECT_FALSE(is_direct({.lengths = {64}, .real = precision::fp16})) << "a tile";
  EXPECT_FALSE(is_direct({.lengths = {std::size_t{1} << 16}})) << "a workspace";
  EXPECT_FALSE(is_direct({.lengths = {64}, .valid_in = {{0, 60}}})) << "zeros";
}

TEST(host_direct, still_checks_every_view) {
  prepared_run run{{.lengths = {8}}};
  const buffer_view in = run.in.view(), out = run.out.view();
  const auto refuses = [&](buffer_view from, buffer_view to) {
    EXPECT_THROW(run.planned.enqueue(run.on, from, to), plan_error);
  };
  refuses({nullptr, 0, 64}, out);
  refuses(in, {out.handle, 0, 63});
  refuses({in.handle, 4, 64}, out);
  refuses({static_cast<std::byte*>(in.handle) + 1, 0, 64}, out);
  refuses({in.handle, ~std::size_t{7}, 64}, out);
  refuses(in, {in.handle, 32, 64});
  queue other{first_device(engine::reference)};
  EXPECT_THROW(run.planned.enqueue(other, in, out), plan_error);
  EXPECT_THROW(run.planned.enqueue(run.on, in, out, {.load = {1.0F}}), plan_error);
}

}  // namespace
