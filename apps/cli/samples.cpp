// SPDX-License-Identifier: Apache-2.0
#include "cli/samples.hpp"

namespace wingbeat::cli {

std::vector<double> numbers_of(std::span<const std::complex<double>> samples, bool is_real) {
  std::vector<double> numbers;
  numbers.reserve(samples.size() * (is_real ? 1 : 2));
  for (const auto& sample : samples) {
    numbers.push_back(sample.real());
    if (!is_real) numbers.push_back(sample.imag());
  }
  return numbers;
}

void round_to(precision real, std::span<double> numbers) {
  if (real == precision::fp64) return;
  for (double& number : numbers) number = static_cast<float>(number);
}

}  // namespace wingbeat::cli
