// SPDX-License-Identifier: Apache-2.0
// Threads: many on one plan, one plan on many, and the pool beneath. Run under the thread
// sanitizer too.
#include <gtest/gtest.h>
#include <unistd.h>  // access, sysconf

#include <atomic>
#include <chrono>     // microseconds
#include <cstdlib>    // setenv
#include <stdexcept>  // runtime_error
#include <thread>
#include <utility>  // pair
#include <vector>

#include "backend/host/aligned.hpp"          // make_aligned
#include "backend/host/cpu.hpp"              // supported_sets
#include "backend/host/rows/row_method.hpp"  // complex_rows
#include "backend/host/thread_pool.hpp"      // thread_pool
#include "support/memory.hpp"                // transformed
#include "support/planned.hpp"               // input_noise, expected_row, described
#include "wingbeat/wingbeat.hpp"             // plan, queue

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using backend::host::thread_pool;

// Four threads whatever the machine has. Before the pool's first use, hence not in a test.
const int four_threads = ::setenv("WINGBEAT_THREADS", "4", 1);

TEST(host_threads, give_the_bits_of_a_single_thread) {
  ASSERT_EQ(thread_pool::shared().n_threads(), 4U);
  const auto& kernels = backend::host::supported_sets().back().kernels->fp32;
  for (const auto& [length, batch] : {std::pair{8, 1001}, {64, 77}, {4096, 9}, {65536, 2}}) {
    const auto n = static_cast<std::size_t>(length);
    const auto count = static_cast<std::size_t>(batch);
    const auto transform = backend::host::complex_rows(kernels, n, 4);
    const auto in = noise<float>(n * count, 1);
    const auto workspace = backend::host::make_aligned<std::byte>(transform->workspace_bytes());
    std::vector<std::vector<float>> out;
    for (const unsigned n_threads : {1, 2, 3, 4}) {
      out.emplace_back(2 * n * count);
      transform->run({&in.data()->re, out.back().data(), 2 * n, 2 * n, count}, workspace.get(),
                     n_threads);
      EXPECT_EQ(out.back(), out.front()) << length << " on " << n_threads << " threads";
    }
  }
}

TEST(host_threads, keep_to_the_limit_of_the_calling_thread) {
  const auto slots_used = [] {
    std::atomic<unsigned> last = 0;
    thread_pool::shared().run(400, 4, [&](std::size_t, unsigned slot) {
      std::this_thread::sleep_for(std::chrono::microseconds{50});
      for (unsigned seen = last; seen < slot && !last.compare_exchange_weak(seen, slot);) {
      }
    });
    return last + 1;
  };
  {
    const thread_limit two{2};
    EXPECT_EQ(slots_used(), 2U);
    {
      const thread_limit alone{1};
      EXPECT_EQ(slots_used(), 1U);
    }
    EXPECT_EQ(thread_limit::current(), 2U);
    EXPECT_EQ(slots_used(), 2U);
  }
  EXPECT_GT(slots_used(), 2U);
  EXPECT_THROW(thread_limit{0}, plan_error);
}

/// Calls within a call of the pool run on one thread.
std::vector<float> alone(queue& on, const plan_spec& spec, const std::vector<float>& input) {
  std::vector<float> result;
  thread_pool::shared().run(2, 2, [&](std::size_t i, unsigned) {
    if (i == 0) result = transformed(on, spec, input);
  });
  return result;
}

TEST(host_threads, give_the_bits_of_a_single_thread_along_all_axes) {
  queue on{first_device(engine::host)};
  for (const transform kind : {transform::forward, transform::inverse_to_real}) {
    for (const auto& [lengths, batch] :
         std::vector<std::pair<std::vector<std::size_t>, std::size_t>>{
             {{8, 8}, 16411}, {{512, 128}, 5}, {{32, 16, 64}, 33}, {{4, 65536}, 2}}) {
      plan_spec spec{.lengths = lengths, .batch = batch, .kind = kind};
      const auto input = input_noise<float>(spec);
      EXPECT_EQ(transformed(on, spec, input), alone(on, spec, input)) << described(spec);
      spec.valid_in.assign(lengths.size(), {1, 3});
      spec.in.strides.assign(lengths.size(), 0);  // columns through tiles
      EXPECT_EQ(transformed(on, spec, input), alone(on, spec, input)) << described(spec);
    }
  }
}

