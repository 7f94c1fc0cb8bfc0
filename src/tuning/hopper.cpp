// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs. Chosen by measurement on an H200: see bench/NOTES.md.
#include "tuning/tuning.hpp"

namespace wingbeat::tuning {
namespace {

// log2 length, elements a thread, transforms a workgroup, half trade, stage in, stage out
constexpr shape fp32_whole[] = {
    {0, 1, 256}, {1, 2, 256},
    {2, 2, 64},  {3, 8, 64, false, true, true},
    {4, 4, 16},  {5, 8, 16, false, true, true},
    {6, 4, 8},   {7, 4, 4},
    {8, 8, 8},   {9, 16, 8},
    {10, 16, 2}, {11, 8, 1},
    {12, 8, 1},  {13, 32, 1},
    {14, 32, 1},
};
constexpr shape fp64_whole[] = {
    {0, 1, 256},
    {1, 2, 128, false, true, true},
    {2, 2, 64},
    {3, 2, 32},
    {4, 4, 16, false, true, true},
    {5, 4, 8, false, true, true},
    {6, 4, 8},
    {7, 4, 4},
    {8, 8, 4},
    {9, 8, 8},
    {10, 16, 4},
    {11, 16, 1},
    {12, 16, 1},
    {13, 16, 1},
};
// log2 length, elements a thread, neighbouring columns a workgroup
constexpr column_shape fp32_columns[] = {
    {6, 8, 16}, {7, 8, 16}, {8, 16, 16}, {9, 16, 16}, {10, 16, 8}, {11, 16, 8}, {12, 16, 4},
};
constexpr column_shape fp64_columns[] = {
    {6, 8, 8}, {7, 8, 8}, {8, 8, 8}, {9, 8, 4}, {10, 8, 4}, {11, 8, 2}, {12, 8, 1},
};

// log2 length, log2 first, elements a thread, workgroups a cluster
constexpr cluster_shape fp32_lines[] = {
    {15, 7, 16, 8, 1, false, 4},
    {16, 8, 16, 16, 1, false, 4},
    {17, 8, 16, 16, 1, false, 2},
};
constexpr chain_rule fp32_chain{std::size_t{1} << 21, std::size_t{1} << 21, std::size_t{1} << 23,
                                3};

constexpr std::span whole_of_fp64{fp64_whole};

}  // namespace

const architecture& hopper() {
  static constexpr architecture data{
      "hopper",
      128,
      {fp32_whole, {}, fp32_columns, fp32_lines, {}, {}, {}, fp32_chain},
      {fp64_whole, {}, fp64_columns}};
  return data;
}

const architecture& ampere() {
  // Not measured: Hopper's shapes, but for fp64 2^13, which spills 8 bytes on sm_80.
  static constexpr architecture data{
      "ampere", 128, {fp32_whole, {}, fp32_columns}, {whole_of_fp64.first<13>(), {}, fp64_columns}};
  return data;
}

}  // namespace wingbeat::tuning
