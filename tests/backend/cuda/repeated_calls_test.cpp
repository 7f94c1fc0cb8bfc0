// SPDX-License-Identifier: Apache-2.0
// Calls of a plan that are recorded as graphs. Oracle: a driver made of host memory, which sees the
// launches of each call with their arguments, alone or of a graph.
#include "backend/cuda/repeated_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <optional>
#include <thread>

#include "backend/cuda/engine.hpp"
#include "backend/cuda/fake_driver.hpp"
#include "backend/cuda/queue.hpp"         // cuda::queue
#include "programs/prepared_program.hpp"  // prepared_program
#include "wingbeat/error.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using backend::kernel_argument;
using backend::launch_sequence;
using ::testing::ElementsAre;
using graph_step = fake_machine::graph_step;

/// The addresses and numbers of one call; no address is null.
struct call_arguments {
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
    queue = open();
    kernel = compile(/*starts_early=*/false);
    calls = queue->make_repeated_calls();
  }

  void TearDown() override {
    calls.reset();
    kernel.reset();
    queue.reset();
    EXPECT_TRUE(contexts().empty()) << "a context was left current";
    EXPECT_EQ(machine().n_calls_out_of_context, 0);
    EXPECT_EQ(machine().n_graphs, 0);
    EXPECT_EQ(machine().n_runnables, 0);
    EXPECT_EQ(capture_mode(), 0) << "the thread's capture mode was not restored";
    EXPECT_EQ(machine().n_strict_calls, 0) << "a capture elsewhere could have been ended";
  }

  backend::cuda::engine& engine() {
    if (!engine_) engine_.emplace(driver_, "", nvrtc_, cache_);
    return *engine_;
  }

  std::shared_ptr<backend::queue> open(std::size_t device = 0) {
    return engine().open(engine().devices().at(device));
  }

  std::shared_ptr<const backend::kernel> compile(bool starts_early) {
    return engine().compile(
        queue, {.text = "text", .entry = "kernel", .threads = 64, .starts_early = starts_early});
  }

  /// Calls a plan of one kernel, and returns its launch.
  fake_launch call(backend::queue& target, const call_arguments& arguments = {},
                   std::size_t workgroups = 5) {
    machine().launches.clear();
    calls->call(target, [&](launch_sequence& sequence) {
      sequence.launch(*kernel, workgroups, arguments.list());
    });
    EXPECT_EQ(machine().launches.size(), 1u);
    return machine().launches.at(0);
  }

  static cuda::stream_handle stream_of(backend::queue& target) {
    return backend::cuda::cuda_queue(target).stream();
  }

  wingbeat::opened<cuda::nvrtc_api> nvrtc_ = fake_nvrtc();
  cuda::driver_api driver_ = fake_driver();
  backend::kernel_cache cache_{{}};
  std::optional<backend::cuda::engine> engine_;
  std::shared_ptr<backend::queue> queue;
  std::shared_ptr<const backend::kernel> kernel;
  std::unique_ptr<backend::repeated_calls> calls;
};

TEST_F(cuda_repeated_calls, are_a_graph_from_the_third_on) {
  for (int i = 1; i <= 4; ++i) {
    const fake_launch seen = call(*queue);
    EXPECT_EQ(seen.is_of_graph, i > 2) << "call " << i;
    EXPECT_EQ(seen.grid_x, 5u);
    EXPECT_EQ(seen.block_x, 64u);
    EXPECT_EQ(seen.stream, stream_of(*queue));
    EXPECT_THAT(seen.quantities, ElementsAre(1u, 2u, 3u));
  }
  EXPECT_EQ(machine().n_set_anew, 0);
}

TEST_F(cuda_repeated_calls, set_the_arguments_that_changed_and_no_more) {
  for (int i = 0; i < 3; ++i) call(*queue);
  char other = 0;
  for (int i = 0; i < 2; ++i) {
    const fake_launch seen = call(*queue, {.out = &other, .batch = 9}, 7);
    EXPECT_TRUE(seen.is_of_graph);
    EXPECT_EQ(seen.grid_x, 7u);
    EXPECT_EQ(seen.pointers[1], &other);
    EXPECT_THAT(seen.quantities, ElementsAre(1u, 2u, 9u));
    EXPECT_EQ(machine().n_set_anew, 1);
  }
  EXPECT_EQ(call(*queue, {.out = &other, .batch = 9}, 8).grid_x, 8u);
  EXPECT_EQ(machine().n_set_anew, 2);
}

