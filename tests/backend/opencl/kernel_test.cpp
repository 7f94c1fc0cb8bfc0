// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Kernels in the dialect of the device headers, compiled and launched on the OpenCL of this
// machine.
#include "backend/opencl/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "backend/opencl/here.hpp"     // opencl_here
#include "backend/opencl/program.hpp"  // build_program
#include "support/oracle.hpp"          // dft_by_definition
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // is_accurate
#include "wingbeat/error.hpp"          // plan_error, device_error

namespace {

using ::testing::HasSubstr;
using namespace wingbeat::test;
using namespace wingbeat::backend;
using wingbeat::buffer_view;

using opencl_kernel = opencl_here;

// Each thread transforms eight neighbouring values in its registers.
const char dft_of_8[] = R"(
#include "wingbeat/device/thread/dft.hpp"
using namespace wingbeat::device;
static_assert(sizeof(complex<float>) == 8, "two adjacent reals");
struct policy { static constexpr unsigned length = 8; };
template <class Policy, class Load, class Store>
void transform(Load load, Store store) {
  complex<float> x[Policy::length];
  WINGBEAT_UNROLL
  for (unsigned j = 0; j < Policy::length; ++j) x[j] = load(j);
  thread::dft<direction::forward>(x);
  WINGBEAT_UNROLL
  for (unsigned k = 0; k < Policy::length; ++k) store(k, x[k]);
}
kernel void entry(global const complex<float>* in, global complex<float>* out,
                  global const float* table, ulong in_first, ulong out_first, ulong batch,
                  local char* scratch) {
  const ulong row = get_global_id(0);
  if (row >= batch) return;
  transform<policy>([=](unsigned j) { return in[in_first + 8 * row + j]; },
                    [=](unsigned k, complex<float> z) { out[out_first + 8 * row + k] = z; });
})";

// Each workgroup sums its values by halves in local memory, with a barrier after each.
const char sums[] = R"(
kernel void entry(global const float* in, global float* out, global const float* table,
                  ulong in_first, ulong out_first, ulong batch, local char* scratch) {
  if (batch == 0) return;
  local float* const held = reinterpret_cast<local float*>(scratch);
  const unsigned n = get_local_size(0), t = get_local_id(0);
  held[t] = in[in_first + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (unsigned half_n = n / 2; half_n > 0; half_n /= 2) {
    if (t < half_n) held[t] += held[t + half_n];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[out_first + get_group_id(0)] = held[0];
})";

std::vector<float> reals_of(const std::vector<complex<float>>& x) {
  std::vector<float> values;
  for (const auto& z : x) values.insert(values.end(), {z.re, z.im});
  return values;
}

TEST_F(opencl_kernel, transforms_in_registers) {
  constexpr std::size_t rows = 60, first = 3;
  const auto x = noise<float>(8 * rows + first, /*seed=*/1);
  const auto in = filled(reals_of(x));
  const auto out = filled(std::vector<float>(2 * (8 * rows + 1), -9));
  compiled(dft_of_8, 16)
      ->launch(
          *queue, 4,
          transform_arguments{
              .in = in, .out = out, .table = in, .in_first = first, .out_first = 1, .batch = rows}
              .list());
  const auto got = content(out);
  EXPECT_EQ(got[0], -9) << "what lies before out_first is not ours";
  for (std::size_t row = 0; row < rows; ++row) {
    const auto row_begin = x.begin() + first + 8 * row;
    const auto expected =
        dft_by_definition(std::vector(row_begin, row_begin + 8), direction::forward);
    std::vector<complex<float>> y(8);
    for (std::size_t k = 0; k < 8; ++k) {
      y[k] = {got[2 * (1 + 8 * row + k)], got[2 * (1 + 8 * row + k) + 1]};
    }
    ASSERT_TRUE(is_accurate<float>(y, expected, 8)) << "row " << row;
  }
}

// Local memory that were shared between workgroups would make these sums randomly wrong.
TEST_F(opencl_kernel, gives_each_workgroup_its_own_local_memory) {
  constexpr std::size_t threads = 64, workgroups = 500;
  std::vector<float> values(threads * workgroups);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 977);
  const auto in = filled(values), out = room(workgroups);
  const auto sum = compiled(sums, threads, threads * sizeof(float));
  for (int run = 0; run < 20; ++run) {
    sum->launch(*queue, workgroups, transform_arguments{.in = in, .out = out, .table = in}.list());
    const auto got = content(out);
    for (std::size_t g = 0; g < workgroups; ++g) {
      float expected = 0;
      for (std::size_t t = 0; t < threads; ++t) expected += values[threads * g + t];
      ASSERT_EQ(got[g], expected) << "workgroup " << g;
    }
  }
}

