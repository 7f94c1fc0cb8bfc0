// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Oracle: the arithmetic of each kernel below, done on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>  // mkdtemp
#include <filesystem>
#include <numeric>  // iota
#include <thread>

#include "backend/cuda/context.hpp"  // entered
#include "backend/cuda/engine.hpp"
#include "backend/cuda/kernel.hpp"
#include "backend/cuda/queue.hpp"
#include "support/refusal.hpp"  // message_of

namespace {

using namespace wingbeat;
using backend::kernel_source;
using test::message_of;
using ::testing::HasSubstr;
namespace cuda = backend::cuda;

/// out[out_first + i] = 2 in[in_first + i] + table[0], each workgroup's 256 floats turned round.
const kernel_source turns{.text = R"(
extern "C" __global__ void __launch_bounds__(256)
turns(const float* in, float* out, const float* table, unsigned long long in_first,
      unsigned long long out_first, unsigned long long batch) {
  extern __shared__ float scratch[];
  const unsigned long long first = 256ull * blockIdx.x;
  if (blockIdx.x < batch) scratch[threadIdx.x] = in[in_first + first + threadIdx.x];
  __syncthreads();
  if (blockIdx.x < batch) {
    out[out_first + first + threadIdx.x] = 2 * scratch[255 - threadIdx.x] + table[0];
  }
})",
                          .entry = "turns",
                          .threads = 256,
                          .scratch_bytes = 1024};

const kernel_source indexes_its_stack{.text = R"(
extern "C" __global__ void indexes_its_stack(const int* in, int* out) {
  int x[64];
  for (int i = 0; i < 64; ++i) x[i] = in[i];
  for (int i = 0; i < 64; ++i) out[i] = x[x[i] & 63];
})",
                                      .entry = "indexes_its_stack"};

const cuda::driver_api& driver() {
  static const std::vector<std::string> names{"libcuda.so.1"};
  static const cuda::driver_api api = cuda::open_driver(names).api;
  return api;
}

/// The engine on this machine's driver, with a cache of the test's own.
class cuda_on_a_gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto& cuda_engine = backend::cuda_engine();
    if (cuda_engine.devices().empty()) GTEST_SKIP() << cuda_engine.why_absent();
    on_ = cuda_engine.open(cuda_engine.devices().front());
  }

  cuda::kernel_compiler compiler(backend::kernel_cache& cache) const {
    return {driver(), cuda::process_nvrtc().api, "test", cache};
  }

  backend::queue& on() const { return *on_; }

  /// Launches `turns` over `n_groups` and expects the whole output right.
  void expect_turned(const backend::kernel& loaded, backend::queue& queue, int n_groups) const;

  backend::kernel_cache cache_{{}};
  std::shared_ptr<backend::queue> on_;
};

/// Device memory of one test.
class floats {
 public:
  floats(backend::queue& on, std::size_t n) : on_(on), n_(n), handle_(on.allocate(4 * n)) {}
  floats(const floats&) = delete;
  floats& operator=(const floats&) = delete;
  ~floats() { on_.release(handle_); }
  [[nodiscard]] buffer_view view() const { return {handle_, 0, 4 * n_}; }

 private:
  backend::queue& on_;
  std::size_t n_;
  void* handle_;
};

void cuda_on_a_gpu::expect_turned(const backend::kernel& loaded, backend::queue& queue,
                                  int n_groups) const {
  const std::size_t n = 256 * static_cast<std::size_t>(n_groups);
  std::vector<float> x(n + 5), y(n + 3, -1);
  std::iota(x.begin(), x.end(), 0.f);
  const float offset = 0.5f;
  const floats in{queue, n + 5}, out{queue, n + 3}, table{queue, 1};
  queue.write(in.view(), x.data());
  queue.write(out.view(), y.data());
  queue.write(table.view(), &offset);
  loaded.launch(queue, static_cast<std::size_t>(n_groups),
                backend::transform_arguments{in.view(), out.view(), table.view(), 5, 3,
                                             static_cast<std::uint64_t>(n_groups)}
                    .list());
  queue.read(y.data(), out.view());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(y[i], -1) << "before out_first";
  int n_wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t turned = i / 256 * 256 + 255 - i % 256;
    n_wrong += y[3 + i] != 2 * x[5 + turned] + offset;
  }
  EXPECT_EQ(n_wrong, 0);
}

TEST_F(cuda_on_a_gpu, describes_the_device) {
  const auto& info = on().device();
  EXPECT_FALSE(info.name.empty());
  EXPECT_TRUE(info.architecture.starts_with("sm_")) << info.architecture;
  EXPECT_GT(info.memory_bytes, 1u << 30);
  EXPECT_GE(info.local_memory_bytes, 48u * 1024);
  EXPECT_EQ(info.max_workgroup, 1024u);
  EXPECT_GT(info.compute_units, 1u);
  EXPECT_THAT(info.version, HasSubstr("NVRTC"));
}

TEST_F(cuda_on_a_gpu, copies_there_and_back) {
  std::vector<float> x(1'000'003), y(x.size());
  std::iota(x.begin(), x.end(), 0.f);
  const floats array{on(), x.size()};
  on().write(array.view(), x.data());
  on().read(y.data(), array.view());
  EXPECT_EQ(x, y);
  auto part = array.view();
  part.offset_bytes = 4 * 1000;
  part.size_bytes = 4 * 10;
  on().read(y.data(), part);
  EXPECT_EQ(y[0], 1000);
  EXPECT_EQ(y[10], 10) << "more was read than asked";
  on().copy({array.view().handle, 4 * 3, 4 * 2}, {array.view().handle, 4 * 2000, 4 * 2});
  on().read(y.data(), array.view());
  EXPECT_THAT(std::vector<float>(y.begin(), y.begin() + 6),
              ::testing::ElementsAre(0, 1, 2, 2000, 2001, 5));
}

