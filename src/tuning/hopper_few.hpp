// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs: shapes for calls of few transforms, which stay in the caches and would leave most
// multiprocessors idle. Found on an H200 by `best_shape few` and `lines .. of 1` (bench/NOTES.md,
// section 23); a cluster is for as many transforms as leave each of its workgroups a
// multiprocessor. Included by hopper.cpp.
#pragma once

#include "tuning/tuning.hpp"

namespace wingbeat::tuning::hopper_few {

// A shape is a line, or two.
// clang-format off
inline constexpr shape fp32_whole[] = {
    {.length = 1024, .elements = 16, .lanes = 4, .counts = {.from = 1025, .up_to = 4096}},
};
inline constexpr cluster_shape fp32_lines[] = {
    {.length = 8192, .first = 64, .elements = 16, .workgroups = 4, .resident = 8,
     .counts = {.up_to = 32}},
    {.length = 16384, .first = 128, .elements = 16, .workgroups = 8, .resident = 8,
     .counts = {.up_to = 16}},
    {.length = 32768, .first = 128, .elements = 16, .workgroups = 16, .resident = 8,
     .counts = {.up_to = 8}},
    {.length = 65536, .first = 256, .elements = 16, .workgroups = 16, .resident = 3,
     .counts = {.up_to = 8}},
};
inline constexpr cluster_shape fp32_lines_of_reals[] = {
    {.length = 16384, .first = 64, .elements = 16, .workgroups = 8, .resident = 6,
     .counts = {.up_to = 16}},
};
inline constexpr cluster_shape fp32_planes[] = {
    {.length = 16384, .first = 128, .elements = 16, .workgroups = 8, .resident = 8,
     .counts = {.up_to = 16}},
    {.length = 65536, .first = 256, .elements = 16, .workgroups = 16, .resident = 3,
     .counts = {.up_to = 8}},
};
inline constexpr column_shape fp32_columns[] = {
    {.length = 512, .elements = 16, .lanes = 8, .counts = {.up_to = 1024}},
    {.length = 1024, .elements = 16, .lanes = 8, .counts = {.up_to = 1024}},
};
inline constexpr cut fp32_cuts_of_reals[] = {
    {.length = 1 << 19, .parts = {1024, 512}, .counts = {.up_to = 4}},
};
inline constexpr column_shape fp32_mirrored_of_reals[] = {
    {.length = 512, .elements = 16, .lanes = 8, .counts = {.up_to = 1024}},
};
// clang-format on

}  // namespace wingbeat::tuning::hopper_few
