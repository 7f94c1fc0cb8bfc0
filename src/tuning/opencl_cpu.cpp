// SPDX-License-Identifier: Apache-2.0
// OpenCL on a CPU (PoCL): few work-items with much work each, because each barrier splits the
// kernel.
#include "tuning/tuning.hpp"

namespace wingbeat::tuning {
namespace {

// A shape takes one line.
// clang-format off
constexpr shape fp32_whole[] = {
    {.length = 1, .elements = 1, .lanes = 64},
    {.length = 2, .elements = 2, .lanes = 64},
    {.length = 4, .elements = 4, .lanes = 64},
    {.length = 8, .elements = 8, .lanes = 64},
    {.length = 16, .elements = 16, .lanes = 64},
    {.length = 32, .elements = 32, .lanes = 64},
    {.length = 64, .elements = 8, .lanes = 2},
    {.length = 128, .elements = 16, .lanes = 2},
    {.length = 256, .elements = 16},
    {.length = 512, .elements = 32},
    {.length = 1024, .elements = 32},
};
constexpr shape fp64_whole[] = {
    {.length = 1, .elements = 1, .lanes = 64},
    {.length = 2, .elements = 2, .lanes = 64},
    {.length = 4, .elements = 4, .lanes = 64},
    {.length = 8, .elements = 8, .lanes = 64},
    {.length = 16, .elements = 16, .lanes = 16},
    {.length = 32, .elements = 32, .lanes = 16},
    {.length = 64, .elements = 8, .lanes = 2},
    {.length = 128, .elements = 16, .lanes = 2},
    {.length = 256, .elements = 16},
    {.length = 512, .elements = 32},
    {.length = 1024, .elements = 16},
    {.length = 2048, .elements = 8},
};
constexpr shape fp32_columns[] = {
    {.length = 32, .elements = 8, .lanes = 32},
    {.length = 64, .elements = 8, .lanes = 32},
    {.length = 128, .elements = 16, .lanes = 16},
    {.length = 256, .elements = 16, .lanes = 8},
    {.length = 512, .elements = 16, .lanes = 8},
    {.length = 1024, .elements = 32, .lanes = 8},
};
constexpr shape fp64_columns[] = {
    {.length = 32, .elements = 8, .lanes = 32},
    {.length = 64, .elements = 8, .lanes = 16},
    {.length = 128, .elements = 16, .lanes = 8},
    {.length = 256, .elements = 16, .lanes = 8},
    {.length = 512, .elements = 8, .lanes = 4},
    {.length = 1024, .elements = 16, .lanes = 16},
};

// Longer columns' tiles outgrow the caches next to a core.
constexpr cut cuts[] = {
    {.length = 32768, .parts = {32, 32, 32}},
    {.length = 65536, .parts = {64, 32, 32}},
    {.length = 1 << 17, .parts = {64, 64, 32}},
    {.length = 1 << 18, .parts = {64, 64, 64}},
    {.length = 1 << 19, .parts = {128, 64, 64}},
    {.length = 1 << 20, .parts = {128, 128, 64}},
    {.length = 1 << 21, .parts = {128, 128, 128}},
    {.length = 1 << 22, .parts = {256, 128, 128}},
    {.length = 1 << 23, .parts = {256, 256, 128}},
    {.length = 1 << 24, .parts = {256, 256, 256}},
};
// clang-format on

}  // namespace

const architecture& opencl_cpu() {
  static constexpr architecture data{
      .name = "opencl-cpu",
      .bank_bytes = 0,
      .fp32 = {.rows = {.whole = fp32_whole, .cuts = cuts}, .columns = fp32_columns},
      .fp64 = {.rows = {.whole = fp64_whole, .cuts = cuts}, .columns = fp64_columns},
      .other_rows = {.longest = 20000, .longest_part = 128, .threads_of_workgroup = 64},
      .placing = {.result_block = 0},
      .banks = {.elements = 8}};
  return data;
}

}  // namespace wingbeat::tuning
