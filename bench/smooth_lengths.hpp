// SPDX-License-Identifier: Apache-2.0
// Lengths that a library transforms quickly: what an image is padded to before it is handed over.
#pragma once

#include <cstddef>  // size_t

namespace wingbeat {

/// Returns the least even number from `least` on whose prime factors are 2, 3, 5 and 7.
inline std::size_t smooth_length(std::size_t least) {
  const auto is_smooth = [](std::size_t n) {
    for (const std::size_t prime : {2, 3, 5, 7}) {
      while (n % prime == 0) n /= prime;
    }
    return n == 1;
  };
  std::size_t n = least + least % 2;
  while (!is_smooth(n)) n += 2;
  return n;
}

}  // namespace wingbeat
