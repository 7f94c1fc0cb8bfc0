// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuning.hpp"

namespace wingbeat::tuning {

const shapes& shapes_for(const architecture& data, precision stored) {
  if (stored == precision::fp64) return data.fp64;
  const bool is_narrow = stored == precision::fp16 || stored == precision::bf16;
  return is_narrow && !data.stored_in_16_bits.rows.whole.is_empty() ? data.stored_in_16_bits
                                                                    : data.fp32;
}

const architecture& for_device(const device_info& device) {
  if (device.runs_on == engine::cuda) return device.capability_major < 9 ? ampere() : hopper();
  return device.is_gpu ? opencl_gpu() : opencl_cpu();
}

}  // namespace wingbeat::tuning
