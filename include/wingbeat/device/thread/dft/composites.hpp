// SPDX-License-Identifier: Apache-2.0
// DFTs of 6, 9, 10, 12, 14, 15, 18, 20, 24, 25, 27 and 30 points by their factors; thread/dft.hpp
// defines their arguments.
//
// Coprime factors need no twiddles (I. J. Good, "The interaction algorithm and practical Fourier
// analysis", 1958): with N = A B,  j = B a + A b  and  k mod A = c, k mod B = d,
//     jk/N = ac/A + bd/B   mod 1,
// so that a DFT of N is B DFTs of A, then A DFTs of B. Their operations are those of the factors
// alone, as few as FFTW 3's codelets have: of 6, 10, 12, 14 and 15, 36, 84, 96, 148 and 156.
//
// 9, 25 and 27 are DFTs of A = N/B, twiddles, DFTs of B = 3 or 5. Columns k and -k mod A have
// conjugate twiddles, so that bins mirror each other exactly.
#pragma once

#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/factors.hpp"             // greatest_factor
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN
#include "wingbeat/device/thread/dft/numbers.hpp"  // dft, real_of, fused, rotated

namespace wingbeat::device::thread {

/// The twiddles of a DFT of 3, v and v^2 with v = exp(-2 pi i e / 27) = C (1 - i tangent), and the
/// DFT's factors with C in them.
template <class Real>
struct twiddles_of_3 {
  Real tangent, tangent_of_square;
  Real share;                     // of the cosine of v^2 in C
  Real cosine, minus_half, sine;  // C, -C/2, C sin 60 degrees
};

/// Returns those of e = 1, 2, 3 (v of order 9) or 4.
template <class Real, unsigned E>
WINGBEAT_FN constexpr twiddles_of_3<Real> twiddles_of_27() {
  static_assert(E >= 1 && E <= 4, "the others are conjugates");
  if constexpr (E == 1) {
    return {Real(0.237004353771496071118),  Real(0.502218876022745137203),
            Real(0.918387905165060936483),  Real(0.973044870579823838833),
            Real(-0.486522435289911919416), Real(0.842681576944268785212)};
  } else if constexpr (E == 2) {
    return {Real(0.502218876022745137203),  Real(1.34323311076845604431),
            Real(0.668237220483206682166),  Real(0.893632640323412248193),
            Real(-0.446816320161706124096), Real(0.773908568171037121655)};
  } else if constexpr (E == 3) {
    return {Real(0.839099631177280011763),  Real(5.67128181961770953099),
            Real(0.226681596905677465812),  Real(0.766044443118978035202),
            Real(-0.383022221559489017601), Real(0.663413948168938396205)};
  } else {
    return {Real(1.34323311076845604431),   Real(-3.34023261613830773708),
            Real(-0.480279839721097182524), Real(0.597158591702786164852),
            Real(-0.298579295851393082426), Real(0.517154510502752122217)};
  }
}

/// Replaces x by the DFT of 3 of x[0], v x[1], v^2 x[2], v = exp(-2 pi i E / 27), forward. Cost: 16
/// operations, four more than without twiddles, because their cosines become part of the DFT's
/// factors (as E. Linzer and E. Feig, "Implementation of efficient FFT algorithms on fused
/// multiply-add architectures", 1993).
template <direction Dir, unsigned E, class Number>
WINGBEAT_FN constexpr void twiddled_dft_of_3(Number (&x)[3]) {
  const twiddles_of_3<real_of<Number>> factor = twiddles_of_27<real_of<Number>, E>();
  const Number first = fused_quarter<Dir>(x[1], factor.tangent, x[1]);
  const Number second = fused_quarter<Dir>(x[2], factor.tangent_of_square, x[2]);
  const Number sum = fused(first, factor.share, second);
  const Number difference = fused(first, -factor.share, second);
  const Number even = fused(x[0], factor.minus_half, sum);
  x[0] = fused(x[0], factor.cosine, sum);
  x[1] = fused_quarter<Dir>(even, factor.sine, difference);
  x[2] = fused_quarter<opposite(Dir)>(even, factor.sine, difference);
}

/// Makes columns K and -K of a DFT of 3 A = 27 / `Step`: of rows j = 0 .. 2, bins K and -K of A.
template <direction Dir, unsigned K, unsigned Step, class Number, unsigned A>
WINGBEAT_FN constexpr void columns_of_3(const Number (&row)[3][A], Number (&x)[3 * A]) {
  Number y[3] = {row[0][K], row[1][K], row[2][K]};
  Number z[3] = {row[0][A - K], row[1][A - K], row[2][A - K]};
  twiddled_dft_of_3<Dir, K * Step, Number>(y);
  // conjugate twiddles: of the other direction, whose last two outputs are exchanged
  twiddled_dft_of_3<opposite(Dir), K * Step, Number>(z);
  WINGBEAT_UNROLL
  for (unsigned m = 0; m < 3; ++m) {
    x[K + A * m] = y[m];
    x[(A * (m + 3) - K) % (3 * A)] = z[(3 - m) % 3];
  }
}

/// Makes the rows j of a DFT of 3 A, of inputs j, j + 3 .., and its bins 0, A and 2 A.
template <direction Dir, unsigned Live, class Number, unsigned A>
WINGBEAT_FN constexpr void rows_of_3(Number (&row)[3][A], Number (&x)[3 * A]) {
  WINGBEAT_UNROLL
  for (unsigned j = 0; j < 3; ++j) {
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < A; ++m) {
      row[j][m] = {};
      if (j + 3 * m < Live) row[j][m] = x[j + 3 * m];
    }
    dft<Dir>(row[j]);
  }
  Number y[3] = {row[0][0], row[1][0], row[2][0]};
  dft<Dir>(y);
  WINGBEAT_UNROLL
  for (unsigned m = 0; m < 3; ++m) x[A * m] = y[m];
}

