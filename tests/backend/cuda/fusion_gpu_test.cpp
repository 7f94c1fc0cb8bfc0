// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Timeout: 600
// Functors in the kernels of the cuda engine, on a GPU, and what NVRTC says of wrong ones.
#include <gmock/gmock.h>

#include "backend/fused_text_check.hpp"  // check_messages
#include "backend/fusion_check.hpp"      // check_fused

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using cuda_fusion_gpu = compiled_plan<engine::cuda>;

TEST_F(cuda_fusion_gpu, agrees_with_long_double_in_one_pass) {
  for (const std::size_t n : {2, 16, 64, 1024}) check_fused(*on, n, 17);
  for (const std::size_t n : {4, 8, 32, 128, 256, 512, 2048, 8192}) check_fused(*on, n, 3);
  check_fused(*on, 4096, 1, scaling::by_length);
}

TEST_F(cuda_fusion_gpu, agrees_with_long_double_in_two_and_three_launches) {
  check_fused(*on, std::size_t{1} << 16, 3);
}

TEST_F(cuda_fusion_gpu, agrees_with_long_double_at_odd_lengths) {
  for (const std::size_t n : {3, 45, 225, 1001}) check_fused(*on, n, 17);
  check_fused(*on, 59049, 3);
  for (const std::size_t n : {225, 6561, 59049}) check_one_end(*on, n, 3);
}

TEST_F(cuda_fusion_gpu, leaves_the_other_end_plain) {
  check_one_end(*on, 64, 3);
  check_one_end(*on, std::size_t{1} << 16, 1);
}

TEST_F(cuda_fusion_gpu, tells_the_line_that_is_wrong) {
  check_messages(*on);
}

TEST_F(cuda_fusion_gpu, takes_other_parameters_without_another_kernel) {
  check_parameters(*on);
}

}  // namespace