TEST_F(cuda_repeated_calls, keep_their_launches_in_order_and_early_where_they_were) {
  const auto early = compile(/*starts_early=*/true);
  for (int i = 0; i < 3; ++i) {
    machine().launches.clear();
    calls->call(*queue, [&](launch_sequence& sequence) {
      sequence.launch(*kernel, 1, call_arguments{.batch = 1}.list());
      sequence.launch(*early, 2, call_arguments{.batch = 2}.list());
      sequence.launch(*kernel, 3, call_arguments{.batch = 3}.list());
    });
    const auto& seen = machine().launches;
    ASSERT_EQ(seen.size(), 3u);
    for (unsigned k = 0; k < 3; ++k) {
      EXPECT_EQ(seen[k].is_of_graph, i == 2);
      EXPECT_EQ(seen[k].grid_x, k + 1) << "0: not ordered behind the launch before";
      EXPECT_EQ(seen[k].quantities[2], k + 1);
      EXPECT_EQ(seen[k].is_early, k == 1);
    }
  }
}

TEST_F(cuda_repeated_calls, are_launches_in_a_stream_that_is_captured) {
  for (int i = 0; i < 3; ++i) call(*queue);
  machine().captured = stream_of(*queue);
  for (const int status : {1, 2}) {
    machine().capture_status = status;
    EXPECT_FALSE(call(*queue).is_of_graph) << status;
  }
  machine().captured = nullptr;
  EXPECT_TRUE(call(*queue).is_of_graph);
  machine().capture_query = 906;  // the default stream while another is captured
  EXPECT_FALSE(call(*queue).is_of_graph);
}

TEST_F(cuda_repeated_calls, have_a_graph_for_each_stream) {
  const auto other = open();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(call(*queue).is_of_graph, i > 2);
    const fake_launch seen = call(*other, {.batch = 8});
    EXPECT_EQ(seen.is_of_graph, i > 2);
    EXPECT_EQ(seen.stream, stream_of(*other));
    EXPECT_EQ(seen.quantities[2], 8u);
  }
  EXPECT_EQ(machine().n_set_anew, 0) << "the streams shared a graph";
}

TEST_F(cuda_repeated_calls, forget_the_stream_that_was_called_least_recently) {
  std::vector<std::shared_ptr<backend::queue>> queues{queue};
  for (int i = 0; i < 7; ++i) queues.push_back(open());
  for (int round = 0; round < 3; ++round) {
    for (const auto& each : queues) EXPECT_EQ(call(*each).is_of_graph, round == 2);
  }
  const auto ninth = open();
  EXPECT_FALSE(call(*ninth).is_of_graph);
  EXPECT_TRUE(call(*queues[1]).is_of_graph);
  EXPECT_FALSE(call(*queues[0]).is_of_graph) << "the first made room for the ninth";
  EXPECT_EQ(machine().n_graphs, 6);
}

TEST_F(cuda_repeated_calls, stay_launches_if_the_driver_makes_no_graph) {
  for (const graph_step refused :
       {graph_step::create, graph_step::add, graph_step::order, graph_step::instantiate}) {
    calls = queue->make_repeated_calls();
    machine().refused_step = refused;
    for (int i = 0; i < 4; ++i) {
      machine().launches.clear();
      calls->call(*queue, [&](launch_sequence& sequence) {
        sequence.launch(*kernel, 1, call_arguments{}.list());
        sequence.launch(*kernel, 2, call_arguments{}.list());
      });
      ASSERT_EQ(machine().launches.size(), 2u);
      EXPECT_FALSE(machine().launches[0].is_of_graph || machine().launches[1].is_of_graph);
      if (i == 1) machine().refused_step = graph_step::none;  // it is not asked again
    }
    EXPECT_EQ(machine().n_graphs, 0);
  }
}

TEST_F(cuda_repeated_calls, do_not_wait_for_another_thread) {
  const auto other = open();
  for (int i = 0; i < 3; ++i) call(*queue), call(*other);
  machine().launches.clear();
  const auto call_with_grid = [&](backend::queue& target, std::size_t workgroups) {
    calls->call(target, [&](launch_sequence& sequence) {
      sequence.launch(*kernel, workgroups, call_arguments{}.list());
    });
  };
  calls->call(*queue, [&](launch_sequence& sequence) {
    std::thread{[&] {
      call_with_grid(*queue, 2);  // the same stream
      call_with_grid(*other, 3);
    }}.join();
    sequence.launch(*kernel, 1, call_arguments{}.list());
  });
  ASSERT_EQ(machine().launches.size(), 3u);
  EXPECT_FALSE(machine().launches[0].is_of_graph);
  EXPECT_EQ(machine().launches[0].grid_x, 2u);
  EXPECT_TRUE(machine().launches[1].is_of_graph) << "another stream's calls go on";
  EXPECT_EQ(machine().launches[1].grid_x, 3u);
  EXPECT_TRUE(machine().launches[2].is_of_graph);
}

