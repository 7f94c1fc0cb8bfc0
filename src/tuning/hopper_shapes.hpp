// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs: powers of two, in calls of many transforms. Chosen by measurement on an H200: see
// bench/lessons. The tables of all architectures that these lists suit share them.
#pragma once

#include <array>
#include <cstddef>  // size_t

#include "tuning/tuning.hpp"

namespace wingbeat::tuning::hopper_shapes {

// A shape takes one line or two.
// clang-format off
inline constexpr shape fp32_whole[] = {
    {.length = 1, .elements = 1, .lanes = 256, .fraction = 0.98f},
    {.length = 2, .elements = 2, .lanes = 256, .fraction = 0.98f},
    {.length = 4, .elements = 2, .lanes = 64, .fraction = 0.98f},
    {.length = 8, .elements = 8, .lanes = 64, .stage_in = true, .stage_out = true,
     .fraction = 0.98f},
    {.length = 16, .elements = 4, .lanes = 16, .fraction = 0.98f},
    {.length = 32, .elements = 8, .lanes = 16, .stage_in = true, .stage_out = true,
     .fraction = 0.98f},
    {.length = 64, .elements = 4, .lanes = 8, .fraction = 0.99f, .prefetch_mib = 4},
    {.length = 128, .elements = 4, .lanes = 4, .fraction = 0.99f, .prefetch_mib = 2},
    {.length = 256, .elements = 4, .lanes = 2, .fraction = 0.99f, .prefetch_mib = 3},
    {.length = 512, .elements = 16, .lanes = 8, .fraction = 0.98f, .resident = 2,
     .prefetch_mib = 3},
    {.length = 1024, .elements = 16, .lanes = 2, .fraction = 0.98f, .resident = 3,
     .prefetch_mib = 3},
    {.length = 2048, .elements = 8, .half_trade = true, .fraction = 0.99f, .prefetch_mib = 4},
    {.length = 4096, .elements = 8, .fraction = 0.99f, .prefetch_mib = 3},
    {.length = 8192, .elements = 32, .fraction = 0.99f, .resident = 2, .prefetch_mib = 8},
    {.length = 16384, .elements = 32, .half_trade = true, .fraction = 0.95f, .resident = 1,
     .prefetch_mib = 8, .streams = true},
};
// Prefetching a tile hides the loads of the next tile behind the arithmetic of two transforms; from
// 512 on, with fused butterflies (bench/lessons/convolution.md#fused-rows).
inline constexpr shape fp32_convolutions[] = {
    {.length = 64, .elements = 8, .lanes = 8, .fraction = 1, .prefetch_mib = 4},
    {.length = 128, .elements = 8, .lanes = 4, .fraction = 1, .resident = 8, .prefetch_mib = 4},
    {.length = 256, .elements = 16, .lanes = 8, .fraction = 1, .resident = 4, .prefetch_mib = 4},
    {.length = 512, .elements = 16, .lanes = 2, .fraction = 1, .resident = 8, .prefetch_mib = 4},
    {.length = 1024, .elements = 16, .fraction = 1, .resident = 12, .prefetch_mib = 4},
    {.length = 2048, .elements = 16, .fraction = 0.94f, .resident = 8, .prefetch_mib = 4},
    {.length = 4096, .elements = 16, .fraction = 0.88f, .resident = 3, .prefetch_mib = 4},
    {.length = 8192, .elements = 32, .fraction = 0.79f, .resident = 2, .prefetch_mib = 4},
    {.length = 16384, .elements = 32, .fraction = 0.66f, .resident = 1, .prefetch_mib = 4},
};
inline constexpr shape fp64_whole[] = {
    {.length = 1, .elements = 1, .lanes = 256, .fraction = 0.98f},
    {.length = 2, .elements = 2, .lanes = 128, .stage_in = true, .stage_out = true,
     .fraction = 0.98f},
    {.length = 4, .elements = 2, .lanes = 64, .fraction = 0.98f},
    {.length = 8, .elements = 2, .lanes = 32, .fraction = 0.98f},
    {.length = 16, .elements = 4, .lanes = 16, .stage_in = true, .stage_out = true,
     .fraction = 0.98f},
    {.length = 32, .elements = 4, .lanes = 8, .stage_in = true, .stage_out = true,
     .fraction = 0.99f, .resident = 16, .prefetch_mib = 6},
    {.length = 64, .elements = 4, .lanes = 8, .fraction = 0.99f, .resident = 8, .prefetch_mib = 2},
    {.length = 128, .elements = 4, .lanes = 4, .fraction = 0.99f, .resident = 8, .prefetch_mib = 4},
    {.length = 256, .elements = 8, .lanes = 4, .fraction = 0.99f, .resident = 3, .prefetch_mib = 3},
    {.length = 512, .elements = 8, .lanes = 8, .fraction = 0.99f, .prefetch_mib = 4},
    {.length = 1024, .elements = 16, .lanes = 4, .fraction = 0.99f, .prefetch_mib = 4},
    {.length = 2048, .elements = 16, .fraction = 0.99f, .resident = 2, .prefetch_mib = 6},
    {.length = 4096, .elements = 16, .fraction = 0.99f, .prefetch_mib = 6},
    {.length = 8192, .elements = 32, .half_trade = true, .fraction = 0.94f, .prefetch_mib = 8,
     .streams = true},
};
// Stored in 16 bits, computed in fp32: twice the elements per byte, so exchanges weigh more.
inline constexpr shape fp16_whole[] = {
    {.length = 1, .elements = 1, .lanes = 256, .fraction = 0.98f},
    {.length = 2, .elements = 2, .lanes = 256, .fraction = 0.98f},
    {.length = 4, .elements = 2, .lanes = 64, .fraction = 0.98f},
    {.length = 8, .elements = 8, .lanes = 64, .stage_in = true, .stage_out = true,
     .fraction = 0.89f},
    {.length = 16, .elements = 4, .lanes = 32, .fraction = 0.86f},
    {.length = 32, .elements = 4, .lanes = 16, .fraction = 0.7f},
    {.length = 64, .elements = 8, .lanes = 32, .fraction = 0.9f},
    {.length = 128, .elements = 16, .lanes = 16, .fraction = 0.94f, .resident = 7},
    {.length = 256, .elements = 16, .lanes = 8, .fraction = 0.97f},
    {.length = 512, .elements = 16, .lanes = 8, .fraction = 0.9f},
    {.length = 1024, .elements = 16, .lanes = 2, .fraction = 0.91f, .prefetch_mib = 6},
    {.length = 2048, .elements = 16, .fraction = 0.85f, .prefetch_mib = 6},
    {.length = 4096, .elements = 16, .fraction = 0.85f, .prefetch_mib = 6},
    {.length = 8192, .elements = 32, .fraction = 0.78f, .resident = 2, .prefetch_mib = 6},
    {.length = 16384, .elements = 32, .fraction = 0.6f, .prefetch_mib = 6},
};
// Rows of reals, listed by the length of the complex transform that makes their bins.
inline constexpr shape fp32_rows_of_reals[] = {
    {.length = 1, .elements = 1, .lanes = 128, .fraction = 0.99f},
    {.length = 2, .elements = 2, .lanes = 128, .stage_in = true, .stage_out = true,
     .fraction = 0.99f},
    {.length = 4, .elements = 4, .lanes = 128, .stage_in = true, .stage_out = true,
     .fraction = 0.99f},
    {.length = 8, .elements = 8, .lanes = 128, .stage_out = true, .fraction = 0.99f},
    {.length = 16, .elements = 4, .lanes = 32, .stage_out = true, .fraction = 0.98f},
    {.length = 32, .elements = 4, .lanes = 16, .stage_out = true, .fraction = 0.91f,
     .resident = 11},
    {.length = 64, .elements = 4, .lanes = 8, .fraction = 0.97f},
    {.length = 128, .elements = 4, .lanes = 4, .fraction = 0.97f, .resident = 10},
    {.length = 256, .elements = 8, .lanes = 4, .fraction = 0.95f},
    {.length = 512, .elements = 8, .fraction = 0.96f, .resident = 11},
    {.length = 1024, .elements = 8, .fraction = 0.96f, .resident = 9},
    {.length = 2048, .elements = 16, .half_trade = true, .fraction = 0.95f},
    {.length = 4096, .elements = 16, .half_trade = true, .fraction = 0.95f},
    {.length = 8192, .elements = 32, .fraction = 0.91f, .prefetch_mib = 4},
    {.length = 16384, .elements = 32, .fraction = 0.8f, .prefetch_mib = 4},
};
// Rows of bins that become reals.
inline constexpr shape fp32_rows_of_bins[] = {
    {.length = 1, .elements = 1, .lanes = 128, .fraction = 0.99f},
    {.length = 2, .elements = 2, .lanes = 128, .stage_in = true, .stage_out = true,
     .fraction = 0.99f},
    {.length = 4, .elements = 4, .lanes = 128, .stage_in = true, .stage_out = true,
     .fraction = 0.99f},
    {.length = 8, .elements = 8, .lanes = 128, .stage_in = true, .stage_out = true,
     .fraction = 0.98f},
    {.length = 16, .elements = 4, .lanes = 16, .fraction = 0.97f},
    {.length = 32, .elements = 4, .lanes = 16, .fraction = 0.97f},
    {.length = 64, .elements = 4, .lanes = 4, .fraction = 0.98f},
    {.length = 128, .elements = 8, .lanes = 4, .fraction = 0.98f, .resident = 10},
    {.length = 256, .elements = 8, .lanes = 2, .fraction = 0.98f},
    {.length = 512, .elements = 8, .fraction = 0.98f},
    {.length = 1024, .elements = 16, .fraction = 0.98f, .resident = 6, .prefetch_mib = 2},
    {.length = 2048, .elements = 16, .half_trade = true, .fraction = 0.98f, .prefetch_mib = 2},
    {.length = 4096, .elements = 16, .half_trade = true, .fraction = 0.97f},
    {.length = 8192, .elements = 16, .fraction = 0.9f, .prefetch_mib = 4},
    {.length = 16384, .elements = 32, .half_trade = true, .fraction = 0.75f, .prefetch_mib = 4},
};
inline constexpr shape fp32_columns[] = {
    {.length = 64, .elements = 8, .lanes = 16, .fraction = 0.97f},
    {.length = 128, .elements = 8, .lanes = 16, .fraction = 0.96f},
    {.length = 256, .elements = 16, .lanes = 32, .half_trade = true, .fraction = 0.97f},
    {.length = 512, .elements = 32, .lanes = 16, .half_trade = true, .fraction = 0.97f,
     .resident = 2},
    {.length = 1024, .elements = 32, .lanes = 16, .half_trade = true, .fraction = 0.93f,
     .resident = 1, .streams = true},
    {.length = 2048, .elements = 32, .lanes = 8, .half_trade = true, .fraction = 0.74f,
     .resident = 1},
    {.length = 4096, .elements = 32, .lanes = 4, .half_trade = true, .fraction = 0.57f,
     .resident = 1},
};
inline constexpr shape fp64_columns[] = {
    {.length = 64, .elements = 8, .lanes = 16, .fraction = 0.97f},
    {.length = 128, .elements = 8, .lanes = 16, .fraction = 0.96f},
    {.length = 256, .elements = 16, .lanes = 16, .fraction = 0.96f},
    {.length = 512, .elements = 16, .lanes = 8, .half_trade = true, .fraction = 0.97f},
    {.length = 1024, .elements = 16, .lanes = 4, .half_trade = true, .fraction = 0.9f,
     .resident = 2},
    {.length = 2048, .elements = 16, .lanes = 4, .half_trade = true, .fraction = 0.7f,
     .resident = 1},
    {.length = 4096, .elements = 16, .lanes = 2, .half_trade = true, .fraction = 0.55f,
     .resident = 1},
};
// Columns whose opposite bins meet: wider rows share fewer sectors between two workgroups.
inline constexpr shape fp32_mirrored_of_reals[] = {
    {.length = 128, .elements = 16, .lanes = 64, .fraction = 0.93f, .resident = 2},
    {.length = 256, .elements = 32, .lanes = 32, .fraction = 0.9f, .resident = 2},
    {.length = 512, .elements = 32, .lanes = 32, .half_trade = true, .fraction = 0.8f,
     .resident = 1},
    {.length = 1024, .elements = 32, .lanes = 16, .fraction = 0.6f, .resident = 1},
};
inline constexpr shape fp32_mirrored_of_bins[] = {
    {.length = 128, .elements = 16, .lanes = 32, .fraction = 0.93f, .resident = 4},
    {.length = 256, .elements = 16, .lanes = 16, .fraction = 0.93f, .resident = 4},
    {.length = 512, .elements = 32, .lanes = 16, .half_trade = true, .fraction = 0.85f,
     .resident = 2},
    {.length = 1024, .elements = 32, .lanes = 16, .half_trade = true, .fraction = 0.8f,
     .resident = 1},
};
// If lines or planes of one length have several shapes, later ones need less local memory.
inline constexpr shape fp32_lines[] = {
    {.length = 32768, .first = 128, .elements = 32, .workgroups = 8, .fraction = 0.76f,
     .resident = 5, .prefetch_mib = 2},
    {.length = 65536, .first = 128, .elements = 32, .workgroups = 16, .fraction = 0.69f,
     .resident = 5, .prefetch_mib = 4},
};
inline constexpr shape fp32_lines_of_reals[] = {
    {.length = 32768, .first = 256, .elements = 32, .workgroups = 8, .fraction = 0.63f,
     .resident = 5, .prefetch_mib = 3},
    {.length = 65536, .first = 256, .elements = 32, .workgroups = 16, .fraction = 0.54f,
     .resident = 5, .prefetch_mib = 3},
};
inline constexpr shape fp32_lines_of_bins[] = {
    {.length = 16384, .first = 32, .elements = 32, .fraction = 0.75f, .prefetch_mib = 4},
    {.length = 32768, .first = 64, .elements = 32, .workgroups = 8, .fraction = 0.6f, .resident = 4,
     .prefetch_mib = 4},
    {.length = 65536, .first = 64, .elements = 32, .workgroups = 16, .fraction = 0.49f,
     .resident = 4, .prefetch_mib = 4},
};
inline constexpr shape fp16_lines[] = {
    {.length = 32768, .first = 128, .elements = 32, .workgroups = 8, .fraction = 0.42f,
     .resident = 5, .prefetch_mib = 3},
    {.length = 65536, .first = 128, .elements = 32, .workgroups = 16, .fraction = 0.38f,
     .resident = 5},
};
inline constexpr shape fp64_lines[] = {
    {.length = 16384, .first = 512, .elements = 32, .workgroups = 2, .fraction = 0.67f,
     .prefetch_mib = 4},
    {.length = 16384, .first = 64, .elements = 8, .workgroups = 4, .fraction = 0.6f, .resident = 2,
     .prefetch_mib = 4},
    {.length = 32768, .first = 64, .elements = 8, .workgroups = 8, .fraction = 0.55f,
     .resident = 2},
};
inline constexpr shape fp64_lines_of_reals[] = {
    {.length = 16384, .first = 64, .elements = 8, .workgroups = 4, .fraction = 0.4f},
    {.length = 32768, .first = 64, .elements = 8, .workgroups = 8, .fraction = 0.4f},
};
inline constexpr shape fp32_column_lines[] = {
    {.length = 4096, .first = 128, .elements = 32, .workgroups = 16, .lanes = 16, .fraction = 0.7f,
     .resident = 5},
    {.length = 8192, .first = 256, .elements = 32, .workgroups = 16, .lanes = 16, .fraction = 0.5f,
     .resident = 2},
};
inline constexpr shape fp32_planes[] = {
    {.length = 64, .first = 8, .elements = 4, .lanes = 8, .fraction = 0.81f, .resident = 10},
    {.length = 256, .first = 16, .elements = 4, .lanes = 2, .fraction = 0.97f, .resident = 10,
     .prefetch_mib = 3},
    {.length = 1024, .first = 32, .elements = 8, .lanes = 2, .fraction = 0.96f, .resident = 6},
    {.length = 4096, .first = 64, .elements = 8, .fraction = 0.98f, .resident = 3,
     .prefetch_mib = 5},
    {.length = 16384, .first = 128, .elements = 16, .fraction = 0.92f, .prefetch_mib = 8},
    {.length = 16384, .first = 128, .elements = 16, .workgroups = 8, .fraction = 0.79f,
     .resident = 8},
    {.length = 65536, .first = 256, .elements = 32, .workgroups = 16, .fraction = 0.74f,
     .resident = 5, .prefetch_mib = 2},
};
inline constexpr shape fp32_planes_of_reals[] = {
    {.length = 128, .first = 16, .elements = 4, .lanes = 8, .fraction = 0.52f, .resident = 5},
    {.length = 512, .first = 32, .elements = 4, .fraction = 0.69f, .resident = 10},
    {.length = 2048, .first = 64, .elements = 8, .lanes = 2, .fraction = 0.69f, .resident = 2},
    {.length = 8192, .first = 128, .elements = 8, .workgroups = 4, .fraction = 0.64f,
     .resident = 6},
    {.length = 32768, .first = 256, .elements = 16, .workgroups = 16, .fraction = 0.63f,
     .resident = 8},
};
inline constexpr shape fp32_planes_of_bins[] = {
    {.length = 128, .first = 16, .elements = 4, .lanes = 4, .fraction = 0.67f, .resident = 10},
    {.length = 512, .first = 32, .elements = 4, .fraction = 0.72f, .resident = 10,
     .prefetch_mib = 4},
    {.length = 2048, .first = 64, .elements = 8, .fraction = 0.8f, .resident = 5,
     .prefetch_mib = 4},
    {.length = 8192, .first = 128, .elements = 16, .fraction = 0.65f, .prefetch_mib = 4},
};
inline constexpr shape fp64_planes[] = {
    {.length = 1024, .first = 32, .elements = 8, .lanes = 4, .fraction = 0.93f, .resident = 2},
    {.length = 4096, .first = 64, .elements = 8, .fraction = 0.98f, .resident = 2,
     .prefetch_mib = 5},
    {.length = 16384, .first = 128, .elements = 16, .workgroups = 8, .fraction = 0.69f,
     .resident = 5},
};
inline constexpr cut fp32_cuts[] = {
    {.length = 1 << 17, .parts = {512, 256}},
    {.length = 1 << 18, .parts = {512, 512}},
    {.length = 1 << 19, .parts = {1024, 512}},
    {.length = 1 << 20, .parts = {1024, 1024}},
    {.length = 1 << 21, .parts = {512, 4096}},
    {.length = 1 << 22, .parts = {1024, 4096}},
    {.length = 1 << 23, .parts = {2048, 4096}},
    {.length = 1 << 24, .parts = {4096, 4096}},
    {.length = 1 << 25, .parts = {512, 256, 256}},
    {.length = 1 << 26, .parts = {1024, 256, 256}},
    {.length = 1 << 27, .parts = {1024, 512, 256}},
    {.length = 1 << 28, .parts = {1024, 1024, 256}},
};
inline constexpr cut fp32_cuts_of_reals[] = {
    {.length = 1 << 17, .parts = {1024, 128}},
    {.length = 1 << 18, .parts = {2048, 128}},
    {.length = 1 << 19, .parts = {4096, 128}},
    {.length = 1 << 20, .parts = {2048, 512}},
    {.length = 1 << 21, .parts = {4096, 512}},
    {.length = 1 << 22, .parts = {256, 128, 128}},
    {.length = 1 << 23, .parts = {256, 256, 128}},
    {.length = 1 << 24, .parts = {512, 256, 128}},
    {.length = 1 << 25, .parts = {512, 512, 128}},
    {.length = 1 << 26, .parts = {1024, 512, 128}},
    {.length = 1 << 27, .parts = {1024, 1024, 128}},
};
inline constexpr cut fp32_cuts_of_bins[] = {
    {.length = 65536, .parts = {256, 256}},
    {.length = 1 << 17, .parts = {128, 1024}},
    {.length = 1 << 18, .parts = {256, 1024}},
    {.length = 1 << 19, .parts = {128, 4096}},
    {.length = 1 << 20, .parts = {256, 4096}},
    {.length = 1 << 21, .parts = {512, 4096}},
    {.length = 1 << 22, .parts = {1024, 4096}},
    {.length = 1 << 23, .parts = {256, 256, 128}},
    {.length = 1 << 24, .parts = {256, 256, 256}},
    {.length = 1 << 25, .parts = {256, 512, 256}},
    {.length = 1 << 26, .parts = {256, 512, 512}},
    {.length = 1 << 27, .parts = {256, 1024, 512}},
};
inline constexpr cut fp64_cuts[] = {
    {.length = 1 << 20, .parts = {1024, 1024}},
    {.length = 1 << 21, .parts = {1024, 2048}},
    {.length = 1 << 22, .parts = {2048, 2048}},
    {.length = 1 << 23, .parts = {256, 256, 128}},
    {.length = 1 << 24, .parts = {256, 256, 256}},
    {.length = 1 << 25, .parts = {512, 256, 256}},
    {.length = 1 << 26, .parts = {1024, 256, 256}},
    {.length = 1 << 27, .parts = {1024, 512, 256}},
};
inline constexpr cut fp64_cuts_of_reals[] = {
    {.length = 1 << 17, .parts = {512, 256}},
    {.length = 1 << 18, .parts = {1024, 256}},
    {.length = 1 << 19, .parts = {2048, 256}},
    {.length = 1 << 20, .parts = {2048, 512}},
    {.length = 1 << 21, .parts = {256, 128, 64}},
    {.length = 1 << 22, .parts = {256, 128, 128}},
    {.length = 1 << 23, .parts = {256, 256, 128}},
    {.length = 1 << 24, .parts = {256, 256, 256}},
    {.length = 1 << 25, .parts = {512, 256, 256}},
    {.length = 1 << 26, .parts = {1024, 256, 256}},
    {.length = 1 << 27, .parts = {1024, 512, 256}},
};

// clang-format on

// For columns that no list above has.
inline constexpr mirrored_limits fp32_mirrored_limits{.most_threads = 512};
inline constexpr mirrored_limits fp64_mirrored_limits{.longest = 2048, .most_threads = 256};

/// Returns shapes with some of their fields set to 0.
template <class Shape, std::size_t N, class... Fields>
constexpr std::array<Shape, N> without(const Shape (&shapes)[N], Fields Shape::*... fields) {
  std::array<Shape, N> result = std::to_array(shapes);
  for (Shape& each : result) ((each.*fields = 0), ...);
  return result;
}
template <std::size_t N>
constexpr shape& of_length(std::array<shape, N>& shapes, std::size_t length) {
  for (shape& each : shapes) {
    if (each.length == length) return each;
  }
  throw "no shape of this length";  // refused at compile time
}
/// The shapes of rows of complex numbers, except the longest. Prefetches were not measured for the
/// other rows, and `resident` would make a row of bins spill.
inline constexpr auto fp64_rows_of_pairs(const shape& longest) {
  auto rows = without(fp64_whole, &shape::prefetch_mib, &shape::resident);
  of_length(rows, longest.length) = longest;
  return rows;
}
inline constexpr auto fp64_rows_of_reals = [] {
  auto rows = fp64_rows_of_pairs({.length = 8192,
                                  .elements = 16,
                                  .half_trade = true,
                                  .fraction = 0.75f,
                                  .prefetch_mib = 4,
                                  .streams = true});
  for (const std::size_t length : {512, 1024, 4096}) of_length(rows, length).streams = true;
  of_length(rows, 2048).resident = 3;
  return rows;
}();
inline constexpr auto fp64_rows_of_bins =
    fp64_rows_of_pairs({.length = 8192, .elements = 16, .fraction = 0.74f, .prefetch_mib = 4});
// not measured in 16-bit storage
inline constexpr auto fp16_planes = without(fp32_planes, &shape::fraction);
inline constexpr auto fp16_rows_of_reals = without(fp32_rows_of_reals, &shape::fraction);
inline constexpr auto fp16_lines_of_reals = without(fp32_lines_of_reals, &shape::fraction);
inline constexpr auto fp16_planes_of_reals = without(fp32_planes_of_reals, &shape::fraction);
inline constexpr auto fp16_rows_of_bins = without(fp32_rows_of_bins, &shape::fraction);
inline constexpr auto fp16_lines_of_bins = without(fp32_lines_of_bins, &shape::fraction);
inline constexpr auto fp16_planes_of_bins = without(fp32_planes_of_bins, &shape::fraction);

}  // namespace wingbeat::tuning::hopper_shapes
