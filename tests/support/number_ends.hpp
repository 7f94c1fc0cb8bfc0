// SPDX-License-Identifier: Apache-2.0
// Counts at which products and sums of 64-bit numbers overflow.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // SIZE_MAX

namespace wingbeat::test {

inline constexpr std::size_t number_ends[] = {0,
                                              1,
                                              std::size_t{1} << 31,
                                              std::size_t{1} << 32,
                                              (std::size_t{1} << 61) + 1,
                                              std::size_t{1} << 63,
                                              SIZE_MAX};

}  // namespace wingbeat::test
