// SPDX-License-Identifier: Apache-2.0
// Calls of a plan that are remembered as graphs. Oracle: a driver made of host memory, which sees
// the launches of each call with their arguments, alone or of a graph.
#include "backend/cuda/repeated_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "backend/cuda/engine.hpp"
#include "backend/cuda/fake_driver.hpp"
#include "backend/cuda/queue.hpp"  // cuda::queue
#include "wingbeat/error.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using backend::kernel_argument;
using backend::launch_sequence;
using ::testing::ElementsAre;

/// The addresses and numbers of one call; none is null.
struct given {
  const void *in = "in", *out = "out", *table = "table";
  std::uint64_t in_first = 1, out_first = 2, batch = 3;

  [[nodiscard]] std::array<kernel_argument, 6> list() const {
    return {kernel_argument::of(in),        kernel_argument::of(out),
            kernel_argument::of(table),     kernel_argument::of(in_first),
            kernel_argument::of(out_first), kernel_argument::of(batch)};
  }
};

class cuda_repeated_calls : public ::testing::Test {
 protected:
  void SetUp() override {
    machine(/*fresh=*/true);
    contexts().clear();
    on = open();
    loaded = compiled(/*starts_early=*/false);
    calls = engine_.compiler().repeated(*on);
  }

  void TearDown() override {
    calls.reset();
    loaded.reset();
    on.reset();
    EXPECT_TRUE(contexts().empty()) << "a context was left current";
    EXPECT_EQ(machine().n_calls_out_of_context, 0);
    EXPECT_EQ(machine().n_graphs, 0);
    EXPECT_EQ(machine().n_runnables, 0);
    EXPECT_EQ(machine().capture_mode, 0) << "the thread's mode of captures was not restored";
  }

  std::shared_ptr<backend::queue> open(std::size_t device = 0) {
    return engine_.open(engine_.devices().at(device));
  }

  std::shared_ptr<const backend::kernel> compiled(bool starts_early) {
    return engine_.compiler().compile(
        on, {.text = "text", .entry = "kernel", .threads = 64, .starts_early = starts_early});
  }

  /// Calls a plan of one kernel, and returns its launch.
  fake_launch call(backend::queue& to, const given& with = {}, std::size_t workgroups = 5) {
    machine().launches.clear();
    calls->call(
        to, [&](launch_sequence& sequence) { sequence.launch(*loaded, workgroups, with.list()); });
    EXPECT_EQ(machine().launches.size(), 1u);
    return machine().launches.at(0);
  }

  wingbeat::opened<cuda::nvrtc_api> nvrtc_ = fake_nvrtc();
  cuda::driver_api driver_ = fake_driver();
  backend::kernel_cache cache_{""};
  backend::cuda::engine engine_{driver_, "", nvrtc_, cache_};
  std::shared_ptr<backend::queue> on;
  std::shared_ptr<const backend::kernel> loaded;
  std::unique_ptr<backend::repeated_calls> calls;
};

TEST_F(cuda_repeated_calls, are_a_graph_from_the_third_on) {
  for (int i = 1; i <= 4; ++i) {
    const fake_launch seen = call(*on);
    EXPECT_EQ(seen.is_of_graph, i > 2) << "call " << i;
    EXPECT_EQ(seen.grid_x, 5u);
    EXPECT_EQ(seen.block_x, 64u);
    EXPECT_EQ(seen.stream, backend::cuda::cuda_queue(*on).stream());
    EXPECT_THAT(seen.quantities, ElementsAre(1u, 2u, 3u));
  }
  EXPECT_EQ(machine().n_set_anew, 0);
}

TEST_F(cuda_repeated_calls, take_other_arguments_and_no_more_than_those) {
  for (int i = 0; i < 3; ++i) call(*on);
  char other = 0;
  for (int i = 0; i < 2; ++i) {
    const fake_launch seen = call(*on, {.out = &other, .batch = 9}, 7);
    EXPECT_TRUE(seen.is_of_graph);
    EXPECT_EQ(seen.grid_x, 7u);
    EXPECT_EQ(seen.pointers[1], &other);
    EXPECT_THAT(seen.quantities, ElementsAre(1u, 2u, 9u));
    EXPECT_EQ(machine().n_set_anew, 1);
  }
  EXPECT_EQ(call(*on, {.out = &other, .batch = 9}, 8).grid_x, 8u);
  EXPECT_EQ(machine().n_set_anew, 2);
}

