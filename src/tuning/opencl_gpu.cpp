// SPDX-License-Identifier: Apache-2.0
// OpenCL GPUs, not measured: shapes for 32 KiB of local memory and workgroups of 256.
#include "tuning/tuning.hpp"

namespace wingbeat::tuning {
namespace {

// A shape takes one line.
// clang-format off
constexpr shape fp32_whole[] = {
    {.length = 1, .elements = 1, .lanes = 256},
    {.length = 2, .elements = 2, .lanes = 256},
    {.length = 4, .elements = 4, .lanes = 128},
    {.length = 8, .elements = 8, .lanes = 64},
    {.length = 16, .elements = 8, .lanes = 32},
    {.length = 32, .elements = 8, .lanes = 32},
    {.length = 64, .elements = 8, .lanes = 16},
    {.length = 128, .elements = 8, .lanes = 16},
    {.length = 256, .elements = 8, .lanes = 4},
    {.length = 512, .elements = 8, .lanes = 2},
    {.length = 1024, .elements = 8},
    {.length = 2048, .elements = 8},
    {.length = 4096, .elements = 16, .half_trade = true},
};
constexpr shape fp64_whole[] = {
    {.length = 1, .elements = 1, .lanes = 256},
    {.length = 2, .elements = 2, .lanes = 128},
    {.length = 4, .elements = 4, .lanes = 64},
    {.length = 8, .elements = 8, .lanes = 64},
    {.length = 16, .elements = 8, .lanes = 32},
    {.length = 32, .elements = 8, .lanes = 16},
    {.length = 64, .elements = 8, .lanes = 8},
    {.length = 128, .elements = 8, .lanes = 4},
    {.length = 256, .elements = 8, .lanes = 4},
    {.length = 512, .elements = 8, .lanes = 2},
    {.length = 1024, .elements = 8},
    {.length = 2048, .elements = 8, .half_trade = true},
};
constexpr shape fp32_columns[] = {
    {.length = 32, .elements = 8, .lanes = 16},
    {.length = 64, .elements = 8, .lanes = 8},
    {.length = 128, .elements = 8, .lanes = 8},
    {.length = 256, .elements = 8, .lanes = 8},
    {.length = 512, .elements = 16, .lanes = 4},
};
constexpr shape fp64_columns[] = {
    {.length = 32, .elements = 8, .lanes = 8},
    {.length = 64, .elements = 8, .lanes = 8},
    {.length = 128, .elements = 8, .lanes = 8},
    {.length = 256, .elements = 8, .lanes = 4},
};
// clang-format on

}  // namespace

const architecture& opencl_gpu() {
  static constexpr architecture data{
      .name = "opencl-gpu",
      .bank_bytes = 128,
      .fp32 = {.rows = {.whole = fp32_whole},
               .columns = fp32_columns,
               .unmeasured_mirrored = {.most_threads = 512}},
      .fp64 = {.rows = {.whole = fp64_whole},
               .columns = fp64_columns,
               .unmeasured_mirrored = {.longest = 2048, .most_threads = 256}}};
  return data;
}

}  // namespace wingbeat::tuning
