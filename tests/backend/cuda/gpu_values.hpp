// SPDX-License-Identifier: Apache-2.0
// Complex numbers for tests on a GPU, as a user's program holds them.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <random>
#include <vector>

namespace wingbeat::test {

using values = std::vector<std::complex<float>>;

/// Returns n numbers of the square from -1 to 1: the same for the same seed.
inline values noise(std::size_t n, unsigned seed) {
  std::mt19937 bits{seed};
  std::uniform_real_distribution<float> unit{-1, 1};
  values all(n);
  for (auto& z : all) z = {unit(bits), unit(bits)};
  return all;
}

}  // namespace wingbeat::test
