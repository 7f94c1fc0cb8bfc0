// SPDX-License-Identifier: Apache-2.0
// The numbers that a filter bank of several launches stores between them, and the powers of two
// that keep them within fp16. With samples |x| <= P and weights w, no sum exceeds P times B, the
// largest sum of |w| over the taps of a position, and no bin of L positions exceeds L times that:
//
//     sums are times 2^s,  s = 15 - ceil(log2(P B))      bins are times 2^(s - ceil(log2 L))
//
// so that nothing exceeds 2^15, half of the largest fp16. The factors are applied to the weights,
// the transform and the steps after it; as powers of two they cost no accuracy.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/channeliser.hpp"  // channeliser_spec

namespace wingbeat::channelising {

struct between_launches {
  precision stored = precision::fp32;
  int sum_exponent = 0;  ///< Sums are stored times 2^sum_exponent; 0 for a narrow band.
  int bin_exponent = 0;

  [[nodiscard]] std::size_t real_bytes() const { return stored == precision::fp16 ? 2 : 4; }
};

[[nodiscard]] between_launches between_launches_of(const channeliser_spec& spec);

}  // namespace wingbeat::channelising