TEST_F(cuda_repeated_calls, keep_their_launches_in_order_and_early_where_they_were) {
  const auto early = compiled(/*starts_early=*/true);
  for (int i = 0; i < 3; ++i) {
    machine().launches.clear();
    calls->call(*on, [&](launch_sequence& sequence) {
      sequence.launch(*loaded, 1, given{.batch = 1}.list());
      sequence.launch(*early, 2, given{.batch = 2}.list());
      sequence.launch(*loaded, 3, given{.batch = 3}.list());
    });
    const auto& seen = machine().launches;
    ASSERT_EQ(seen.size(), 3u);
    for (unsigned k = 0; k < 3; ++k) {
      EXPECT_EQ(seen[k].is_of_graph, i == 2);
      EXPECT_EQ(seen[k].grid_x, k + 1);
      EXPECT_EQ(seen[k].quantities[2], k + 1);
      EXPECT_EQ(seen[k].is_early, k == 1);
    }
  }
}

TEST_F(cuda_repeated_calls, are_launches_in_a_stream_that_is_captured) {
  for (int i = 0; i < 3; ++i) call(*on);
  machine().captured = backend::cuda::cuda_queue(*on).stream();
  EXPECT_FALSE(call(*on).is_of_graph);
  machine().captured = nullptr;
  EXPECT_TRUE(call(*on).is_of_graph);
}

TEST_F(cuda_repeated_calls, are_of_a_stream_and_of_its_priority) {
  machine().stream_priority = -3;
  const auto other = open();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(call(*on).is_of_graph, i > 2);
    const fake_launch seen = call(*other, {.batch = 8});
    EXPECT_EQ(seen.is_of_graph, i > 2);
    EXPECT_EQ(seen.stream, backend::cuda::cuda_queue(*other).stream());
    EXPECT_EQ(seen.quantities[2], 8u);
  }
  EXPECT_EQ(machine().n_set_anew, 0) << "the streams shared a graph";
  EXPECT_EQ(machine().priority_of_nodes, -3);
}

TEST_F(cuda_repeated_calls, forget_the_stream_that_called_least_lately) {
  std::vector<std::shared_ptr<backend::queue>> many{on};
  for (int i = 0; i < 7; ++i) many.push_back(open());
  for (int round = 0; round < 3; ++round) {
    for (const auto& each : many) EXPECT_EQ(call(*each).is_of_graph, round == 2);
  }
  const auto ninth = open();
  EXPECT_FALSE(call(*ninth).is_of_graph);
  EXPECT_TRUE(call(*many[1]).is_of_graph);
  EXPECT_FALSE(call(*many[0]).is_of_graph) << "the first made room for the ninth";
  EXPECT_EQ(machine().n_graphs, 6);
}

TEST_F(cuda_repeated_calls, stay_launches_where_the_driver_makes_no_graph) {
  machine().graph_status = 801;
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(call(*on).is_of_graph);
  machine().graph_status = cuda::success;
  EXPECT_FALSE(call(*on).is_of_graph) << "it is not asked again";
  EXPECT_EQ(machine().n_graphs, 0);
}

TEST_F(cuda_repeated_calls, do_not_wait_for_one_in_another_thread) {
  for (int i = 0; i < 3; ++i) call(*on);
  machine().launches.clear();
  calls->call(*on, [&](launch_sequence& sequence) {
    std::thread{[&] {
      calls->call(*on, [&](launch_sequence& inner) { inner.launch(*loaded, 2, given{}.list()); });
    }}.join();
    sequence.launch(*loaded, 1, given{}.list());
  });
  ASSERT_EQ(machine().launches.size(), 2u);
  EXPECT_FALSE(machine().launches[0].is_of_graph);
  EXPECT_EQ(machine().launches[0].grid_x, 2u);
  EXPECT_TRUE(machine().launches[1].is_of_graph);
}

TEST_F(cuda_repeated_calls, refuse_what_launches_refuse_and_go_on) {
  const auto of_other_context = open(1);
  for (int i = 0; i < 4; ++i) {
    EXPECT_THROW(calls->call(*of_other_context,
                             [&](launch_sequence& sequence) {
                               sequence.launch(*loaded, 1, given{}.list());
                             }),
                 plan_error);
    EXPECT_THROW(
        calls->call(
            *on, [&](launch_sequence& sequence) { sequence.launch(*loaded, 0, given{}.list()); }),
        plan_error);
    const fake_launch seen = call(*on);
    EXPECT_EQ(seen.grid_x, 5u);
    EXPECT_EQ(seen.is_of_graph, i > 1);
  }
}

TEST_F(cuda_repeated_calls, leave_a_driver_that_has_shut_down_alone) {
  for (int i = 0; i < 3; ++i) call(*on);
  machine().is_shut_down = true;
  calls.reset();
  EXPECT_EQ(machine().n_graphs, 1);
  machine().n_graphs = machine().n_runnables = 0;  // the driver's own end
}

TEST_F(cuda_repeated_calls, are_launches_in_older_drivers) {
  driver_.graph_add_edges = nullptr;
  calls = engine_.compiler().repeated(*on);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(call(*on).is_of_graph);
}

}  // namespace
