// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuning.hpp"

namespace wingbeat::tuning {

const architecture& for_device(const device_info& where) {
  if (where.runs_on == engine::cuda) {
    const bool is_before_hopper = where.architecture < "sm_90" && where.architecture.size() == 5;
    return is_before_hopper ? ampere() : hopper();
  }
  return where.is_gpu ? opencl_gpu() : opencl_cpu();
}

}  // namespace wingbeat::tuning