TEST(host_threads, may_share_one_plan_and_one_queue) {
  queue shared{first_device(engine::host)};
  for (const std::size_t n : {16, 1024, 32768}) {
    for (const transform kind : {transform::forward, transform::forward_from_real}) {
      const plan_spec spec{.lengths = {n}, .batch = 4, .kind = kind};
      const plan planned{shared, spec};
      const auto input = input_noise<float>(spec);
      std::vector<std::vector<float>> out(6, std::vector<float>(output_bytes(spec) / 4));
      std::vector<std::thread> users;
      for (auto& mine : out) {
        users.emplace_back([&] {
          buffer_view from{const_cast<float*>(input.data()), 0, input_bytes(spec)};
          for (int i = 0; i < 20; ++i) {
            planned.enqueue(shared, from, {mine.data(), 0, output_bytes(spec)});
          }
        });
      }
      for (auto& user : users) user.join();
      for (const auto& mine : out) EXPECT_EQ(mine, out.front());
      const auto expected = expected_row(spec, input, 3);
      EXPECT_LE(relative_l2(row_of(spec, out.front(), 3), expected), 1e-6L);
    }
  }
}

/// A pool whose workers wait awake, or asleep.
class host_thread_pool : public ::testing::TestWithParam<bool> {};

TEST_P(host_thread_pool, runs_each_task_once) {
  thread_pool pool{3, GetParam()};
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> runs(round);
    std::vector<std::atomic<int>> holders(3);
    pool.run(runs.size(), 3, [&](std::size_t i, unsigned slot) {
      EXPECT_EQ(holders[slot]++, 0) << "two tasks hold slot " << slot;
      ++runs[i];
      --holders[slot];
    });
    for (const auto& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST_P(host_thread_pool, closes_just_behind_a_call) {
  for (int round = 0; round < 500; ++round) {
    std::atomic<int> runs = 0;
    {
      thread_pool pool{3, GetParam()};
      pool.run(2, 3, [&](std::size_t, unsigned) { ++runs; });
    }
    EXPECT_EQ(runs, 2);
  }
}

TEST_P(host_thread_pool, does_calls_within_calls) {
  thread_pool pool{3, GetParam()};
  std::atomic<int> runs = 0;
  pool.run(5, 3,
           [&](std::size_t, unsigned) { pool.run(5, 3, [&](std::size_t, unsigned) { ++runs; }); });
  EXPECT_EQ(runs, 25);
}

TEST_P(host_thread_pool, passes_on_what_a_task_throws) {
  thread_pool pool{3, GetParam()};
  const auto fails = [](std::size_t i, unsigned) {
    if (i == 40) throw std::runtime_error("task 40");
  };
  EXPECT_THROW(pool.run(100, 3, fails), std::runtime_error);
  std::atomic<int> runs = 0;
  pool.run(100, 3, [&](std::size_t, unsigned) { ++runs; });
  EXPECT_EQ(runs, 100) << "the pool works on";
}

TEST_P(host_thread_pool, makes_what_a_task_wrote_seen_by_the_caller) {
  thread_pool pool{4, GetParam()};
  std::vector<std::size_t> written(4);
  for (std::size_t round = 1; round <= 2000; ++round) {
    pool.run(4, 4, [&](std::size_t i, unsigned) { written[i] = round * (i + 1); });
    for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(written[i], round * (i + 1));
  }
}

TEST(host_thread_pool_of_idle, leaves_busy_processors_to_others) {
  if (::access("/proc/loadavg", R_OK) != 0) GTEST_SKIP() << "the system counts no running threads";
  std::atomic<bool> is_done = false;
  std::vector<std::thread> busy(static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_ONLN)) + 1);
  for (std::thread& each : busy) {
    each = std::thread{[&] {
      while (!is_done) {
      }
    }};
  }
  thread_pool pool{2, false, true};
  std::atomic<int> runs = 0, of_workers = 0;
  for (int round = 0; round < 20; ++round) {
    pool.run(100, 2, [&](std::size_t, unsigned slot) {
      ++runs;
      if (slot != 0) ++of_workers;
    });
  }
  is_done = true;
  for (std::thread& each : busy) each.join();
  EXPECT_EQ(runs, 2000);
  EXPECT_EQ(of_workers, 0);
}

INSTANTIATE_TEST_SUITE_P(waiting, host_thread_pool, ::testing::Bool(),
                         [](const auto& named) { return named.param ? "awake" : "asleep"; });

}  // namespace