TEST_F(cuda_repeated_calls, refuse_what_launches_refuse_and_go_on) {
  const auto of_other_context = open(1);
  const auto call_with_grid = [&](backend::queue& target, std::size_t workgroups) {
    calls->call(target, [&](launch_sequence& sequence) {
      sequence.launch(*kernel, workgroups, call_arguments{}.list());
    });
  };
  for (int i = 0; i < 4; ++i) {
    EXPECT_THROW(call_with_grid(*of_other_context, 1), plan_error);
    EXPECT_THROW(call_with_grid(*queue, 0), plan_error);
    const fake_launch seen = call(*queue);
    EXPECT_EQ(seen.grid_x, 5u);
    EXPECT_EQ(seen.is_of_graph, i > 1);
  }
}

TEST_F(cuda_repeated_calls, leave_a_driver_that_has_shut_down_alone) {
  for (int i = 0; i < 3; ++i) call(*queue);
  machine().is_shut_down = true;
  calls.reset();
  EXPECT_EQ(machine().n_graphs, 1);
  machine().n_graphs = machine().n_runnables = 0;  // the driver's own end
}

TEST_F(cuda_repeated_calls, are_launches_if_the_driver_lacks_a_function) {
  using remove = void (*)(cuda::driver_api&);
  for (const remove each : std::initializer_list<remove>{
           [](cuda::driver_api& api) { api.graph_create = nullptr; },
           [](cuda::driver_api& api) { api.graph_destroy = nullptr; },
           [](cuda::driver_api& api) { api.graph_add_kernel = nullptr; },
           [](cuda::driver_api& api) { api.graph_add_edges = nullptr; },
           [](cuda::driver_api& api) { api.graph_make_runnable = nullptr; },
           [](cuda::driver_api& api) { api.runnable_destroy = nullptr; },
           [](cuda::driver_api& api) { api.runnable_set_kernel = nullptr; },
           [](cuda::driver_api& api) { api.runnable_launch = nullptr; },
           [](cuda::driver_api& api) { api.stream_is_capturing = nullptr; },
           [](cuda::driver_api& api) { api.exchange_capture_mode = nullptr; }}) {
    driver_ = fake_driver();
    each(driver_);
    calls = queue->make_repeated_calls();
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(call(*queue).is_of_graph);
  }
  driver_ = fake_driver();
}

/// Returns whether the third call of a plan is a graph. `out` is memory that is cleared, or none.
bool becomes_graph(const backend::cuda::engine& engine, const plan_spec& spec,
                   void* out = nullptr) {
  const auto queue = engine.open(engine.devices().front());
  const programs::prepared_program plan{engine, queue, *engine.realise(queue, spec)};
  const std::size_t max_bytes = std::size_t{1} << 40;
  const auto view = [&](std::uintptr_t address) {
    return buffer_view{reinterpret_cast<void*>(address << 41), 0, max_bytes};
  };
  for (int i = 0; i < 3; ++i) {
    machine().launches.clear();
    buffer_view target = view(2);
    if (out != nullptr) target.handle = out;
    plan.enqueue(*queue, {view(1), target, view(3)});
  }
  const bool first = machine().launches.at(0).is_of_graph;
  for (const fake_launch& each : machine().launches) EXPECT_EQ(each.is_of_graph, first);
  return first;
}

TEST_F(cuda_repeated_calls, are_graphs_where_launches_take_longer_than_they_run) {
  const auto rows = [&](unsigned bits, std::size_t batch = 1) {
    return becomes_graph(engine(), {.lengths = {std::size_t{1} << bits}, .batch = {batch}});
  };
  EXPECT_TRUE(rows(11)) << "32 KiB in one launch";
  EXPECT_FALSE(rows(12));
  EXPECT_FALSE(rows(11, 2));
  EXPECT_TRUE(rows(18)) << "8 MiB in two launches";
  EXPECT_FALSE(rows(19));
  EXPECT_FALSE(rows(21));
  EXPECT_TRUE(rows(24)) << "256 MiB: no launch begins early";
  machine().capability_major = 8;
  engine_.reset();
  EXPECT_TRUE(rows(19)) << "the device has no early launches";
}

TEST_F(cuda_repeated_calls, are_launches_if_the_output_is_cleared) {
  std::array<std::complex<float>, 64> out{};
  plan_spec spec{.lengths = {64}};
  spec.store = {.out_bytes = sizeof out,
                .element_bytes = sizeof out[0],
                .source = {.text = "struct yours {};", .type = "yours"}};
  EXPECT_TRUE(becomes_graph(engine(), spec, out.data()));
  spec.store.clears_output = true;
  EXPECT_FALSE(becomes_graph(engine(), spec, out.data()));
}

}  // namespace
