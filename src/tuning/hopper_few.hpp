// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs: shapes for calls of few transforms, which stay in the caches and would leave most
// multiprocessors idle. Found on an H200 (bench/lessons/calls.md#few-rows). A cluster is for as
// many transforms as leave each of its workgroups a multiprocessor. Columns are counted as in a
// call of one transform.
#pragma once

#include "tuning/tuning.hpp"

namespace wingbeat::tuning::hopper_few {

// A shape takes one line or two.
// clang-format off
inline constexpr shape fp32_whole[] = {
    {.length = 4, .elements = 2, .lanes = 256, .counts = {.min = 1 << 15, .max = 1 << 20}},
    {.length = 16, .elements = 4, .lanes = 64, .counts = {.min = 1 << 13, .max = 1 << 18}},
    {.length = 1024, .elements = 16, .lanes = 4, .counts = {.min = 1025, .max = 4096}},
};
inline constexpr shape fp32_lines[] = {
    {.length = 8192, .first = 64, .elements = 16, .workgroups = 4, .resident = 8,
     .counts = {.max = 32}},
    {.length = 16384, .first = 128, .elements = 16, .workgroups = 8, .resident = 8,
     .counts = {.max = 16}},
    {.length = 32768, .first = 128, .elements = 16, .workgroups = 16, .resident = 8,
     .counts = {.max = 8}},
    {.length = 65536, .first = 256, .elements = 16, .workgroups = 16, .resident = 3,
     .counts = {.min = 5, .max = 8}},
};
inline constexpr shape fp32_lines_of_reals[] = {
    {.length = 16384, .first = 64, .elements = 16, .workgroups = 8, .resident = 6,
     .counts = {.max = 16}},
};
inline constexpr shape fp32_planes[] = {
    {.length = 16384, .first = 128, .elements = 16, .workgroups = 8, .resident = 8,
     .counts = {.max = 16}},
    {.length = 65536, .first = 256, .elements = 16, .workgroups = 16, .resident = 3,
     .counts = {.max = 8}},
};
inline constexpr cut fp32_cuts[] = {
    {.length = 1 << 16, .parts = {256, 256}, .counts = {.max = 4}},
    {.length = 1 << 17, .parts = {512, 256}, .counts = {.max = 2}},
    {.length = 1 << 21, .parts = {2048, 1024}, .counts = {.max = 1}},
};
inline constexpr shape fp32_columns[] = {
    {.length = 64, .elements = 8, .lanes = 4, .counts = {.max = 256}},
    {.length = 128, .elements = 8, .lanes = 4, .counts = {.max = 128}},
    {.length = 256, .elements = 4, .lanes = 4, .counts = {.max = 64}},
    {.length = 256, .elements = 16, .lanes = 4, .counts = {.min = 65, .max = 1024}},
    {.length = 512, .elements = 8, .lanes = 4, .counts = {.max = 128}},
    {.length = 512, .elements = 16, .lanes = 4, .counts = {.min = 129, .max = 256}},
    {.length = 512, .elements = 16, .lanes = 8, .counts = {.min = 257, .max = 1024}},
    {.length = 1024, .elements = 16, .lanes = 4, .counts = {.max = 512}},
    {.length = 1024, .elements = 16, .lanes = 8, .counts = {.min = 513, .max = 1024}},
    {.length = 1024, .elements = 32, .lanes = 8, .counts = {.min = 1025, .max = 2048}},
    {.length = 2048, .elements = 32, .lanes = 8, .counts = {.max = 1024}},
};
inline constexpr cut fp32_cuts_of_reals[] = {
    {.length = 1 << 13, .parts = {128, 64}, .counts = {.max = 2}},
    {.length = 1 << 15, .parts = {512, 64}, .counts = {.max = 2}},
    {.length = 1 << 16, .parts = {512, 128}, .counts = {.max = 2}},
    {.length = 1 << 16, .parts = {256, 256}, .counts = {.min = 3, .max = 8}},
    {.length = 1 << 17, .parts = {512, 256}, .counts = {.max = 2}},
    {.length = 1 << 18, .parts = {1024, 256}, .counts = {.max = 2}},
    {.length = 1 << 19, .parts = {1024, 512}, .counts = {.max = 4}},
    {.length = 1 << 20, .parts = {2048, 512}, .counts = {.max = 1}},
    {.length = 1 << 21, .parts = {2048, 1024}, .counts = {.max = 1}},
};
inline constexpr shape fp32_mirrored_of_reals[] = {
    {.length = 64, .elements = 8, .lanes = 8, .counts = {.max = 1024}},
    {.length = 128, .elements = 8, .lanes = 8, .counts = {.max = 1024}},
    {.length = 256, .elements = 16, .lanes = 8, .counts = {.max = 1024}},
    {.length = 256, .elements = 32, .lanes = 16, .counts = {.min = 1025, .max = 2048}},
    {.length = 512, .elements = 16, .lanes = 8, .counts = {.max = 1024}},
    {.length = 512, .elements = 32, .lanes = 16, .counts = {.min = 1025, .max = 2048}},
    {.length = 1024, .elements = 32, .lanes = 16, .counts = {.max = 2048}},
};
inline constexpr cut fp32_cuts_of_bins[] = {
    {.length = 1 << 13, .parts = {128, 64}, .counts = {.max = 2}},
    {.length = 1 << 14, .parts = {64, 256}, .counts = {.max = 1}},
    {.length = 1 << 15, .parts = {128, 256}, .counts = {.max = 2}},
    {.length = 1 << 16, .parts = {256, 256}, .counts = {.max = 8}},
    {.length = 1 << 17, .parts = {256, 512}, .counts = {.max = 2}},
    {.length = 1 << 18, .parts = {256, 1024}, .counts = {.max = 2}},
    {.length = 1 << 19, .parts = {512, 1024}, .counts = {.max = 2}},
    {.length = 1 << 20, .parts = {512, 2048}, .counts = {.max = 1}},
    {.length = 1 << 21, .parts = {1024, 2048}, .counts = {.max = 1}},
};
inline constexpr shape fp32_mirrored_of_bins[] = {
    {.length = 64, .elements = 4, .lanes = 8, .counts = {.max = 256}},
    {.length = 128, .elements = 8, .lanes = 8, .counts = {.max = 128}},
    {.length = 128, .elements = 16, .lanes = 8, .counts = {.min = 129, .max = 512}},
    {.length = 256, .elements = 16, .lanes = 8, .counts = {.max = 1024}},
    {.length = 256, .elements = 32, .lanes = 16, .counts = {.min = 1025, .max = 2048}},
    {.length = 512, .elements = 16, .lanes = 8, .counts = {.max = 1024}},
    {.length = 512, .elements = 32, .lanes = 16, .counts = {.min = 1025, .max = 2048}},
    {.length = 1024, .elements = 32, .lanes = 16, .counts = {.max = 2048}},
};
// clang-format on

}  // namespace wingbeat::tuning::hopper_few
