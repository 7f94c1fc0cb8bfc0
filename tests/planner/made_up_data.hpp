// SPDX-License-Identifier: Apache-2.0
// Tuning data for tests, with different numbers in each field, so that none can be taken for
// another.
#pragma once

#include "tuning/tuning.hpp"  // architecture

namespace wingbeat::test {

// A shape is a line, or two.
// clang-format off
inline constexpr tuning::shape made_up_whole[] = {
    {.length = 1, .elements = 1, .lanes = 8},
    {.length = 2, .elements = 2, .lanes = 8},
    {.length = 4, .elements = 2, .lanes = 4},
    {.length = 8, .elements = 4, .lanes = 16, .half_trade = true, .stage_in = true,
     .fraction = 0.75F, .resident = 5, .prefetch_mib = 2, .streams = true},
    {.length = 16, .elements = 8, .lanes = 2, .stage_out = true, .fraction = 0.5F},
};
inline constexpr tuning::shape made_up_columns[] = {
    {.length = 8, .elements = 4, .lanes = 8, .half_trade = true, .fraction = 0.25F, .resident = 6,
     .streams = true},
    {.length = 16, .elements = 4, .lanes = 16},
    {.length = 32, .elements = 8, .lanes = 4},
};
inline constexpr tuning::shape made_up_lines[] = {
    {.length = 64, .first = 4, .elements = 4, .workgroups = 4, .fraction = 0.5F, .resident = 3,
     .prefetch_mib = 1},
    {.length = 64, .first = 8, .elements = 8},
};
inline constexpr tuning::shape made_up_column_lines[] = {
    {.length = 32, .first = 4, .elements = 4, .workgroups = 2, .lanes = 4, .fraction = 0.5F,
     .resident = 2},
};
inline constexpr tuning::cut made_up_cuts[] = {
    {.length = 128, .parts = {8, 16}},
    {.length = 1024, .parts = {8, 16, 8}},
};
inline constexpr tuning::shape made_up_planes[] = {
    {.length = 64, .first = 8, .elements = 4, .workgroups = 2, .fraction = 0.5F, .resident = 3,
     .prefetch_mib = 1},
    {.length = 128, .first = 16, .elements = 8},
};
inline constexpr tuning::shape made_up_planes_of_reals[] = {
    {.length = 128, .first = 16, .elements = 8},
};
inline constexpr tuning::shape made_up_mirrored[] = {
    {.length = 16, .elements = 8, .lanes = 4, .half_trade = true, .fraction = 0.5F, .resident = 2},
};
// clang-format on

inline tuning::architecture made_up_data() {
  const tuning::shapes shapes{
      .rows = {.whole = made_up_whole,
               .lines = made_up_lines,
               .cuts = made_up_cuts,
               .planes = made_up_planes},
      .rows_of_reals = {.whole = made_up_whole,
                        .planes = made_up_planes_of_reals,
                        .mirrored = made_up_mirrored},
      .columns = made_up_columns,
      .column_lines = made_up_column_lines,
      .unmeasured_mirrored = {.most_threads = 512},
  };
  return {.name = "made up", .bank_bytes = 128, .fp32 = shapes, .fp64 = shapes};
}

}  // namespace wingbeat::test
