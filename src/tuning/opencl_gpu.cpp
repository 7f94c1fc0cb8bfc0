// SPDX-License-Identifier: Apache-2.0
// OpenCL GPUs we could not measure: shapes for 32 KiB of local memory and workgroups of 256.
#include "tuning/tuning.hpp"

namespace wingbeat::tuning {
namespace {

constexpr shape fp32_whole[] = {
    {0, 1, 256}, {1, 2, 256}, {2, 4, 128}, {3, 8, 64}, {4, 8, 32}, {5, 8, 32},        {6, 8, 16},
    {7, 8, 16},  {8, 8, 4},   {9, 8, 2},   {10, 8, 1}, {11, 8, 1}, {12, 16, 1, true},
};
constexpr shape fp64_whole[] = {
    {0, 1, 256}, {1, 2, 128}, {2, 4, 64}, {3, 8, 64}, {4, 8, 32}, {5, 8, 16},
    {6, 8, 8},   {7, 8, 4},   {8, 8, 4},  {9, 8, 2},  {10, 8, 1}, {11, 8, 1, true},
};
constexpr column_shape fp32_columns[] = {
    {5, 8, 16}, {6, 8, 8}, {7, 8, 8}, {8, 8, 8}, {9, 16, 4},
};
constexpr column_shape fp64_columns[] = {
    {5, 8, 8},
    {6, 8, 8},
    {7, 8, 8},
    {8, 8, 4},
};

}  // namespace

const architecture& opencl_gpu() {
  static constexpr architecture data{"opencl-gpu",
                                     128,
                                     {.rows = {fp32_whole}, .columns = fp32_columns},
                                     {.rows = {fp64_whole}, .columns = fp64_columns}};
  return data;
}

}  // namespace wingbeat::tuning
