// SPDX-License-Identifier: Apache-2.0
// The host's device, queue and memory, and the environment that chooses kernels and threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>  // setenv, unsetenv
#include <limits>
#include <thread>  // sleep_for

#include "backend/host/cpu.hpp"  // supported_sets, chosen_set
#include "backend/host/thread_pool.hpp"
#include "support/refusal.hpp"  // message_of
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using test::message_of;
using ::testing::HasSubstr;

// Must run first: the pool reads the environment once, when it first succeeds.
TEST(host_environment, a_refuses_a_word_for_a_number_of_threads) {
  for (const char* wrong : {"many", "0", "-1", " ", "3 ", "1025"}) {
    ::setenv("WINGBEAT_THREADS", wrong, 1);
    EXPECT_THAT(message_of<plan_error>([] { backend::host::thread_pool::shared(); }),
                HasSubstr("set it to a number of threads from 1 to 1024"));
  }
  ::setenv("WINGBEAT_THREADS", "", 1);  // as if unset
  EXPECT_NO_THROW(backend::host::thread_pool::shared());
  ::unsetenv("WINGBEAT_THREADS");
}

TEST(host_environment, names_the_instruction_set) {
  for (const auto& set : backend::host::supported_sets()) {
    ::setenv("WINGBEAT_HOST_ISA", set.name.c_str(), 1);
    EXPECT_EQ(first_device(engine::host).architecture, set.name);
  }
  ::setenv("WINGBEAT_HOST_ISA", "", 1);  // as if unset
  EXPECT_EQ(first_device(engine::host).architecture, backend::host::supported_sets().back().name);
  ::setenv("WINGBEAT_HOST_ISA", "mmx", 1);
  EXPECT_THAT(message_of<plan_error>([] { static_cast<void>(first_device(engine::host)); }),
              HasSubstr("WINGBEAT_HOST_ISA is 'mmx'; this processor runs baseline"));
  ::unsetenv("WINGBEAT_HOST_ISA");
}

TEST(host_device, describes_this_machine) {
  const auto found = devices(engine::host);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].name.empty());
  EXPECT_EQ(found[0].architecture, backend::host::supported_sets().back().name);
  EXPECT_GT(found[0].memory_bytes, std::size_t{1} << 26);
  EXPECT_GE(found[0].compute_units, 1U);
  EXPECT_EQ(why_absent(engine::host), "");
}

TEST(host_memory, is_aligned_and_copied_both_ways) {
  const queue on{first_device(engine::host)};
  for (const std::size_t size : {1, 100, 1 << 23}) {
    buffer memory{on, size};
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.view().handle) % 64, 0U);
    const std::vector<char> sent(size, 'x');
    std::vector<char> back(size);
    memory.write(sent.data(), size);
    memory.read(back.data(), size);
    EXPECT_EQ(back, sent);
  }
}

TEST(host_memory, says_how_much_it_could_not_get) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer ends the program where malloc returns null";
#endif
  const queue on{first_device(engine::host)};
  for (const std::size_t size : {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 60}) {
    EXPECT_THAT(message_of<device_error>([&] {
                  buffer{on, size};
                }),
                HasSubstr("asked " + std::to_string(size) + " bytes of host memory"));
  }
}

TEST(host_queue, measures_time) {
  const queue on{first_device(engine::host)};
  stopwatch watch{on};
  const auto begin = std::chrono::steady_clock::now();
  watch.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  watch.stop();
  const std::chrono::duration<double> around = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(watch.seconds(), 0.019);
  EXPECT_LE(watch.seconds(), around.count() + 0.001);
}

TEST(host_plan_buffers, are_checked_for_size) {
  queue on{first_device(engine::host)};
  const plan planned{on, {.lengths = {1024}}};
  std::vector<float> memory(2048);
  const buffer_view whole{memory.data(), 0, 8192};
  const buffer_view part{memory.data(), 0, 8191};
  EXPECT_THROW(planned.enqueue(on, whole, part), plan_error);
  EXPECT_THROW(planned.enqueue(on, part, whole), plan_error);
}

}  // namespace
