// SPDX-License-Identifier: Apache-2.0
#include "cli/samples.hpp"

#include <cstdint>  // int64_t
#include <cstring>  // memcpy
#include <random>   // mt19937_64

namespace wingbeat::cli {

std::vector<std::byte> pack(std::span<const double> numbers, precision real) {
  if (real == precision::fp64) {
    const auto bytes = std::as_bytes(numbers);
    return {bytes.begin(), bytes.end()};
  }
  std::vector<std::byte> bytes(numbers.size() * sizeof(float));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto rounded = static_cast<float>(numbers[i]);
    std::memcpy(bytes.data() + i * sizeof rounded, &rounded, sizeof rounded);
  }
  return bytes;
}

std::vector<double> unpack(std::span<const std::byte> bytes, precision real) {
  if (real == precision::fp64) {
    std::vector<double> numbers(bytes.size() / sizeof(double));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }
  std::vector<double> numbers(bytes.size() / sizeof(float));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    float number = 0;
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    numbers[i] = number;
  }
  return numbers;
}

void round_to(precision real, std::span<double> numbers) {
  if (real == precision::fp64) return;
  for (double& number : numbers) number = static_cast<float>(number);
}

std::vector<double> noise(std::size_t n_reals) {
  std::mt19937_64 bits{1};  // std::uniform_real_distribution differs from library to library
  std::vector<double> numbers(n_reals);
  for (double& number : numbers) {
    number = static_cast<double>(static_cast<std::int64_t>(bits())) * 0x1p-63;
  }
  return numbers;
}

}  // namespace wingbeat::cli
