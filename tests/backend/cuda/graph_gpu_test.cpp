// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Plans inside the user's own CUDA: captured into a graph and replayed on new data. Oracle: the
// same plan run directly.
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "backend/cuda/driver_graphs.hpp"  // graphs
#include "backend/cuda/gpu_values.hpp"     // noise, values
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using test::graphs;
using test::noise;
using test::values;

void put(buffer& target, const values& x) {
  target.write(x.data(), x.size() * sizeof(x[0]));
}

values taken(const buffer& source) {
  values x(source.size_bytes() / sizeof(std::complex<float>));
  source.read(x.data(), source.size_bytes());
  return x;
}

class cuda_graph : public ::testing::TestWithParam<std::vector<std::size_t>> {
 protected:
  void SetUp() override {
    for (const auto& each : devices()) {
      if (each.runs_on == engine::cuda) return;
    }
    GTEST_SKIP() << "no CUDA device here";
  }
};

TEST_P(cuda_graph, records_a_run_and_replays_it_on_new_data) {
  const auto cuda = graphs::opened();
  void* context = nullptr;
  void* stream = nullptr;
  ASSERT_EQ(cuda.retain(&context, 0), 0);
  ASSERT_EQ(cuda.make_current(context), 0);
  ASSERT_EQ(cuda.create_stream(&stream, 1), 0);
  queue on = queue::from_cuda_stream(stream);
  const plan_spec spec{.lengths = GetParam(), .batch = 3};
  const plan planned{on, spec};
  buffer in{on, input_bytes(spec)}, out{on, output_bytes(spec)};
  buffer scratch{on, planned.workspace_bytes() + 256};

  void* graph = nullptr;
  void* runnable = nullptr;
  ASSERT_EQ(cuda.begin(stream, /*thread-local*/ 1), 0);
  planned.enqueue(on, in.view(), out.view(), scratch.view());
  ASSERT_EQ(cuda.end(stream, &graph), 0) << "the run was not captured";
  ASSERT_EQ(cuda.instantiate(&runnable, graph, 0), 0);

  for (unsigned seed = 1; seed <= 2; ++seed) {
    const values x = noise(in.size_bytes() / 8, seed);
    put(in, x);
    planned.enqueue(on, in.view(), out.view());
    const values expected = taken(out);
    put(out, values(expected.size(), {-7, 7}));
    ASSERT_EQ(cuda.launch(runnable, stream), 0);
    ASSERT_EQ(cuda.synchronize(stream), 0);
    EXPECT_TRUE(taken(out) == expected) << "replay " << seed;
  }
}

TEST_P(cuda_graph, refuses_a_queue_that_reserved_too_little) {
  const plan_spec spec{.lengths = GetParam(), .batch = 2};
  queue first{first_device(engine::cuda)}, bare{first_device(engine::cuda)};
  const plan planned{first, spec};
  buffer in{first, input_bytes(spec)}, out{first, output_bytes(spec)};
  if (planned.workspace_bytes() == 0) {
    EXPECT_NO_THROW(planned.enqueue(bare, in.view(), out.view()));
  } else {
    EXPECT_THROW(planned.enqueue(bare, in.view(), out.view()), plan_error);
  }
}

using lengths = std::vector<std::size_t>;
INSTANTIATE_TEST_SUITE_P(one_of_each_kind_of_program, cuda_graph,
                         ::testing::Values(lengths{1024}, lengths{1 << 15}, lengths{1 << 18},
                                           lengths{1 << 21}, lengths{512, 512},
                                           lengths{64, 64, 64}));

}  // namespace
