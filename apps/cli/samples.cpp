// SPDX-License-Identifier: Apache-2.0
#include "cli/samples.hpp"

namespace wingbeat::cli {

void round_to(precision real, std::span<double> values) {
  if (real == precision::fp64) return;
  for (double& number : values) number = static_cast<float>(number);
}

}  // namespace wingbeat::cli