/// Replaces x by its length-9 DFT.  Cost: 80 operations.
template <direction Dir, unsigned Live, class Number>
WINGBEAT_FN constexpr void dft_of_power(Number (&x)[9]) {
  Number row[3][3];
  rows_of_3<Dir, Live, Number, 3>(row, x);
  columns_of_3<Dir, 1, 3, Number, 3>(row, x);
}

/// Returns the multiple of b, below a b, that is 1 mod a; a and b are coprime.
WINGBEAT_FN constexpr unsigned coprime_unit(unsigned a, unsigned b) {
  unsigned multiple = b;
  while (multiple % a != 1) multiple += b;
  return multiple;
}

/// Replaces x by its DFT of length A B, A and B coprime.
template <direction Dir, unsigned Live, unsigned A, unsigned B, class Number>
WINGBEAT_FN constexpr void dft_of_coprime(Number (&x)[A * B]) {
  constexpr unsigned n = A * B;
  Number row[B][A];  // [b][a], then [b][c]
  WINGBEAT_UNROLL
  for (unsigned b = 0; b < B; ++b) {
    WINGBEAT_UNROLL
    for (unsigned a = 0; a < A; ++a) {
      const unsigned j = (B * a + A * b) % n;
      row[b][a] = {};
      if (j < Live) row[b][a] = x[j];
    }
    dft<Dir>(row[b]);
  }
  constexpr unsigned unit_a = coprime_unit(A, B), unit_b = coprime_unit(B, A);
  WINGBEAT_UNROLL
  for (unsigned c = 0; c < A; ++c) {
    Number column[B];
    WINGBEAT_UNROLL
    for (unsigned b = 0; b < B; ++b) column[b] = row[b][c];
    dft<Dir>(column);
    WINGBEAT_UNROLL
    for (unsigned d = 0; d < B; ++d) x[(unit_a * c + unit_b * d) % n] = column[d];
  }
}

/// Returns the greatest power of a prime that divides n.
WINGBEAT_FN constexpr unsigned power_in(unsigned n, unsigned prime) {
  unsigned power = prime;
  while (n % (power * prime) == 0) power *= prime;
  return power;
}

/// Replaces x by its length-27 DFT.  Cost: 380 operations.
template <direction Dir, unsigned Live, class Number>
WINGBEAT_FN constexpr void dft_of_power(Number (&x)[27]) {
  Number row[3][9];
  rows_of_3<Dir, Live, Number, 9>(row, x);
  columns_of_3<Dir, 1, 1, Number, 9>(row, x);
  columns_of_3<Dir, 2, 1, Number, 9>(row, x);
  columns_of_3<Dir, 3, 1, Number, 9>(row, x);
  columns_of_3<Dir, 4, 1, Number, 9>(row, x);
}

/// Replaces x by its length-25 DFT.  Cost: 384 operations.
template <direction Dir, unsigned Live, class Number>
WINGBEAT_FN constexpr void dft_of_power(Number (&x)[25]) {
  using Real = real_of<Number>;
  // cos and sin of 2 pi e / 25, e = 0 .. 8
  const Real cosine[9] = {Real(1),
                          Real(0.968583161128631119490),
                          Real(0.876306680043863587308),
                          Real(0.728968627421411523147),
                          Real(0.535826794978996618271),
                          Real(0.309016994374947424102),
                          Real(0.0627905195293133760762),
                          Real(-0.187381314585724630543),
                          Real(-0.425779291565072648863)};
  const Real sine[9] = {Real(0),
                        Real(0.248689887164854788242),
                        Real(0.481753674101715274987),
                        Real(0.684547105928688673732),
                        Real(0.844327925502015078549),
                        Real(0.951056516295153572116),
                        Real(0.998026728428271561952),
                        Real(0.982287250728688681086),
                        Real(0.904827052466019527714)};
  Number row[5][5];  // [j mod 5][k mod 5]
  WINGBEAT_UNROLL
  for (unsigned j = 0; j < 5; ++j) {
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < 5; ++m) {
      row[j][m] = {};
      if (j + 5 * m < Live) row[j][m] = x[j + 5 * m];
    }
    dft<Dir>(row[j]);
  }
  WINGBEAT_UNROLL
  for (unsigned k = 0; k < 3; ++k) {
    Number y[5] = {row[0][k]}, z[5] = {row[0][(5 - k) % 5]};
    WINGBEAT_UNROLL
    for (unsigned j = 1; j < 5; ++j) {
      y[j] = row[j][k];
      z[j] = row[j][(5 - k) % 5];
      if (k == 0) continue;
      y[j] = rotated<Dir>(y[j], cosine[j * k], -sine[j * k]);
      z[j] = rotated<opposite(Dir)>(z[j], cosine[j * k], -sine[j * k]);
    }
    dft<Dir>(y);
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < 5; ++m) x[k + 5 * m] = y[m];
    if (k == 0) continue;
    dft<Dir>(z);
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < 5; ++m) x[(5 * (m + 5) - k) % 25] = z[m];
  }
}

/// Replaces x by its DFT of any length whose prime powers, and that without the greatest of them,
/// have one.
template <direction Dir, class Number, unsigned N>
WINGBEAT_FN constexpr void dft_by_factors(Number (&x)[N]) {
  constexpr unsigned power = power_in(N, greatest_factor(N));
  if constexpr (power == N) {
    dft<Dir>(x);
  } else {
    dft_of_coprime<Dir, N, N / power, power, value_of<Number>>(x);
  }
}

}  // namespace wingbeat::device::thread
