// SPDX-License-Identifier: Apache-2.0
// OpenCL on a CPU (PoCL): few, fat work-items, since each barrier splits the kernel into loops.
#include "tuning/tuning.hpp"

namespace wingbeat::tuning {
namespace {

constexpr shape fp32_whole[] = {
    {0, 1, 64},  {1, 2, 64},  {2, 4, 64},  {3, 8, 64},  {4, 16, 64}, {5, 16, 32},
    {6, 16, 16}, {7, 16, 8},  {8, 16, 4},  {9, 16, 4},  {10, 16, 2}, {11, 16, 1},
    {12, 16, 1}, {13, 16, 1}, {14, 16, 1}, {15, 16, 1},
};
constexpr shape fp64_whole[] = {
    {0, 1, 64},  {1, 2, 64},  {2, 4, 64},  {3, 8, 64},  {4, 16, 32},
    {5, 16, 16}, {6, 16, 8},  {7, 16, 4},  {8, 16, 4},  {9, 16, 2},
    {10, 16, 1}, {11, 16, 1}, {12, 16, 1}, {13, 16, 1}, {14, 16, 1},
};
constexpr column_shape fp32_columns[] = {
    {5, 16, 16}, {6, 16, 16},  {7, 16, 16}, {8, 16, 16},
    {9, 16, 16}, {10, 16, 16}, {11, 16, 8}, {12, 16, 8},
};
constexpr column_shape fp64_columns[] = {
    {5, 16, 8}, {6, 16, 8},  {7, 16, 8},  {8, 16, 8},
    {9, 16, 8}, {10, 16, 8}, {11, 16, 8}, {12, 16, 8},
};

}  // namespace

const architecture& opencl_cpu() {
  static constexpr architecture data{"opencl-cpu",
                                     0,
                                     {.whole = fp32_whole, .columns = fp32_columns},
                                     {.whole = fp64_whole, .columns = fp64_columns}};
  return data;
}

}  // namespace wingbeat::tuning
