// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs. Chosen by measurement on an H200: see bench/NOTES.md.
#include <array>

#include "tuning/tuning.hpp"

namespace wingbeat::tuning {
namespace {

// log2 length, elements a thread, transforms a workgroup, half trade, stage in, stage out,
// fraction, resident, MiB ahead, stores once
constexpr shape fp32_whole[] = {
    {0, 1, 256, false, false, false, 0.98f},
    {1, 2, 256, false, false, false, 0.98f},
    {2, 2, 64, false, false, false, 0.98f},
    {3, 8, 64, false, true, true, 0.98f},
    {4, 4, 16, false, false, false, 0.98f},
    {5, 8, 16, false, true, true, 0.98f},
    {6, 4, 8, false, false, false, 0.99f, 0, 4},
    {7, 4, 4, false, false, false, 0.99f, 0, 2},
    {8, 4, 2, false, false, false, 0.99f, 0, 3},
    {9, 16, 8, false, false, false, 0.98f, 2, 3},
    {10, 16, 2, false, false, false, 0.98f, 3, 3},
    {11, 8, 1, true, false, false, 0.99f, 0, 4},
    {12, 8, 1, false, false, false, 0.99f, 0, 3},
    {13, 32, 1, false, false, false, 0.99f, 2, 8},
    {14, 32, 1, true, false, false, 0.95f, 1, 8, true},
};
constexpr shape fp64_whole[] = {
    {0, 1, 256, false, false, false, 0.98f},
    {1, 2, 128, false, true, true, 0.98f},
    {2, 2, 64, false, false, false, 0.98f},
    {3, 2, 32, false, false, false, 0.98f},
    {4, 4, 16, false, true, true, 0.98f},
    {5, 4, 8, false, true, true, 0.99f, 16, 6},
    {6, 4, 8, false, false, false, 0.99f, 8, 2},
    {7, 4, 4, false, false, false, 0.99f, 8, 4},
    {8, 8, 4, false, false, false, 0.99f, 3, 3},
    {9, 8, 8, false, false, false, 0.99f, 0, 4},
    {10, 16, 4, false, false, false, 0.99f, 0, 4},
    {11, 16, 1, false, false, false, 0.99f, 2, 6},
    {12, 16, 1, false, false, false, 0.99f, 0, 6},
    {13, 32, 1, true, false, false, 0.94f, 0, 8, true},
};
// Stored in 16 bits, computed in fp32: twice the elements a byte, so each exchange costs more.
constexpr shape fp16_whole[] = {
    {0, 1, 256, false, false, false, 0.98f},       {1, 2, 256, false, false, false, 0.98f},
    {2, 2, 64, false, false, false, 0.98f},        {3, 8, 64, false, true, true, 0.89f},
    {4, 4, 32, false, false, false, 0.86f},        {5, 4, 16, false, false, false, 0.7f},
    {6, 8, 32, false, false, false, 0.9f},         {7, 16, 16, false, false, false, 0.94f, 7},
    {8, 16, 8, false, false, false, 0.97f},        {9, 16, 8, false, false, false, 0.9f},
    {10, 16, 2, false, false, false, 0.91f, 0, 6}, {11, 16, 1, false, false, false, 0.85f, 0, 6},
    {12, 16, 1, false, false, false, 0.85f, 0, 6}, {13, 32, 1, false, false, false, 0.78f, 2, 6},
    {14, 32, 1, false, false, false, 0.6f, 0, 6},
};
// The same of rows of reals, by the length of the complex transform that makes their bins.
constexpr shape fp32_rows_of_reals[] = {
    {0, 1, 128, false, false, false, 0.99f},      {1, 2, 128, false, true, true, 0.99f},
    {2, 4, 128, false, true, true, 0.99f},        {3, 8, 128, false, false, true, 0.99f},
    {4, 4, 32, false, false, true, 0.98f},        {5, 4, 16, false, false, true, 0.91f, 11},
    {6, 4, 8, false, false, false, 0.97f},        {7, 4, 4, false, false, false, 0.97f, 10},
    {8, 8, 4, false, false, false, 0.95f},        {9, 8, 1, false, false, false, 0.96f, 11},
    {10, 8, 1, false, false, false, 0.96f, 9},    {11, 16, 1, true, false, false, 0.95f},
    {12, 16, 1, true, false, false, 0.95f},       {13, 32, 1, false, false, false, 0.91f, 0, 4},
    {14, 32, 1, false, false, false, 0.8f, 0, 4},
};
// And of bins that make them.
constexpr shape fp32_rows_of_bins[] = {
    {0, 1, 128, false, false, false, 0.99f},       {1, 2, 128, false, true, true, 0.99f},
    {2, 4, 128, false, true, true, 0.99f},         {3, 8, 128, false, true, true, 0.98f},
    {4, 4, 16, false, false, false, 0.97f},        {5, 4, 16, false, false, false, 0.97f},
    {6, 4, 4, false, false, false, 0.98f},         {7, 8, 4, false, false, false, 0.98f, 10},
    {8, 8, 2, false, false, false, 0.98f},         {9, 8, 1, false, false, false, 0.98f},
    {10, 16, 1, false, false, false, 0.98f, 6, 2}, {11, 16, 1, true, false, false, 0.98f, 0, 2},
    {12, 16, 1, true, false, false, 0.97f},        {13, 16, 1, false, false, false, 0.9f, 0, 4},
    {14, 32, 1, true, false, false, 0.75f, 0, 4},
};
// log2 length, elements a thread, neighbouring columns a workgroup, half trade, resident, fraction,
// stores once
constexpr column_shape fp32_columns[] = {
    {6, 8, 16, false, 0, 0.97f}, {7, 8, 16, false, 0, 0.96f},        {8, 16, 32, true, 0, 0.97f},
    {9, 32, 16, true, 2, 0.97f}, {10, 32, 16, true, 1, 0.93f, true}, {11, 32, 8, true, 1, 0.74f},
    {12, 32, 4, true, 1, 0.57f},
};
constexpr column_shape fp64_columns[] = {
    {6, 8, 16, false, 0, 0.97f}, {7, 8, 16, false, 0, 0.96f}, {8, 16, 16, false, 0, 0.96f},
    {9, 16, 8, true, 0, 0.97f},  {10, 16, 4, true, 2, 0.9f},  {11, 16, 4, true, 1, 0.7f},
    {12, 16, 2, true, 1, 0.55f},
};
// Of the pass where bins meet: the wider its rows, the fewer sectors are shared by two workgroups.
constexpr column_shape fp32_mirrored_of_reals[] = {
    {7, 16, 64, false, 2, 0.93f},
    {8, 32, 32, false, 2, 0.9f},
    {9, 32, 32, true, 1, 0.8f},
    {10, 32, 16, false, 1, 0.6f},
};
constexpr column_shape fp32_mirrored_of_bins[] = {
    {7, 16, 32, false, 4, 0.93f},
    {8, 16, 16, false, 4, 0.93f},
    {9, 32, 16, true, 2, 0.85f},
    {10, 32, 16, true, 1, 0.8f},
};
// log2 length, log2 first, elements a thread, workgroups a cluster, lanes, resident, fraction,
// MiB ahead. Of one length the first that fits is taken: the others are for less local memory.
constexpr cluster_shape fp32_lines[] = {
    {15, 7, 32, 8, 1, 5, 0.76f, 2},
    {16, 7, 32, 16, 1, 5, 0.69f, 4},
};
constexpr cluster_shape fp32_lines_of_reals[] = {
    {15, 8, 32, 8, 1, 5, 0.63f, 3},
    {16, 8, 32, 16, 1, 5, 0.54f, 3},
};
constexpr cluster_shape fp32_lines_of_bins[] = {
    {14, 5, 32, 1, 1, 1, 0.75f, 4},
    {15, 6, 32, 8, 1, 4, 0.6f, 4},
    {16, 6, 32, 16, 1, 4, 0.49f, 4},
};
constexpr cluster_shape fp64_lines[] = {
    {14, 9, 32, 2, 1, 1, 0.67f, 4},
    {14, 6, 8, 4, 1, 2, 0.6f, 4},
    {15, 6, 8, 8, 1, 2, 0.55f},
};
constexpr cluster_shape fp64_lines_of_reals[] = {
    {14, 6, 8, 4, 1, 1, 0.4f},
    {15, 6, 8, 8, 1, 1, 0.4f},
};
constexpr cluster_shape fp32_column_lines[] = {
    {12, 7, 32, 16, 16, 5, 0.7f},
    {13, 8, 32, 16, 16, 2, 0.5f},
};
constexpr cluster_shape fp32_planes[] = {
    {6, 3, 4, 1, 8, 10, 0.81f},      {8, 4, 4, 1, 2, 10, 0.97f, 3},  {10, 5, 8, 1, 2, 6, 0.96f},
    {12, 6, 8, 1, 1, 3, 0.98f, 5},   {14, 7, 16, 1, 1, 1, 0.92f, 8}, {14, 7, 16, 8, 1, 8, 0.79f},
    {16, 8, 32, 16, 1, 5, 0.74f, 2},
};
constexpr cluster_shape fp32_planes_of_reals[] = {
    {7, 4, 4, 1, 8, 5, 0.52f},  {9, 5, 4, 1, 1, 10, 0.69f},   {11, 6, 8, 1, 2, 2, 0.69f},
    {13, 7, 8, 4, 1, 6, 0.64f}, {15, 8, 16, 16, 1, 8, 0.63f},
};
constexpr cluster_shape fp32_planes_of_bins[] = {
    {7, 4, 4, 1, 4, 10, 0.67f},
    {9, 5, 4, 1, 1, 10, 0.72f, 4},
    {11, 6, 8, 1, 1, 5, 0.8f, 4},
    {13, 7, 16, 1, 1, 1, 0.65f, 4},
};
constexpr cluster_shape fp64_planes[] = {
    {10, 5, 8, 1, 4, 2, 0.93f},
    {12, 6, 8, 1, 1, 2, 0.98f, 5},
    {14, 7, 16, 8, 1, 5, 0.69f},
};
// log2 length, log2 of the first pass, of the second
constexpr cut fp32_cuts[] = {
    {17, 9, 8},   {18, 9, 9},   {19, 10, 9}, {20, 10, 10}, {21, 9, 12}, {22, 10, 12},
    {23, 11, 12}, {24, 12, 12}, {25, 9, 8},  {26, 10, 8},  {27, 10, 9}, {28, 10, 10},
};
constexpr cut fp32_cuts_of_reals[] = {
    {17, 10, 7}, {18, 11, 7}, {19, 12, 7}, {20, 11, 9}, {21, 12, 9},  {22, 8, 7},
    {23, 8, 8},  {24, 9, 8},  {25, 9, 9},  {26, 10, 9}, {27, 10, 10},
};
constexpr cut fp32_cuts_of_bins[] = {
    {16, 8, 8},   {17, 7, 10}, {18, 8, 10}, {19, 7, 12}, {20, 8, 12}, {21, 9, 12},
    {22, 10, 12}, {23, 8, 8},  {24, 8, 8},  {25, 8, 9},  {26, 8, 9},  {27, 8, 10},
};
constexpr cut fp64_cuts[] = {
    {20, 10, 10}, {21, 10, 11}, {22, 11, 11}, {23, 8, 8},
    {24, 8, 8},   {25, 9, 8},   {26, 10, 8},  {27, 10, 9},
};
constexpr cut fp64_cuts_of_reals[] = {
    {17, 9, 8}, {18, 10, 8}, {19, 11, 8}, {20, 11, 9}, {21, 8, 7},  {22, 8, 7},
    {23, 8, 8}, {24, 8, 8},  {25, 9, 8},  {26, 10, 8}, {27, 10, 9},
};

/// The same shapes with some of their fields 0.
template <class Shape, std::size_t N, class... Fields>
constexpr std::array<Shape, N> without(const Shape (&shapes)[N], Fields Shape::*... fields) {
  std::array<Shape, N> same = std::to_array(shapes);
  for (Shape& each : same) ((each.*fields = 0), ...);
  return same;
}
/// The shapes of rows of complex numbers, but for the longest. Of the others requests ahead were
/// not measured, and one of bins would spill.
constexpr auto fp64_rows_of_pairs(const shape& longest) {
  auto rows = without(fp64_whole, &shape::mib_ahead, &shape::resident);
  rows.back() = longest;
  return rows;
}
constexpr auto fp64_rows_of_reals = [] {
  auto rows = fp64_rows_of_pairs({13, 16, 1, true, false, false, 0.75f, 0, 4, true});
  for (const unsigned bits : {9, 10, 12}) rows[bits].stores_once = true;
  rows[11].resident = 3;
  return rows;
}();
constexpr auto fp64_rows_of_bins =
    fp64_rows_of_pairs({13, 16, 1, false, false, false, 0.74f, 0, 4});
constexpr cluster_shape fp16_lines[] = {
    {15, 7, 32, 8, 1, 5, 0.42f, 3},
    {16, 7, 32, 16, 1, 5, 0.38f},
};
// Their speed was not measured in 16-bit storage.
constexpr auto fp16_planes = without(fp32_planes, &cluster_shape::fraction);
constexpr auto fp16_rows_of_reals = without(fp32_rows_of_reals, &shape::fraction);
constexpr auto fp16_lines_of_reals = without(fp32_lines_of_reals, &cluster_shape::fraction);
constexpr auto fp16_planes_of_reals = without(fp32_planes_of_reals, &cluster_shape::fraction);
constexpr auto fp16_rows_of_bins = without(fp32_rows_of_bins, &shape::fraction);
constexpr auto fp16_lines_of_bins = without(fp32_lines_of_bins, &cluster_shape::fraction);
constexpr auto fp16_planes_of_bins = without(fp32_planes_of_bins, &cluster_shape::fraction);

}  // namespace

const architecture& hopper() {
  static constexpr architecture data{
      "hopper",
      128,
      {.rows = {fp32_whole, fp32_lines, fp32_cuts, fp32_planes},
       .rows_of_reals = {fp32_rows_of_reals, fp32_lines_of_reals, fp32_cuts_of_reals,
                         fp32_planes_of_reals, fp32_mirrored_of_reals},
       .rows_of_bins = {fp32_rows_of_bins, fp32_lines_of_bins, fp32_cuts_of_bins,
                        fp32_planes_of_bins, fp32_mirrored_of_bins},
       .columns = fp32_columns,
       .column_lines = fp32_column_lines},
      {.rows = {fp64_whole, fp64_lines, fp64_cuts, fp64_planes},
       .rows_of_reals = {fp64_rows_of_reals, fp64_lines_of_reals, fp64_cuts_of_reals},
       .rows_of_bins = {fp64_rows_of_bins, fp64_lines_of_reals, fp64_cuts},
       .columns = fp64_columns},
      {.rows = {fp16_whole, fp16_lines, fp32_cuts, fp16_planes},
       .rows_of_reals = {fp16_rows_of_reals, fp16_lines_of_reals, fp32_cuts_of_reals,
                         fp16_planes_of_reals, fp32_mirrored_of_reals},
       .rows_of_bins = {fp16_rows_of_bins, fp16_lines_of_bins, fp32_cuts_of_bins,
                        fp16_planes_of_bins, fp32_mirrored_of_bins},
       .columns = fp32_columns,
       .column_lines = fp32_column_lines}};
  return data;
}

const architecture& ampere() {
  // Not measured: Hopper's shapes.
  static constexpr architecture data{"ampere",
                                     128,
                                     {.rows = {fp32_whole},
                                      .rows_of_reals = {fp32_rows_of_reals},
                                      .rows_of_bins = {fp32_rows_of_bins},
                                      .columns = fp32_columns},
                                     {.rows = {fp64_whole}, .columns = fp64_columns}};
  return data;
}

}  // namespace wingbeat::tuning
