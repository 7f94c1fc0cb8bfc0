// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Calls that are repeated. Short ones become graphs of the driver, and longer ones do not: with
// other buffers, from several threads and streams, beside captures of the user's own. Oracle: the
// first call of another plan.
#include <gtest/gtest.h>

#include <complex>
#include <thread>
#include <vector>

#include "backend/cuda/driver_graphs.hpp"  // graphs
#include "backend/cuda/gpu_values.hpp"     // noise, values
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using test::graphs;
using test::noise;
using test::values;

constexpr std::complex<float> poison{-7, 7};

/// Inputs, and what a plan's first call makes of them.
struct problem {
  plan_spec spec;
  std::vector<values> in, expected;

  problem(queue& on, plan_spec request, unsigned count) : spec(std::move(request)) {
    for (unsigned i = 0; i < count; ++i) {
      in.push_back(noise(input_bytes(spec) / 8, i + 1));
      const plan fresh{on, spec};
      buffer source{on, input_bytes(spec)}, target{on, output_bytes(spec)};
      source.write(in[i].data(), source.size_bytes());
      fresh.enqueue(on, source.view(), target.view());
      expected.emplace_back(target.size_bytes() / 8);
      target.read(expected[i].data(), target.size_bytes());
    }
  }
};

class cuda_repeated : public ::testing::TestWithParam<std::vector<std::size_t>> {
 protected:
  void SetUp() override {
    if (devices(engine::cuda).empty()) GTEST_SKIP() << "no CUDA device here";
  }
};

TEST_P(cuda_repeated, takes_other_buffers_at_every_call) {
  queue on{first_device(engine::cuda)};
  const problem is{on, {.lengths = GetParam()}, 3};
  const plan planned{on, is.spec};
  const std::size_t in_bytes = input_bytes(is.spec), out_bytes = output_bytes(is.spec);
  buffer in{on, 3 * in_bytes}, out{on, 3 * out_bytes};
  for (unsigned i = 0; i < 3; ++i) in.write(is.in[i].data(), in_bytes, i * in_bytes);
  const values poisoned(3 * out_bytes / 8, poison);
  for (unsigned call = 0; call < 12; ++call) {
    out.write(poisoned.data(), out.size_bytes());
    const unsigned source = call * call % 3, target = call % 3;
    planned.enqueue(on, {in.view().handle, source * in_bytes, in_bytes},
                    {out.view().handle, target * out_bytes, out_bytes});
    values got(3 * out_bytes / 8);
    out.read(got.data(), out.size_bytes());
    for (unsigned part = 0; part < 3; ++part) {
      const auto begin = got.begin() + static_cast<std::ptrdiff_t>(part * out_bytes / 8);
      const values here(begin, begin + static_cast<std::ptrdiff_t>(out_bytes / 8));
      const bool is_written = part == target;
      EXPECT_TRUE(here == (is_written ? is.expected[source] : values(here.size(), poison)))
          << "call " << call << ", part " << part;
    }
  }
}

TEST_P(cuda_repeated, is_called_by_two_threads_on_one_queue) {
  queue on{first_device(engine::cuda)};
  const problem is{on, {.lengths = GetParam()}, 2};
  const plan planned{on, is.spec};
  on.reserve(planned.workspace_bytes());
  std::vector<values> got(2);
  {
    std::vector<std::jthread> both;
    for (unsigned t = 0; t < 2; ++t) {
      both.emplace_back([&, t] {
        buffer in{on, input_bytes(is.spec)}, out{on, output_bytes(is.spec)};
        in.write(is.in[t].data(), in.size_bytes());
        for (int run = 0; run < 200; ++run) planned.enqueue(on, in.view(), out.view());
        got[t].resize(out.size_bytes() / 8);
        out.read(got[t].data(), out.size_bytes());
      });
    }
  }
  for (unsigned t = 0; t < 2; ++t) EXPECT_TRUE(got[t] == is.expected[t]) << "thread " << t;
}

