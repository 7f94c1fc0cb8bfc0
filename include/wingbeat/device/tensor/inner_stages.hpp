// SPDX-License-Identifier: Apache-2.0
// The stages of 16 points, along n2 and n1, the product with a spectrum, and their inverses.
#pragma once

#include "wingbeat/device/half.hpp"                   // half_pair
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN
#include "wingbeat/device/tensor/matrix_product.hpp"  // product_part, table_entry
#include "wingbeat/device/tensor/numbers.hpp"         // forward_place, inverse_place
#include "wingbeat/device/tensor/outer_stages.hpp"    // outer_stages

namespace wingbeat::device::tensor {

template <class Policy, class Group>
class inner_stages : public outer_stages<Policy, Group> {
  using base = outer_stages<Policy, Group>;

 protected:
  using base::base;
  using base::n, base::places, base::outer, base::n_rows, base::subgroups, base::row_quads,
      base::memory_, base::group_, base::exchange_, base::subgroup_, base::lane_, base::g_,
      base::t_, base::units_, base::both_of, base::pair_of;

  /// The constants of the stages of 16 points.
  struct inner_constants {
    left_part matrix[2][2];      // sums, differences of even and odd; inverse
    complex_pair twiddle[2][2];  // [half of kb][n1 mod 2]
    complex_pair back[2][2];     // [n1 mod 2][half of kb]
  };
  WINGBEAT_FN inner_constants constants() const {
    inner_constants c;
    const auto table = memory_.table + lane_;
    WINGBEAT_UNROLL
    for (unsigned h = 0; h < 2; ++h) WINGBEAT_UNROLL
    for (unsigned i = 0; i < 2; ++i)
      c.matrix[h][i] = left_of(table_entry(table + places.matrix() + (2 * h + i) * 32));
    const auto read_pairs = [&](unsigned place, complex_pair(&pairs)[2][2]) {
      const quad re = table_entry(table + place), im = table_entry(table + place + 32);
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < 4; ++i) pairs[i / 2][i % 2] = pair_of(re.value[i], im.value[i]);
    };
    read_pairs(places.inner(), c.twiddle);
    read_pairs(places.inner_back(), c.back);
    return c;
  }

