// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs of compute capability 9 and later.
#include "tuning/hopper_few.hpp"     // calls of few transforms
#include "tuning/hopper_other.hpp"   // lengths that are no powers of two
#include "tuning/hopper_shapes.hpp"  // powers of two
#include "tuning/tuning.hpp"

namespace wingbeat::tuning {

namespace few = hopper_few;
namespace other = hopper_other;
using namespace hopper_shapes;

namespace {

constexpr shapes fp64_shapes{
    .rows = {.whole = {fp64_whole, other::fp64_whole},
             .lines = fp64_lines,
             .cuts = fp64_cuts,
             .planes = fp64_planes},
    .rows_of_reals = {.whole = fp64_rows_of_reals,
                      .lines = fp64_lines_of_reals,
                      .cuts = fp64_cuts_of_reals},
    .rows_of_bins = {.whole = fp64_rows_of_bins, .lines = fp64_lines_of_reals, .cuts = fp64_cuts},
    .primes = other::fp64_primes,
    .primes_of_reals = other::fp64_primes_of_reals,
    .chirps = other::fp64_chirps,
    .columns = fp64_columns,
    .unmeasured_mirrored = fp64_mirrored_limits};

}  // namespace

const architecture& hopper() {
  static constexpr architecture data{
      .name = "hopper",
      .bank_bytes = 128,
      .fp32 = {.rows = {.whole = {few::fp32_whole, fp32_whole, other::fp32_whole},
                        .lines = {few::fp32_lines, fp32_lines, other::fp32_lines},
                        .cuts = {few::fp32_cuts, fp32_cuts, other::fp32_cuts},
                        .planes = {few::fp32_planes, fp32_planes}},
               .rows_of_reals = {.whole = {fp32_rows_of_reals, other::fp32_rows_of_reals},
                                 .lines = {few::fp32_lines_of_reals, fp32_lines_of_reals},
                                 .cuts = {few::fp32_cuts_of_reals, fp32_cuts_of_reals,
                                          other::fp32_cuts_of_reals},
                                 .planes = fp32_planes_of_reals,
                                 .mirrored = {few::fp32_mirrored_of_reals, fp32_mirrored_of_reals}},
               .rows_of_bins = {.whole = {fp32_rows_of_bins, other::fp32_rows_of_bins},
                                .lines = fp32_lines_of_bins,
                                .cuts = {few::fp32_cuts_of_bins, fp32_cuts_of_bins},
                                .planes = fp32_planes_of_bins,
                                .mirrored = {few::fp32_mirrored_of_bins, fp32_mirrored_of_bins}},
               .odd_rows_of_reals = other::fp32_odd_rows_of_reals,
               .convolutions = fp32_convolutions,
               .primes = other::fp32_primes,
               .primes_of_reals = other::fp32_primes_of_reals,
               .chirps = other::fp32_chirps,
               .columns = {few::fp32_columns, fp32_columns, other::fp32_columns},
               .column_lines = fp32_column_lines,
               .unmeasured_mirrored = fp32_mirrored_limits},
      .fp64 = fp64_shapes,
      .stored_in_16_bits = {.rows = {.whole = fp16_whole,
                                     .lines = fp16_lines,
                                     .cuts = fp32_cuts,
                                     .planes = fp16_planes},
                            .rows_of_reals = {.whole = fp16_rows_of_reals,
                                              .lines = fp16_lines_of_reals,
                                              .cuts = fp32_cuts_of_reals,
                                              .planes = fp16_planes_of_reals,
                                              .mirrored = fp32_mirrored_of_reals},
                            .rows_of_bins = {.whole = fp16_rows_of_bins,
                                             .lines = fp16_lines_of_bins,
                                             .cuts = fp32_cuts_of_bins,
                                             .planes = fp16_planes_of_bins,
                                             .mirrored = fp32_mirrored_of_bins},
                            .columns = fp32_columns,
                            .column_lines = fp32_column_lines,
                            .unmeasured_mirrored = fp32_mirrored_limits},
      .placing = {.convolved_twiddles = device::workgroup::twiddling::fused},
      .banks = {.twiddles = device::workgroup::twiddling::fused}};
  return data;
}

}  // namespace wingbeat::tuning
