// SPDX-License-Identifier: Apache-2.0
// The loops of levels of bands, for one instruction set. CMake compiles this file once per set, in
// its own namespace; hence no standard algorithms here.
#include "backend/frame_rows.hpp"

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {
namespace {

using std::size_t;

bool square(const float* __restrict bins, float* __restrict powers, size_t count) {
  int n_others = 0;
  for (size_t k = 0; k < count; ++k) {
    const float power = bins[2 * k] * bins[2 * k] + bins[2 * k + 1] * bins[2 * k + 1];
    powers[k] = power;
    n_others += !(power <= __FLT_MAX__);
  }
  return n_others == 0;
}

typedef float four __attribute__((vector_size(16)));

[[gnu::always_inline]] inline four loaded(const float* place) {
  four x;
  __builtin_memcpy(&x, place, sizeof x);
  return x;
}

/// Returns a0 + a2, b0 + b2, a1 + a3, b1 + b3.
[[gnu::always_inline]] inline four half_sums(four a, four b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
}

/// Four bins of a band side by side: most bands are a few bins wide, so that wider vectors would
/// have zeros.
void sum(const band_quad* quads, size_t count, const float* __restrict weights,
         const float* __restrict powers, float* __restrict sums) {
  for (size_t q = 0; q < count; ++q, sums += 4) {
    const band_quad quad = quads[q];
    four a{}, b{}, c{}, d{};
    for (size_t s = 0; s < quad.steps; ++s, weights += 16) {
      const float* const bins = powers + 4 * s;
      a += loaded(weights) * loaded(bins + quad.first[0]);
      b += loaded(weights + 4) * loaded(bins + quad.first[1]);
      c += loaded(weights + 8) * loaded(bins + quad.first[2]);
      d += loaded(weights + 12) * loaded(bins + quad.first[3]);
    }
    const four ab = half_sums(a, b), cd = half_sums(c, d);
    const four total =
        __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    __builtin_memcpy(sums, &total, sizeof total);
  }
}

/// Returns ln x of a normal number: x = 2^e m, sqrt(1/2) <= m < sqrt(2), s = (m - 1) / (m + 1),
///     ln m = 2 (s + s^3 / 3 + s^5 / 5 + ..),   |s| < 0.172, so s^11 is below rounding.
[[gnu::always_inline]] inline float natural_log(float x) {
  constexpr int root_half = 0x3f3504f3;  // bits of sqrt(1/2)
  const int bits = __builtin_bit_cast(int, x);
  const int exponent = (bits - root_half) >> 23;
  const float m = __builtin_bit_cast(float, bits - exponent * (1 << 23));
  const float s = (m - 1) / (m + 1), q = s * s;
  const float series = q * (1 / 3.0F + q * (1 / 5.0F + q * (1 / 7.0F + q * (1 / 9.0F))));
  return float(exponent) * 0.693147181F + 2 * (s + s * series);
}

void log(float* __restrict x, size_t count, float floor, float offset, float gain, float shift) {
  int n_special = 0;
  for (size_t i = 0; i < count; ++i) {
    x[i] = (x[i] < floor ? floor : x[i]) + offset;  // NaN stays
    n_special += !(x[i] >= __FLT_MIN__ && x[i] <= __FLT_MAX__);
  }
  if (n_special == 0) {
    for (size_t i = 0; i < count; ++i) x[i] = gain * natural_log(x[i]) + shift;
  } else {
    for (size_t i = 0; i < count; ++i) x[i] = gain * __builtin_logf(x[i]) + shift;
  }
}

}  // namespace

extern const frame_rows frames_set;
const frame_rows frames_set = {square, sum, log};

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