TEST_F(cuda_on_a_gpu, launches_kernels) {
  const auto loaded = compiler(cache_).compile(on_, turns);
  expect_turned(*loaded, on(), 1);
  expect_turned(*loaded, on(), 70'000);
}

TEST_F(cuda_on_a_gpu, gives_a_kernel_all_local_memory) {
  auto result = turns;
  result.scratch_bytes = on().device().local_memory_bytes;
  expect_turned(*compiler(cache_).compile(on_, result), on(), 300);
}

TEST_F(cuda_on_a_gpu, serves_many_threads_and_queues) {
  const auto loaded = compiler(cache_).compile(on_, turns);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const auto& cuda_engine = backend::cuda_engine();
      const auto own = i % 2 == 0 ? on_ : cuda_engine.open(cuda_engine.devices().front());
      for (int run = 0; run < 20; ++run) expect_turned(*loaded, *own, 100 + i);
    });
  }
  for (auto& each : threads) each.join();
}

TEST_F(cuda_on_a_gpu, measures_between_marks) {
  const auto loaded = compiler(cache_).compile(on_, turns);
  const floats in{on(), 256 * 100'000}, out{on(), 256 * 100'000}, table{on(), 1};
  const auto first = on().record();
  for (int run = 0; run < 20; ++run) {
    loaded->launch(
        on(), 100'000,
        backend::transform_arguments{in.view(), out.view(), table.view(), 0, 0, 100'000}.list());
  }
  const auto second = on().record();
  // 20 runs move 4 GB: more than 0.1 ms on any device, less than 10 s.
  EXPECT_GT(second->seconds_since(*first), 1e-4);
  EXPECT_LT(second->seconds_since(*first), 10);
}

TEST_F(cuda_on_a_gpu, tells_what_a_kernel_takes) {
  const auto light = compiler(cache_).compile(on_, turns)->resources();
  EXPECT_EQ(light.name, "turns");
  EXPECT_EQ(light.threads, 256);
  EXPECT_GT(light.registers, 0);
  EXPECT_EQ(light.spill_bytes, 0);
  EXPECT_EQ(light.stack_bytes, 0);
  EXPECT_GE(light.scratch_bytes, 1024);
  const auto heavy = compiler(cache_).compile(on_, indexes_its_stack)->resources();
  EXPECT_EQ(heavy.spill_bytes, 0);
  EXPECT_GE(heavy.stack_bytes, 256);
}

TEST_F(cuda_on_a_gpu, loads_a_kernel_from_disk_with_its_figures) {
  std::string folder = std::filesystem::temp_directory_path() / "wingbeat-cuda-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  backend::kernel_cache cold{folder};
  const auto first = compiler(cold).compile(on_, turns)->resources();
  EXPECT_FALSE(std::filesystem::is_empty(folder));
  backend::kernel_cache warm{folder};
  const auto loaded = compiler(warm).compile(on_, turns);
  expect_turned(*loaded, on(), 10);
  EXPECT_EQ(loaded->resources().registers, first.registers);
  EXPECT_EQ(loaded->resources().spill_bytes, 0);
  std::filesystem::remove_all(folder);
}

TEST_F(cuda_on_a_gpu, refuses_more_memory_than_there_is) {
  const std::size_t too_much = 2 * on().device().memory_bytes;
  EXPECT_THAT(message_of([&] { static_cast<void>(on().allocate(too_much)); }),
              HasSubstr("bytes were asked for"));
  EXPECT_THAT(message_of([&] { static_cast<void>(on().allocate(std::size_t{1} << 62)); }),
              HasSubstr("bytes were asked for"));
  expect_turned(*compiler(cache_).compile(on_, turns), on(), 1);  // and carries on
}

TEST_F(cuda_on_a_gpu, adopts_a_stream_and_leaves_it_to_its_owner) {
  const auto& api = driver();
  const auto& cuda_engine = backend::cuda_engine();
  EXPECT_THAT(message_of([&] { static_cast<void>(cuda_engine.adopt(nullptr)); }),
              HasSubstr("no current CUDA context"));
  const auto context = cuda::cuda_queue(on()).context();
  cuda::stream_handle stream = nullptr;
  std::shared_ptr<backend::queue> adopted, by_default;
  {
    const cuda::entered entered{api, context};
    ASSERT_EQ(api.stream_create(&stream, cuda::stream_non_blocking, cuda::usual_priority),
              cuda::success);
    adopted = cuda_engine.adopt(stream);
    by_default = cuda_engine.adopt(nullptr);
  }
  EXPECT_EQ(adopted->device().name, on().device().name);
  const auto loaded = compiler(cache_).compile(adopted, turns);
  for (auto* each : {adopted.get(), by_default.get(), &on()}) expect_turned(*loaded, *each, 50);
  adopted.reset();
  const cuda::entered entered{api, context};
  EXPECT_EQ(api.stream_synchronize(stream), cuda::success) << "the stream was destroyed";
  EXPECT_EQ(api.stream_destroy(stream), cuda::success);
}

TEST_F(cuda_on_a_gpu, survives_objects_with_static_storage) {
  // Destroyed after main, when the driver may have shut down: this must not crash the program.
  static const auto last = on_;
  static const auto last_kernel = compiler(cache_).compile(on_, turns);
  static const auto last_mark = last->record();
  last->reserve(1000);
}

}  // namespace