TEST_F(opencl_kernel, launches_from_many_threads_at_once) {
  constexpr std::size_t threads = 16, workgroups = 4, n_callers = 8;
  const auto sum = compiled(sums, threads, threads * sizeof(float));
  std::vector<buffer_view> in, out;
  for (std::size_t c = 0; c < n_callers; ++c) {
    in.push_back(filled(std::vector<float>(threads * workgroups, static_cast<float>(c + 1))));
    out.push_back(room(workgroups));
  }
  std::vector<std::thread> callers;
  for (std::size_t c = 0; c < n_callers; ++c) {
    callers.emplace_back([&, c] {
      const auto own = c % 2 == 0 ? queue : engine.open(info);
      for (int i = 0; i < 200; ++i) {
        sum->launch(*own, workgroups,
                    transform_arguments{.in = in[c], .out = out[c], .table = in[c]}.list());
      }
      own->wait();
    });
  }
  for (auto& each : callers) each.join();
  for (std::size_t c = 0; c < n_callers; ++c) {
    EXPECT_EQ(content(out[c]),
              std::vector<float>(workgroups, static_cast<float>(threads * (c + 1))));
  }
}

TEST_F(opencl_kernel, compiles_from_many_threads_at_once) {
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&, c] {
      const auto text = std::string(sums) + "// " + std::to_string(c / 2) + "\n";
      EXPECT_EQ(compiled(text, 8, 32)->resources().threads, 8);
    });
  }
  for (auto& each : callers) each.join();
}

TEST_F(opencl_kernel, tells_its_resources) {
  const auto told = compiled(sums, 64, 256)->resources();
  EXPECT_EQ(told.name, "entry");
  EXPECT_EQ(told.threads, 64);
  EXPECT_GE(told.scratch_bytes, 256);
  EXPECT_EQ(told.registers, -1);
  EXPECT_EQ(told.spill_bytes, -1);
  EXPECT_EQ(told.stack_bytes, -1);
}

TEST_F(opencl_kernel, shows_the_line_of_a_mistake) {
  try {
    (void)compiled("#include \"wingbeat/device/complex.hpp\"\n\nthis is wrong;\n", 1);
    FAIL();
  } catch (const wingbeat::device_error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("test_kernel.cl:3:"));
  }
}

TEST_F(opencl_kernel, is_refused_when_it_does_not_fit) {
  EXPECT_THROW((void)compiled(sums, 1u << 20), wingbeat::device_error);
  EXPECT_THROW((void)compiled(sums, 8, info.local_memory_bytes + 1), wingbeat::device_error);
  EXPECT_THROW((void)engine.compile(queue, {.text = sums, .entry = "exit"}),
               wingbeat::device_error);
}

TEST_F(opencl_kernel, refuses_a_queue_of_another_engine) {
  class other_queue final : public wingbeat::backend::queue {
   public:
    other_queue() : queue(wingbeat::device_info{}) {}
    void* allocate(std::size_t) override { return nullptr; }
    void release(void*) noexcept override {}
    void write(buffer_view, const void*) override {}
    void read(void*, buffer_view) override {}
    void wait() override {}
    std::unique_ptr<mark> record() override { return nullptr; }
  } other;
  EXPECT_THROW(compiled(sums, 8)->launch(other, 1, {}), wingbeat::plan_error);
}

TEST_F(opencl_kernel, finds_its_bitcode_in_the_cache) {
  (void)compiled(sums, 8, 32);
  const auto n_entries =
      std::distance(std::filesystem::directory_iterator{directory / "cache"}, {});
  EXPECT_EQ(n_entries, 1) << "PoCL keeps its own binary";
  kernel_cache reread{directory / "cache"};
  const opencl::kernel_compiler later{opened.api, reread};
  EXPECT_EQ(later.compile(queue, source_of(sums, 8, 32))->resources().threads, 8);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{directory / "cache"}, {}), n_entries);
}

// The route of other drivers, which keep no binaries of their own: PoCL takes it too.
TEST_F(opencl_kernel, runs_from_the_drivers_own_binary) {
  auto& ours = dynamic_cast<opencl::queue&>(*queue);
  opencl::device as_others = ours.driver_device();
  as_others.is_pocl = false;
  opencl::queue other{opened.api, as_others, ours.context()};
  const kernel_source source = source_of(sums, 16, 64);
  const auto in = filled(std::vector<float>(32, 1)), out = room(2);
  for (int i = 0; i < 2; ++i) {
    auto program = opencl::build_program(opened.api, as_others, ours.context(), source, cache);
    const opencl::kernel compiled{opened.api, other, std::move(program), source};
    compiled.launch(other, 2, transform_arguments{.in = in, .out = out, .table = in}.list());
    other.wait();  // content() reads on another queue
    EXPECT_EQ(content(out), (std::vector<float>{16, 16}));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{directory / "cache"}, {}), 2);
}

}  // namespace
