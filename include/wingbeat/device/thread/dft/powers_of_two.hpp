// SPDX-License-Identifier: Apache-2.0
// DFTs of 2, 4, 8, 16 and 32 points by Cooley-Tukey; thread/dft.hpp defines their arguments.
#pragma once

#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/index.hpp"               // minimum
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN
#include "wingbeat/device/thread/dft/numbers.hpp"  // dft, real_of, rotated

namespace wingbeat::device::thread {

/// Returns how many of the first `live` numbers are j mod `step`, which number j + m step are.
WINGBEAT_FN constexpr unsigned live_of(unsigned live, unsigned j, unsigned step) {
  return live > j ? (live - j + step - 1) / step : 0;
}

/// Replaces x by its length-2 DFT.  Order: natural.  Scale: none.  Cost: 2 complex adds.
template <direction Dir, unsigned Live, class Number>
WINGBEAT_FN constexpr void dft_of_power(Number (&x)[2]) {
  const Number difference = x[0] - x[1];
  x[0] = x[0] + x[1];
  x[1] = difference;
}

/// Replaces x by its length-4 DFT.  Order: natural.  Scale: none.  Cost: 8 complex adds.
template <direction Dir, unsigned Live, class Number>
WINGBEAT_FN constexpr void dft_of_power(Number (&x)[4]) {
  Number even[2] = {x[0], x[2]};
  Number odd[2] = {x[1], x[3]};
  dft<Dir, live_of(Live, 0, 2)>(even);
  dft<Dir, live_of(Live, 1, 2)>(odd);

  // w^0 = 1 needs no work, so w^1 is the only twiddle left.
  const Number twiddled = quarter_turn<Dir>(odd[1]);
  x[0] = even[0] + odd[0];
  x[1] = even[1] + twiddled;
  x[2] = even[0] - odd[0];
  x[3] = even[1] - twiddled;
}

/// Replaces x by its length-8 DFT.  Order: natural.  Scale: none.
/// Cost: 26 complex adds, 4 real multiplications.
template <direction Dir, unsigned Live, class Number>
WINGBEAT_FN constexpr void dft_of_power(Number (&x)[8]) {
  Number even[4] = {x[0], x[2], x[4], x[6]};
  Number odd[4] = {x[1], x[3], x[5], x[7]};
  dft<Dir, live_of(Live, 0, 2)>(even);
  dft<Dir, live_of(Live, 1, 2)>(odd);

  const Number twiddled[4] = {odd[0], eighth_turn<Dir>(odd[1]), quarter_turn<Dir>(odd[2]),
                              three_eighths_turn<Dir>(odd[3])};
  WINGBEAT_UNROLL
  for (int k = 0; k < 4; ++k) {
    x[k] = even[k] + twiddled[k];
    x[k + 4] = even[k] - twiddled[k];
  }
}

/// Replaces four rows by their DFTs. Row j holds numbers j, j + 4, j + 8 .. of `Live` that are not
/// known zeros.
template <direction Dir, unsigned Live, class Number, unsigned M>
WINGBEAT_FN constexpr void dft_of_rows(Number (&row)[4][M]) {
  dft<Dir, live_of(Live, 0, 4)>(row[0]);
  if constexpr (Live > 1) dft<Dir, live_of(Live, 1, 4)>(row[1]);
  if constexpr (Live > 2) dft<Dir, live_of(Live, 2, 4)>(row[2]);
  if constexpr (Live > 3) dft<Dir, live_of(Live, 3, 4)>(row[3]);
}

/// Replaces x by its length-16 DFT, as four DFTs of 4, nine twiddles, four DFTs of 4.
/// Order: natural.  Scale: none.
template <direction Dir, unsigned Live, class Number>
WINGBEAT_FN constexpr void dft_of_power(Number (&x)[16]) {
  using Real = real_of<Number>;
  const Real c = Real(0.92387953251128675613);  // cos(pi/8)
  const Real s = Real(0.38268343236508977173);  // sin(pi/8)
  Number row[4][4];                             // [j mod 4][k mod 4]
  WINGBEAT_UNROLL
  for (int j = 0; j < 4; ++j) {
    WINGBEAT_UNROLL
    for (int m = 0; m < 4; ++m) row[j][m] = x[j + 4 * m];
  }
  dft_of_rows<Dir, Live, Number, 4>(row);

  // row[j][k] times w16^(jk)
  row[1][1] = rotated<Dir>(row[1][1], c, -s);
  row[1][2] = eighth_turn<Dir>(row[1][2]);
  row[1][3] = rotated<Dir>(row[1][3], s, -c);
  row[2][1] = eighth_turn<Dir>(row[2][1]);
  row[2][2] = quarter_turn<Dir>(row[2][2]);
  row[2][3] = three_eighths_turn<Dir>(row[2][3]);
  row[3][1] = rotated<Dir>(row[3][1], s, -c);
  row[3][2] = three_eighths_turn<Dir>(row[3][2]);
  row[3][3] = rotated<Dir>(row[3][3], -c, s);

  WINGBEAT_UNROLL
  for (int k = 0; k < 4; ++k) {
    Number column[4] = {row[0][k], row[1][k], row[2][k], row[3][k]};
    dft<Dir, minimum(Live, 4u)>(column);
    WINGBEAT_UNROLL
    for (int m = 0; m < 4; ++m) x[k + 4 * m] = column[m];
  }
}

/// Returns z times w^e of order `Order`, 0 <= e < 3/4 Order; e is a constant after unrolling.
template <direction Dir, unsigned Order, class Number>
WINGBEAT_FN constexpr Number times_root(Number z, unsigned e) {
  using Real = real_of<Number>;
  static_assert(64 % Order == 0, "the quarter wave below has roots of orders that divide 64");
  e *= 64 / Order;
  // cos(pi e / 32), a quarter wave
  const Real cosine[17] = {Real(1),
                           Real(0.99518472667219688624),
                           Real(0.98078528040323044913),
                           Real(0.95694033573220886494),
                           Real(0.92387953251128675613),
                           Real(0.88192126434835502971),
                           Real(0.83146961230254523708),
                           Real(0.77301045336273696081),
                           Real(0.70710678118654752440),
                           Real(0.63439328416364549822),
                           Real(0.55557023301960222474),
                           Real(0.47139673682599764856),
                           Real(0.38268343236508977173),
                           Real(0.29028467725446236764),
                           Real(0.19509032201612826785),
                           Real(0.09801714032956060199),
                           Real(0)};
  if (e == 0) return z;
  if (e == 16) return quarter_turn<Dir>(z);
  if (e < 16) return rotated<Dir>(z, cosine[e], -cosine[16 - e]);
  if (e <= 32) return rotated<Dir>(z, -cosine[32 - e], -cosine[e - 16]);
  return rotated<Dir>(z, -cosine[e - 32], cosine[48 - e]);
}

/// Replaces x by its length-32 DFT, as four DFTs of 8, twiddles, eight DFTs of 4.
/// Order: natural.  Scale: none.
template <direction Dir, unsigned Live, class Number>
WINGBEAT_FN constexpr void dft_of_power(Number (&x)[32]) {
  Number row[4][8];  // [j mod 4][k mod 8]
  WINGBEAT_UNROLL
  for (int j = 0; j < 4; ++j) {
    WINGBEAT_UNROLL
    for (int m = 0; m < 8; ++m) row[j][m] = x[j + 4 * m];
  }
  dft_of_rows<Dir, Live, Number, 8>(row);
  WINGBEAT_UNROLL
  for (unsigned k = 0; k < 8; ++k) {
    Number column[4] = {row[0][k], times_root<Dir, 32>(row[1][k], k),
                        times_root<Dir, 32>(row[2][k], 2 * k),
                        times_root<Dir, 32>(row[3][k], 3 * k)};
    dft<Dir, minimum(Live, 4u)>(column);
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < 4; ++m) x[k + 8 * m] = column[m];
  }
}

}  // namespace wingbeat::device::thread
