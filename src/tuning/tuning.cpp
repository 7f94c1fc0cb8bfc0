// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuning.hpp"

namespace wingbeat::tuning {

const architecture& for_device(const device_info& where) {
  if (where.runs_on == engine::cuda) return hopper();
  return where.is_gpu ? opencl_gpu() : opencl_cpu();
}

}  // namespace wingbeat::tuning
