// SPDX-License-Identifier: Apache-2.0
// What a filter bank of several launches stores between them, and by which powers of two it is
// multiplied to keep within fp16. With |x| <= P of all samples and w the weights, no sum is larger
// than P times B, the largest sum of |w| over the taps of a position, and no bin of L positions
// larger than L times that:
//
//     sums are times 2^s,  s = 15 - ceil(log2(P B))      bins are times 2^(s - ceil(log2 L))
//
// so that nothing exceeds 2^15, half of the largest fp16. The factors are of the weights, of the
// transform and of what follows it; as powers of two they cost no accuracy.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/channeliser.hpp"  // channeliser_spec

namespace wingbeat::channelising {

struct between_launches {
  precision stored = precision::fp32;
  int sum_exponent = 0;  ///< Sums are 2^sum_exponent times themselves; of a narrow band none is.
  int bin_exponent = 0;

  [[nodiscard]] std::size_t real_bytes() const { return stored == precision::fp16 ? 2 : 4; }
};

[[nodiscard]] between_launches between_launches_of(const channeliser_spec& spec);

}  // namespace wingbeat::channelising
