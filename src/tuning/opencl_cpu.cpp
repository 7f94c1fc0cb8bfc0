// SPDX-License-Identifier: Apache-2.0
// OpenCL on a CPU (PoCL): few, fat work-items, since each barrier splits the kernel into loops.
#include "tuning/tuning.hpp"

namespace wingbeat::tuning {
namespace {

constexpr shape fp32_whole[] = {
    {0, 1, 64}, {1, 2, 64}, {2, 4, 64}, {3, 8, 64}, {4, 16, 64}, {5, 32, 64},
    {6, 8, 2},  {7, 16, 2}, {8, 16, 1}, {9, 32, 1}, {10, 32, 1},
};
constexpr shape fp64_whole[] = {
    {0, 1, 64}, {1, 2, 64}, {2, 4, 64}, {3, 8, 64}, {4, 16, 16}, {5, 32, 16},
    {6, 8, 2},  {7, 16, 2}, {8, 16, 1}, {9, 32, 1}, {10, 16, 1}, {11, 8, 1},
};
constexpr column_shape fp32_columns[] = {
    {5, 8, 32}, {6, 8, 32}, {7, 16, 16}, {8, 16, 8}, {9, 16, 8}, {10, 32, 8},
};
constexpr column_shape fp64_columns[] = {
    {5, 8, 32}, {6, 8, 16}, {7, 16, 8}, {8, 16, 8}, {9, 8, 4}, {10, 16, 16},
};

// Beyond these, tiles of columns outgrow the caches next to a core.
constexpr cut cuts[] = {{15, 5, 5}, {16, 6, 5}, {17, 6, 6}, {18, 6, 6}, {19, 7, 6},
                        {20, 7, 7}, {21, 7, 7}, {22, 8, 7}, {23, 8, 8}, {24, 8, 8}};

}  // namespace

const architecture& opencl_cpu() {
  static constexpr architecture data{"opencl-cpu",
                                     0,
                                     {.rows = {fp32_whole, {}, cuts}, .columns = fp32_columns},
                                     {.rows = {fp64_whole, {}, cuts}, .columns = fp64_columns}};
  return data;
}

}  // namespace wingbeat::tuning
