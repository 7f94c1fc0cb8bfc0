// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs of compute capability 8: not measured; they take Hopper's shapes of one workgroup.
#include "tuning/hopper_shapes.hpp"
#include "tuning/tuning.hpp"

namespace wingbeat::tuning {

using namespace hopper_shapes;

const architecture& ampere() {
  static constexpr architecture data{.name = "ampere",
                                     .bank_bytes = 128,
                                     .fp32 = {.rows = {.whole = fp32_whole},
                                              .rows_of_reals = {.whole = fp32_rows_of_reals},
                                              .rows_of_bins = {.whole = fp32_rows_of_bins},
                                              .columns = fp32_columns,
                                              .unmeasured_mirrored = fp32_mirrored_limits},
                                     .fp64 = {.rows = {.whole = fp64_whole},
                                              .columns = fp64_columns,
                                              .unmeasured_mirrored = fp64_mirrored_limits}};
  return data;
}

}  // namespace wingbeat::tuning
