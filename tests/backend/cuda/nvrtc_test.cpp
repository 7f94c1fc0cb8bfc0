// SPDX-License-Identifier: Apache-2.0
// Oracle: kernels written to be plain, to spill, to index their stack, or to be wrong.
#include "backend/cuda/nvrtc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/refusal.hpp"  // message_of
#include "wingbeat/error.hpp"

namespace {

using namespace wingbeat::backend;
using namespace wingbeat::backend::cuda;
using ::testing::HasSubstr;

const kernel_source doubles{.text = R"(
extern "C" __global__ void __launch_bounds__(256)
doubles(const float* in, float* out) {
  extern __shared__ float scratch[];
  scratch[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = 2 * scratch[255 - threadIdx.x];
})",
                            .entry = "doubles",
                            .threads = 256,
                            .scratch_bytes = 1024};

/// 96 live values in the 32 registers that two workgroups of 1024 threads leave each thread.
const kernel_source spills{.text = R"(
extern "C" __global__ void __launch_bounds__(1024, 2) spills(const float* in, float* out) {
  float x[96];
  for (int i = 0; i < 96; ++i) x[i] = in[i * 1024 + threadIdx.x];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 96; ++i) x[i] = x[i] * x[(i * 7 + 5) % 96] + x[(i + 31) % 96];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 96; ++i) out[i * 1024 + threadIdx.x] = x[i];
})",
                           .entry = "spills",
                           .threads = 1024};

const kernel_source indexes_its_stack{.text = R"(
extern "C" __global__ void indexes_its_stack(const int* in, int* out) {
  int x[64];
  for (int i = 0; i < 64; ++i) x[i] = in[i];
  for (int i = 0; i < 64; ++i) out[i] = x[x[i] & 63];
})",
                                      .entry = "indexes_its_stack"};

const kernel_source wrong{.text = "extern \"C\" __global__ void wrong() { no_such_name = 1; }",
                          .entry = "wrong"};

std::string message_of(const kernel_source& source, std::string_view architecture) {
  return wingbeat::test::message_of([&] { static_cast<void>(compile_for(source, architecture)); });
}

class nvrtc : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!process_nvrtc().problem.empty()) GTEST_SKIP() << process_nvrtc().problem;
  }
};

TEST_P(nvrtc, compiles_to_machine_code_with_its_figures) {
  const auto compiled = compile_for(doubles, GetParam());
  EXPECT_EQ(compiled.target, GetParam());
  EXPECT_THAT(std::string(compiled.binary.data(), 4), "\177ELF");
  EXPECT_GT(compiled.figures.registers, 0);
  EXPECT_LE(compiled.figures.registers, 255);
  EXPECT_EQ(compiled.figures.spill_bytes, 0);
  EXPECT_EQ(compiled.figures.stack_bytes, 0);
}

TEST_P(nvrtc, tells_when_registers_go_to_memory) {
  const auto compiled = compile_for(spills, GetParam());
  EXPECT_LE(compiled.figures.registers, 32);
  EXPECT_GE(compiled.figures.spill_bytes, 4 * (96 - 32));
  EXPECT_GE(compiled.figures.stack_bytes, 4 * (96 - 32));
}

TEST_P(nvrtc, tells_the_stack_that_no_register_spilled_to) {
  const auto compiled = compile_for(indexes_its_stack, GetParam());
  EXPECT_EQ(compiled.figures.spill_bytes, 0);
  EXPECT_EQ(compiled.figures.stack_bytes, 256);
}

INSTANTIATE_TEST_SUITE_P(architectures, nvrtc, ::testing::Values("sm_80", "sm_90", "sm_100"));

TEST_F(nvrtc, quotes_the_compilers_log) {
  const auto message = message_of(wrong, "sm_90");
  EXPECT_THAT(message, HasSubstr("could not compile the kernel 'wrong' for sm_90"));
  EXPECT_THAT(message, HasSubstr("\"no_such_name\" is undefined"));
}

TEST_F(nvrtc, gives_ptx_to_a_device_later_than_it_knows) {
  const auto compiled = compile_for(doubles, "sm_999");
  EXPECT_TRUE(compiled.target.starts_with("compute_")) << compiled.target;
  EXPECT_THAT(std::string(compiled.binary.data()), HasSubstr(".entry doubles("));
  EXPECT_EQ(compiled.binary.back(), '\0') << "the driver reads PTX up to its end mark";
  EXPECT_EQ(compiled.figures.registers, -1);
}

TEST_F(nvrtc, refuses_a_device_earlier_than_it_knows) {
  EXPECT_THROW(static_cast<void>(compile_for(doubles, "sm_10")), wingbeat::device_error);
  EXPECT_THAT(message_of(doubles, "sm_10"), HasSubstr("install an earlier NVRTC"));
}

TEST_F(nvrtc, refuses_a_word_that_is_no_architecture) {
  for (const auto* word : {"", "90", "sm_", "sm_x", "hopper"}) {
    EXPECT_THROW(static_cast<void>(compile_for(doubles, word)), wingbeat::plan_error) << word;
  }
}

TEST_F(nvrtc, keys_differ_in_all_a_kernel_depends_on) {
  const auto& api = process_nvrtc().api;
  const auto text_of = [&](const kernel_source& source, const char* architecture) {
    const auto key = key_of(api, source, architecture, "13.0");
    return key.source + key.options + key.compiler + key.driver + key.architecture;
  };
  auto renamed = doubles;
  renamed.entry = "doubled";
  EXPECT_EQ(text_of(doubles, "sm_90"), text_of(doubles, "sm_90"));
  EXPECT_NE(text_of(doubles, "sm_90"), text_of(doubles, "sm_80"));
  EXPECT_NE(text_of(doubles, "sm_90"), text_of(spills, "sm_90"));
  EXPECT_NE(text_of(doubles, "sm_90"), text_of(renamed, "sm_90"));
}

const compile_report known{"sm_90", {40, 8, 16, 128}, {'c', 'u', 'b', 'i', 'n'}};

TEST(cache_entry, comes_back_as_it_was_stored) {
  const auto back = unpacked(packed(known));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->target, "sm_90");
  EXPECT_EQ(back->binary, known.binary);
  EXPECT_EQ(back->figures.registers, 40);
  EXPECT_EQ(back->figures.spill_bytes, 8);
  EXPECT_EQ(back->figures.stack_bytes, 16);
  EXPECT_EQ(back->figures.static_scratch_bytes, 128);
}

TEST(cache_entry, is_nothing_when_cut_short_lengthened_or_foreign) {
  const auto whole = packed(known);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(unpacked({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)})) << n;
  }
  auto longer = whole;
  longer.push_back('x');
  EXPECT_FALSE(unpacked(longer));
  auto foreign = whole;
  foreign[0] = 'x';
  EXPECT_FALSE(unpacked(foreign));
  EXPECT_FALSE(unpacked(std::vector<char>(200, '\xff')));
}

}  // namespace