  /// Loads what two ka are multiplied by.
  WINGBEAT_FN void load_spectrum(size channel, unsigned r, quad (&spectrum)[4]) const {
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < 4; ++i)
      spectrum[i] =
          load_past<quad>(memory_.spectra + channel * row_quads + (r * 4 + i) * 32 + lane_);
  }
  WINGBEAT_FN float scale_of(size channel) const {
    return reinterpret_cast<WINGBEAT_GLOBAL const float*>(memory_.spectra +
                                                          size(n.channels) * row_quads)[channel];
  }

  /// Transforms along n2 and n1, multiplies by the spectrum, and transforms back, two ka at once.
  WINGBEAT_FN void convolve_inner(size channel, quad (&spectrum)[4]) const {
    const inner_constants c = constants();
    for (unsigned r = subgroup_; r < outer / 2; r += subgroups) {
      quad twiddles[4];
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < 4; ++i)
        twiddles[i] =
            table_entry(memory_.table + places.twiddles_back() + (r * 4 + i) * 32 + lane_);
      WINGBEAT_UNROLL
      for (unsigned v = 0; v < n_rows; ++v) {
        const auto row = exchange_ + v * row_quads;
        left_part rows[2][2];  // [ka mod 2][n2 mod 2]
        WINGBEAT_UNROLL
        for (unsigned parity = 0; parity < 2; ++parity) {
          convolve_inner(c, row[forward_place(r, parity, 0, t_, g_)],
                         row[forward_place(r, parity, 1, t_, g_)], spectrum[2 * parity],
                         spectrum[2 * parity + 1], rows[parity]);
        }
        if (v + 1 == n_rows && r + subgroups < outer / 2)
          load_spectrum(channel, r + subgroups, spectrum);
        group_.subgroup_barrier();  // these quads are of this subgroup alone
        transform_back(rows, twiddles, row, r, c);
      }
    }
  }
  /// Transforms two ka back along n2.
  WINGBEAT_FN void transform_back(const left_part (&rows)[2][2], const quad (&twiddles)[4],
                                  WINGBEAT_LOCAL quad* row, unsigned r,
                                  const inner_constants& c) const {
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      product_part re[2], im[2];
      WINGBEAT_UNROLL
      for (unsigned parity = 0; parity < 2; ++parity) {
        const auto& m = c.matrix[i][i].word;
        re[parity] = units_.multiply(rows[parity][i], {{m[0], m[1]}});
        im[parity] = units_.multiply(rows[parity][i], {{m[2], m[3]}});
      }
      WINGBEAT_UNROLL
      for (unsigned e = 0; e < 2; ++e) {
        const product_part sums[2] = {
            {{re[0].sum[e], re[1].sum[e], im[0].sum[e], im[1].sum[e]}},
            {{re[0].sum[2 + e], re[1].sum[2 + e], im[0].sum[2 + e], im[1].sum[2 + e]}}};
        row[inverse_place(r, 4 * t_ + 2 * e + i, g_)] = both_of(sums, twiddles[2 * e + i]);
      }
    }
  }

  /// One ka: from its inputs to the operands of the last stage of 16 points.
  WINGBEAT_FN void convolve_inner(const inner_constants& c, const quad& even, const quad& odd,
                                  const quad& lower, const quad& upper,
                                  left_part (&rows)[2]) const {
    left_part a[2];  // of n1 mod 2: imaginary parts, then real ones
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < 2; ++v) {
      const right_part odds{{odd.value[2 * v], odd.value[2 * v + 1]}};
      const product_part sum =
          units_.multiply(c.matrix[0][0], {{even.value[2 * v], even.value[2 * v + 1]}});
      WINGBEAT_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        const product_part kb = units_.multiply_add(c.matrix[h][1 - h], odds, sum);
        const complex_pair z = rounded_product(kb, c.twiddle[h][v]);
        a[v].word[h] = z.im.bits;
        a[v].word[2 + h] = z.re.bits;
      }
    }
    const auto real_of = [&](const left_part& m) { return right_part{{m.word[2], m.word[3]}}; };
    const auto imaginary_of = [&](const left_part& m) {
      return right_part{{m.word[0], m.word[1]}};
    };
    const product_part even_re = units_.multiply(a[0], real_of(c.matrix[0][0]));
    const product_part even_im = units_.multiply(a[0], imaginary_of(c.matrix[0][0]));
    complex_pair z[2][2];  // [half of kb][half of kc]
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      const left_part& m = c.matrix[i][1 - i];
      const auto re = units_.multiply_add(a[1], real_of(m), even_re);
      const auto im = units_.multiply_add(a[1], imaginary_of(m), even_im);
      WINGBEAT_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        const quad& spectrum = h == 0 ? lower : upper;
        complex_pair factor = pair_of(spectrum.value[2 * i], spectrum.value[2 * i + 1]);
        if constexpr (n.conjugates) factor.im = -factor.im;
        z[h][i] = rounded_product(
            {{re.sum[2 * h], re.sum[2 * h + 1], im.sum[2 * h], im.sum[2 * h + 1]}}, factor);
      }
    }
    complex_pair halves[2][2];  // [half of kb][n1 mod 2]
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < 2; ++v) WINGBEAT_UNROLL
    for (unsigned h = 0; h < 2; ++h) {
      const half_pair re = h == 0 ? z[v][0].re + z[v][1].re : z[v][0].re - z[v][1].re;
      const half_pair im = h == 0 ? z[v][0].im + z[v][1].im : z[v][0].im - z[v][1].im;
      // Imaginary parts first: the conjugate matrix.
      const auto n1 = units_.multiply(c.matrix[h][h], {{im.bits, re.bits}});
      const complex_pair w = c.back[h][v];
      halves[v][h] = rounded_product({{n1.sum[2], n1.sum[3], n1.sum[0], n1.sum[1]}}, {w.re, -w.im});
    }
    WINGBEAT_UNROLL
    for (unsigned h = 0; h < 2; ++h) {
      const complex_pair x = halves[0][h], y = halves[1][h];
      rows[0].word[h] = (x.re + y.re).bits;
      rows[0].word[2 + h] = (x.im + y.im).bits;
      rows[1].word[h] = (x.re - y.re).bits;
      rows[1].word[2 + h] = (x.im - y.im).bits;
    }
  }
};

}  // namespace wingbeat::device::tensor
