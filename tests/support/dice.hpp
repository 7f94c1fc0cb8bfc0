// SPDX-License-Identifier: Apache-2.0
// Random choices that are the same everywhere: the distributions of std differ from library to
// library, remainders do not.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <random>   // mt19937_64

namespace wingbeat::test {

class dice {
 public:
  explicit dice(std::uint64_t seed) : bits_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits_() % n); }
  std::size_t between(std::size_t least, std::size_t most) {
    return least + below(most - least + 1);
  }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class Value, std::size_t N>
  Value one_of(const Value (&values)[N]) {
    return values[below(N)];
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace wingbeat::test