TEST_P(cuda_repeated, is_called_on_more_streams_than_it_has_graphs_for) {
  queue first{first_device(engine::cuda)};
  const problem is{first, {.lengths = GetParam()}, 1};
  const plan planned{first, is.spec};
  buffer in{first, input_bytes(is.spec)};
  in.write(is.in[0].data(), in.size_bytes());
  std::vector<queue> queues;
  for (int i = 0; i < 10; ++i) queues.emplace_back(first_device(engine::cuda));
  for (queue& each : queues) each.reserve(planned.workspace_bytes());
  for (int round = 0; round < 6; ++round) {
    for (queue& each : queues) {
      buffer out{each, output_bytes(is.spec)};
      for (int call = 0; call <= round; ++call) planned.enqueue(each, in.view(), out.view());
      values got(out.size_bytes() / 8);
      out.read(got.data(), out.size_bytes());
      ASSERT_TRUE(got == is.expected[0]) << "round " << round;
    }
  }
}

/// A capture of the strictest mode, in which the driver refuses what could disturb it.
TEST_P(cuda_repeated, neither_disturbs_a_capture_nor_is_disturbed) {
  const auto cuda = graphs::opened();
  void* context = nullptr;
  ASSERT_EQ(cuda.retain(&context, 0), 0);
  ASSERT_EQ(cuda.make_current(context), 0);
  void *captured = nullptr, *other = nullptr;
  ASSERT_EQ(cuda.create_stream(&captured, 1), 0);
  ASSERT_EQ(cuda.create_stream(&other, 1), 0);
  queue recorded = queue::from_cuda_stream(captured), beside = queue::from_cuda_stream(other);
  const problem is{beside, {.lengths = GetParam()}, 1};
  const plan planned{beside, is.spec};
  buffer in{beside, input_bytes(is.spec)}, out{beside, output_bytes(is.spec)},
      scratch{beside, planned.workspace_bytes() + 256};
  buffer recorded_out{beside, output_bytes(is.spec)},
      recorded_scratch{beside, planned.workspace_bytes() + 256};
  in.write(is.in[0].data(), in.size_bytes());
  for (int run = 0; run < 4; ++run) {
    planned.enqueue(recorded, in.view(), recorded_out.view(), recorded_scratch.view());
  }
  recorded.wait();

  void *graph = nullptr, *runnable = nullptr;
  ASSERT_EQ(cuda.begin(captured, /*global*/ 0), 0);
  planned.enqueue(recorded, in.view(), recorded_out.view(), recorded_scratch.view());
  {
    // A plan that ends, and its graph with it.
    const plan brief{beside, is.spec};
    for (int run = 0; run < 4; ++run) {
      planned.enqueue(beside, in.view(), out.view(), scratch.view());
      brief.enqueue(beside, in.view(), out.view(), scratch.view());
    }
  }
  ASSERT_EQ(cuda.end(captured, &graph), 0) << "the capture was disturbed";
  values got(out.size_bytes() / 8);
  out.read(got.data(), out.size_bytes());
  EXPECT_TRUE(got == is.expected[0]);

  ASSERT_EQ(cuda.instantiate(&runnable, graph, 0), 0);
  const values poisoned(got.size(), poison);
  recorded_out.write(poisoned.data(), recorded_out.size_bytes());
  ASSERT_EQ(cuda.launch(runnable, captured), 0);
  ASSERT_EQ(cuda.synchronize(captured), 0);
  recorded_out.read(got.data(), recorded_out.size_bytes());
  EXPECT_TRUE(got == is.expected[0]) << "the call was not captured";
}

using lengths = std::vector<std::size_t>;
INSTANTIATE_TEST_SUITE_P(of_each_kind_of_program, cuda_repeated,
                         ::testing::Values(lengths{4}, lengths{1000}, lengths{1 << 11},
                                           lengths{1 << 14}, lengths{1 << 16}, lengths{1 << 18},
                                           lengths{1 << 20}, lengths{128, 128}, lengths{96, 100},
                                           lengths{32, 32, 32}, lengths{1024, 1024}));

}  // namespace
