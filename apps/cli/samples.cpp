// SPDX-License-Identifier: Apache-2.0
#include "cli/samples.hpp"

#include "arrays/array.hpp"      // bytes_of_real
#include "reference/stored.hpp"  // store_number

namespace wingbeat::cli {

std::vector<std::byte> pack(std::span<const double> numbers, precision real) {
  std::vector<std::byte> bytes(numbers.size() * bytes_of_real(real));
  auto* target = reinterpret_cast<char*>(bytes.data());
  for (const double number : numbers) {
    reference::store_number(target, real, number);
    target += bytes_of_real(real);
  }
  return bytes;
}

void round_to(precision real, std::span<double> numbers) {
  if (real == precision::fp64) return;
  for (double& number : numbers) number = static_cast<float>(number);
}

}  // namespace wingbeat::cli
