// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs: lengths other than powers of two for which an H200 measured better shapes than the
// rule of src/planner/rules.cpp: see bench/lessons/lengths.md#shapes-of-mixed-lengths.
#pragma once

#include "tuning/tuning.hpp"

namespace wingbeat::tuning::hopper_other {

// clang-format off
inline constexpr shape fp32_whole[] = {
    {.length = 12, .elements = 3, .lanes = 16, .fraction = 0.99f},
    {.length = 15, .elements = 15, .lanes = 64, .stage_in = true, .stage_out = true,
     .fraction = 0.9f},
    {.length = 24, .elements = 6, .lanes = 32, .fraction = 0.97f},
    {.length = 30, .elements = 5, .lanes = 16, .fraction = 0.94f},
    {.length = 31, .elements = 31, .lanes = 64, .stage_in = true, .stage_out = true,
     .fraction = 0.84f, .resident = 6},
    {.length = 48, .elements = 6, .lanes = 8, .fraction = 0.99f},
    {.length = 60, .elements = 5, .lanes = 8, .fraction = 0.97f},
    {.length = 63, .elements = 9, .lanes = 8, .fraction = 0.96f},
    {.length = 100, .elements = 5, .lanes = 8, .fraction = 0.98f},
    {.length = 133, .elements = 19, .lanes = 8, .fraction = 0.92f, .prefetch_mib = 4},
    {.length = 187, .elements = 17, .lanes = 8, .fraction = 0.95f, .prefetch_mib = 4},
    {.length = 231, .elements = 11, .lanes = 4, .fraction = 0.92f, .prefetch_mib = 4},
    {.length = 243, .elements = 9, .lanes = 2, .fraction = 0.95f},
    {.length = 480, .elements = 6, .fraction = 0.99f, .prefetch_mib = 4},
    {.length = 500, .elements = 10, .fraction = 0.97f, .prefetch_mib = 4},
    {.length = 625, .elements = 5, .lanes = 2, .fraction = 0.95f, .prefetch_mib = 4},
    {.length = 1920, .elements = 10, .fraction = 0.98f, .prefetch_mib = 4},
    {.length = 2187, .elements = 9, .fraction = 0.95f, .prefetch_mib = 8},
    {.length = 2400, .elements = 10, .fraction = 0.99f, .prefetch_mib = 8},
    {.length = 3000, .elements = 10, .fraction = 0.98f, .prefetch_mib = 8},
    {.length = 3072, .elements = 16, .fraction = 0.99f, .prefetch_mib = 8},
    {.length = 3125, .elements = 25, .half_trade = true, .fraction = 0.95f, .prefetch_mib = 8},
    {.length = 3600, .elements = 15, .fraction = 0.98f, .prefetch_mib = 8},
    {.length = 3840, .elements = 15, .fraction = 0.98f, .prefetch_mib = 4},
    {.length = 4000, .elements = 20, .fraction = 0.98f, .prefetch_mib = 8},
    {.length = 5000, .elements = 10, .fraction = 0.94f, .prefetch_mib = 8},
    {.length = 5120, .elements = 16, .fraction = 0.99f, .prefetch_mib = 8},
    {.length = 6000, .elements = 20, .fraction = 0.95f, .prefetch_mib = 8},
    {.length = 6144, .elements = 16, .fraction = 0.98f, .prefetch_mib = 8},
    {.length = 6561, .elements = 27, .fraction = 0.91f, .prefetch_mib = 8},
    {.length = 6930, .elements = 22, .fraction = 0.89f, .prefetch_mib = 4},
    {.length = 7168, .elements = 16, .fraction = 0.98f, .prefetch_mib = 8},
    {.length = 8000, .elements = 20, .fraction = 0.97f, .prefetch_mib = 8},
    {.length = 10000, .elements = 20, .fraction = 0.89f, .prefetch_mib = 8},
    {.length = 12288, .elements = 32, .fraction = 0.93f, .prefetch_mib = 8},
    {.length = 13860, .elements = 18, .fraction = 0.82f, .prefetch_mib = 4},
    {.length = 15360, .elements = 32, .fraction = 0.92f, .prefetch_mib = 8},
    {.length = 20000, .elements = 20, .fraction = 0.77f, .prefetch_mib = 4},
};
inline constexpr count_range many{.min = 4096};
inline constexpr shape fp32_primes[] = {  // many rows, in halves by two threads each, except 96
    {.length = 42, .elements = 21, .lanes = 16, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 46, .elements = 23, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 52, .elements = 26, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 58, .elements = 29, .lanes = 16, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 60, .elements = 30, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 66, .elements = 33, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 70, .elements = 35, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 78, .elements = 39, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 88, .elements = 44, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    // Measured on an H100, except 40 and 52, which were chosen on an H200.
    {.length = 36, .elements = 6, .lanes = 16, .fraction = 1, .prefetch_mib = 4, .across = true},
    {.length = 40, .elements = 20, .lanes = 32, .fraction = 0.92f, .prefetch_mib = 4,
     .across = true},
    {.length = 42, .elements = 21, .lanes = 64, .fraction = 0.96f},
    {.length = 46, .elements = 23, .lanes = 32, .fraction = 0.88f},
    {.length = 52, .elements = 13, .lanes = 16, .fraction = 0.89f, .prefetch_mib = 4,
     .across = true},
    {.length = 60, .elements = 15, .lanes = 16, .fraction = 1, .prefetch_mib = 4, .across = true},
    {.length = 66, .elements = 22, .lanes = 32, .fraction = 0.88f},
    {.length = 96, .elements = 24, .lanes = 16, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 96, .elements = 12, .lanes = 16, .fraction = 0.92f, .prefetch_mib = 4},
    {.length = 102, .elements = 17, .lanes = 16, .fraction = 0.95f, .prefetch_mib = 4,
     .across = true},
    {.length = 126, .elements = 9, .lanes = 16, .fraction = 0.95f, .prefetch_mib = 4,
     .across = true},
    {.length = 150, .elements = 30, .lanes = 16, .fraction = 0.92f, .prefetch_mib = 4},
    {.length = 210, .elements = 14, .lanes = 8, .fraction = 0.89f, .prefetch_mib = 4,
     .across = true},
    {.length = 238, .elements = 14, .lanes = 8, .fraction = 0.79f, .prefetch_mib = 4,
     .across = true},
    {.length = 336, .elements = 12, .lanes = 4, .fraction = 0.86f, .prefetch_mib = 4,
     .across = true},
    {.length = 520, .elements = 20, .lanes = 8, .fraction = 0.72f, .prefetch_mib = 4,
     .across = true},
};
inline constexpr shape fp32_primes_of_reals[] = {  // one thread per row
    {.length = 18, .elements = 18, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 20, .elements = 20, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 21, .elements = 21, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 23, .elements = 23, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 26, .elements = 26, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 29, .elements = 29, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 30, .elements = 30, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 33, .elements = 33, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 35, .elements = 35, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 36, .elements = 36, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 39, .elements = 39, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 44, .elements = 44, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 48, .elements = 48, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 50, .elements = 50, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 51, .elements = 51, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 54, .elements = 54, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 56, .elements = 56, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
};
inline constexpr shape fp32_chirps[] = {  // measured on an H100
    {.length = 128, .elements = 16, .lanes = 16, .fraction = 0.96f, .prefetch_mib = 4},
    {.length = 256, .elements = 16, .lanes = 8, .fraction = 0.89f, .prefetch_mib = 4},
    {.length = 512, .elements = 32, .lanes = 8, .fraction = 0.89f, .prefetch_mib = 4},
};
inline constexpr shape fp64_primes[] = {  // in halves
    {.length = 36, .elements = 18, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 40, .elements = 20, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 42, .elements = 21, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 46, .elements = 23, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 52, .elements = 26, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 58, .elements = 29, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 60, .elements = 30, .lanes = 32, .prefetch_mib = 4, .across = true, .counts = many},
};
inline constexpr shape fp64_primes_of_reals[] = {
    {.length = 18, .elements = 18, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 20, .elements = 20, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 21, .elements = 21, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 23, .elements = 23, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 26, .elements = 26, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 29, .elements = 29, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
    {.length = 30, .elements = 30, .lanes = 64, .prefetch_mib = 4, .across = true, .counts = many},
};
inline constexpr shape fp64_chirps[] = {  // measured on an H100
    {.length = 128, .elements = 16, .lanes = 16, .fraction = 1, .prefetch_mib = 4},
};
inline constexpr shape fp64_whole[] = {
    {.length = 51, .elements = 17, .lanes = 16, .stage_in = true, .stage_out = true,
     .fraction = 0.98f},
    {.length = 57, .elements = 19, .lanes = 32, .stage_in = true, .stage_out = true,
     .fraction = 0.98f},
    {.length = 63, .elements = 9, .lanes = 8, .fraction = 0.98f},
    {.length = 69, .elements = 23, .lanes = 32, .stage_in = true, .stage_out = true,
     .fraction = 0.96f},
    {.length = 87, .elements = 29, .lanes = 16, .stage_in = true, .stage_out = true,
     .fraction = 0.98f},
    {.length = 93, .elements = 31, .lanes = 16, .fraction = 0.75f, .prefetch_mib = 4},
    {.length = 95, .elements = 19, .lanes = 16, .fraction = 0.94f},
    {.length = 119, .elements = 17, .lanes = 8, .fraction = 0.97f, .prefetch_mib = 4},
    {.length = 133, .elements = 19, .lanes = 8, .fraction = 0.98f, .prefetch_mib = 4},
    {.length = 10000, .elements = 10, .half_trade = true, .fraction = 0.99f, .prefetch_mib = 4},
};
inline constexpr shape fp32_rows_of_reals[] = {
    {.length = 15, .elements = 15, .lanes = 64, .stage_out = true, .fraction = 0.94f},
    {.length = 24, .elements = 3, .lanes = 16, .fraction = 0.9f},
    {.length = 30, .elements = 30, .lanes = 128, .stage_out = true, .fraction = 0.87f},
    {.length = 48, .elements = 4, .lanes = 16, .fraction = 0.89f},
    {.length = 50, .elements = 10, .lanes = 16, .stage_out = true, .fraction = 0.8f},
    {.length = 100, .elements = 5, .lanes = 4, .fraction = 0.87f, .prefetch_mib = 4},
    {.length = 500, .elements = 10, .fraction = 0.92f, .prefetch_mib = 4},
    {.length = 3000, .elements = 10, .fraction = 0.88f, .prefetch_mib = 4},
    {.length = 15360, .elements = 32, .fraction = 0.73f, .prefetch_mib = 4},
    {.length = 20000, .elements = 20, .fraction = 0.6f, .prefetch_mib = 4},
};
inline constexpr shape fp32_odd_rows_of_reals[] = {
    {.length = 625, .elements = 25, .lanes = 8, .fraction = 0.77f, .prefetch_mib = 4},
};
inline constexpr shape fp32_rows_of_bins[] = {
    {.length = 15, .elements = 15, .lanes = 64, .stage_in = true, .stage_out = true,
     .fraction = 0.74f},
    {.length = 24, .elements = 6, .lanes = 32, .fraction = 0.91f},
    {.length = 30, .elements = 5, .lanes = 16, .fraction = 0.78f},
    {.length = 48, .elements = 6, .lanes = 16, .fraction = 0.96f},
    {.length = 50, .elements = 5, .lanes = 16, .fraction = 0.72f},
    {.length = 500, .elements = 10, .lanes = 4, .fraction = 0.94f, .prefetch_mib = 4},
    {.length = 15360, .elements = 32, .fraction = 0.7f, .prefetch_mib = 4},
};
inline constexpr shape fp32_columns[] = {
    {.length = 96, .elements = 16, .lanes = 32, .fraction = 0.98f},
    {.length = 120, .elements = 8, .lanes = 32, .fraction = 0.98f},
    {.length = 192, .elements = 24, .lanes = 32, .half_trade = true, .fraction = 0.98f},
    {.length = 200, .elements = 20, .lanes = 32, .fraction = 0.98f},
    {.length = 240, .elements = 24, .lanes = 32, .fraction = 0.97f},
    {.length = 320, .elements = 16, .lanes = 16, .half_trade = true, .fraction = 0.96f},
    {.length = 384, .elements = 16, .lanes = 16, .half_trade = true, .fraction = 0.96f},
    {.length = 640, .elements = 32, .lanes = 16, .fraction = 0.91f, .resident = 2},
    {.length = 1280, .elements = 32, .lanes = 16, .resident = 1},
    {.length = 2250, .elements = 30, .lanes = 8, .half_trade = true, .fraction = 0.71f,
     .resident = 1},
    {.length = 3600, .elements = 30, .lanes = 4, .fraction = 0.58f, .resident = 1},
};
inline constexpr shape fp32_lines[] = {
    {.length = 24576, .first = 96, .elements = 32, .workgroups = 8, .fraction = 0.68f,
     .resident = 6, .prefetch_mib = 4},
    {.length = 30720, .first = 96, .elements = 32, .workgroups = 8, .fraction = 0.54f,
     .resident = 5, .prefetch_mib = 4},
    {.length = 46080, .first = 240, .elements = 24, .workgroups = 12, .fraction = 0.55f,
     .resident = 4, .prefetch_mib = 4},
};
inline constexpr cut fp32_cuts[] = {
    {.length = 30720, .parts = {128, 240}},
    {.length = 46080, .parts = {128, 360}},
    {.length = 65610, .parts = {810, 81}},
    {.length = 100000, .parts = {500, 200}},
};
inline constexpr cut fp32_cuts_of_reals[] = {
    {.length = 500000, .parts = {2000, 250}},
    {.length = 5000000, .parts = {250, 200, 100}},
};
// clang-format on

}  // namespace wingbeat::tuning::hopper_other
