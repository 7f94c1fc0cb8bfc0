// SPDX-License-Identifier: Apache-2.0
// Pairs of real signals convolved with a kernel of reals by matrix products in fp16: the body of a
// kernel. A transform of 16 points, or of R, is a product with a constant matrix, summed in fp32
// and multiplied by twiddles in fp16. Left products, whose right operand is the data, alternate
// with right ones: the result of one stage is the operand of the next, in the registers in which
// it is.
//
// A radix of 16 is two of 8, of even and of odd inputs: their sum and their difference are the
// results. Forward, the two products start from the same sum; backward, inputs are added first.
//
// Range: each signal is scaled by a power of two, to a norm in [2^12, 2^13), because one of a pair
// has a part of the other's rounding. No stage makes a norm larger than 2^15, whatever the signal
// is; spectra of kernels are scaled to a largest part in [1/2, 1).
#pragma once

#include "wingbeat/device/functors/signal_pairs.hpp"  // signal_pair
#include "wingbeat/device/half.hpp"                   // fp16, bits_of, float_of
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_LOCAL, group
#include "wingbeat/device/tensor/matrix_product.hpp"  // matrices, quad, rounded_product
#include "wingbeat/device/tensor/numbers.hpp"         // convolution_numbers, table_places
#include "wingbeat/device/tensor/signals.hpp"         // neighbours

namespace wingbeat::device::tensor {

template <class Stored>
struct convolution_memory {
  WINGBEAT_GLOBAL const Stored* in;     // [batch][channel][i]
  WINGBEAT_GLOBAL const quad* spectra;  // [channel][64 R], then a scale for each channel
  WINGBEAT_GLOBAL const quad* table;    // of `table_places`
  WINGBEAT_GLOBAL Stored* out;          // [batch][channel][i]
  // Not read unless the numbers say so.
  WINGBEAT_GLOBAL const Stored *gate_before, *gate_after;  // [batch][channel][i]
  WINGBEAT_GLOBAL const unsigned* lengths;                 // [batch]
};

/// A launch has channels groups() workgroups.
/// Callers: threads() of a workgroup.  Memory: local_bytes() of local memory, and the exchange of
/// `matrices` for each subgroup behind it.
template <class Policy, class Group = group>
class convolve {
  using numbers_type = decltype(Policy::numbers());
  using stored = typename numbers_type::stored;
  static constexpr numbers_type n = Policy::numbers();
  static constexpr table_places places{n.outer};
  static constexpr unsigned outer = n.outer, n_rows = n.at_once, subgroups = n.subgroups();
  static constexpr unsigned blocks = 8 / subgroups;  // of 32 columns, in each subgroup
  static constexpr unsigned steps = outer / 16;      // of 8 points n3 < R/2
  static constexpr unsigned tiles = outer / 8;       // of 8 points ka
  static constexpr bool is_folded = places.is_folded();
  static constexpr unsigned row_quads = 64 * outer;
  static constexpr unsigned n_signals = 2 * n_rows;
  using held = typename held_values<stored, n.has_gate_before>::type;
  // Rows are of as many values as there may be, and each exists.
  static constexpr bool are_full = n.length == 128 * outer && n.rows_of_channel() % n_rows == 0 &&
                                   !n.are_alone && n.batch % 2 == 0;
  static constexpr within known = n.is_ragged ? within::partial
                                  : are_full  ? within::full
                                              : within::whole;
  static constexpr unsigned n_quads = 2 * steps * blocks;  // of a signal, in each thread
  using units = matrices<Group>;

 public:
  WINGBEAT_FN convolve(const convolution_memory<stored>& memory, WINGBEAT_LOCAL char* scratch,
                       Group group = {})
      : memory_(memory),
        group_(group),
        exchange_(reinterpret_cast<WINGBEAT_LOCAL quad*>(scratch)),
        shared_(reinterpret_cast<WINGBEAT_LOCAL unsigned*>(scratch + n.exchange_bytes())),
        subgroup_(group.thread() / 32),
        lane_(group.thread() % 32),
        g_(lane_ / 4),
        t_(lane_ % 4),
        units_(group, scratch + n.local_bytes() + subgroup_ * units::exchange_bytes) {}

  WINGBEAT_FN void run() const {
    const size index = group_.index(), channel = index / n.groups();
    const size first = index % n.groups() * n_rows;
    right_part inputs[n_rows][blocks][steps][4];
    float back[n_signals];  // what results are multiplied by
    load(channel, first, inputs, back);
    WINGBEAT_UNROLL
    for (unsigned b = 0; b < blocks; ++b) transform_outer(inputs, b);
    quad spectrum[4];
    load_spectrum(channel, subgroup_, spectrum);
    group_.barrier();
    convolve_inner(channel, spectrum);
    const float scale = scale_of(channel);
    group_.barrier();
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < n_signals; ++v) back[v] *= scale;
    using values = neighbours<stored, n.length, 8>;
    if (values::are_aligned(memory_.out) &&
        (!n.has_gate_after || values::are_aligned(memory_.gate_after))) {
      store_rows<true>(channel, first, back);
    } else {
      store_rows<false>(channel, first, back);
    }
  }

 private:
  /// Where a signal lies, and how many of its values there are.
  struct signal_place {
    size first = 0;
    unsigned count = 0;
  };
  /// Return that of signal `which`, 0 or 1, of a row of a channel.
  WINGBEAT_FN signal_place place_of(size channel, size row, unsigned which) const {
    constexpr size rows = n.rows_of_channel();
    const bool exists = rows % n_rows == 0 || row < rows;
    const functors::signal_pair<stored, float> pair{
        n.signals(false), {nullptr, memory_.lengths}, channel * rows + (exists ? row : 0)};
    const size count = which == 0 ? pair.first_count() : pair.second_count();
    return {which == 0 ? pair.first(0) : pair.second(0), exists ? unsigned(count) : 0u};
  }

  /// Loads the columns of this thread, four neighbours n1 of one n2 in each block, and scales each
  /// signal to a norm in [2^12, 2^13).
  WINGBEAT_FN void load(size channel, size first, right_part (&inputs)[n_rows][blocks][steps][4],
                        float (&back)[n_signals]) const {
    using values = neighbours<stored, n.length, 4>;
    held x[n_signals][n_quads];
    if (values::are_aligned(memory_.in) &&
        (!n.has_gate_before || values::are_aligned(memory_.gate_before))) {
      load_rows<true>(channel, first, x);
    } else {
      load_rows<false>(channel, first, x);
    }
    float energy[n_signals], bias[n_signals];
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < n_signals; ++v) {
      energy[v] = 0;
      bias[v] = 1;
    }
    find_energies(x, energy);
    bool are_usual = true;
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < n_signals; ++v)
      are_usual = are_usual && energy[v] > 0x1p-90f && energy[v] < 0x1p120f;
    if (!are_usual) {
      divide_by_largest(x, bias);
      find_energies(x, energy);
    }
    float scales[n_signals];
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < n_signals; ++v) {
      const int norm = (int(bits_of(energy[v]) >> 23) - 127) >> 1;  // 2^norm <= norm < 2^(norm + 1)
      scales[v] = energy[v] == 0 ? 0.0f : float_of(unsigned(127 + 12 - norm) << 23);
      back[v] = energy[v] == 0 ? 0.0f : float_of(unsigned(127 - 12 + norm) << 23) * bias[v];
    }
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < n_signals; ++v) {
      WINGBEAT_UNROLL
      for (held& each : x[v]) each.scale(scales[v]);
    }
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < n_rows; ++v) {
      WINGBEAT_UNROLL
      for (unsigned u = 0; u < n_quads; ++u) {
        WINGBEAT_UNROLL
        for (unsigned j = 0; j < 4; ++j)
          inputs[v][u / (2 * steps)][u / 2 % steps][j].word[u % 2] =
              held::pair(x[2 * v][u], x[2 * v + 1][u], j);
      }
    }
  }

  template <bool AreAligned>
  WINGBEAT_FN void load_rows(size channel, size first, held (&x)[n_signals][n_quads]) const {
    using values = neighbours<stored, n.length, 4>;
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < n_signals; ++v) {
      const signal_place signal = place_of(channel, first + v / 2, v % 2);
      WINGBEAT_UNROLL
      for (unsigned u = 0; u < n_quads; ++u) {
        const unsigned n3 = outer_input(outer, u / 2 % steps, 4 * (u % 2) + t_);
        const unsigned i = column(u / (2 * steps)) + 256 * n3;
        const auto read = [&](WINGBEAT_GLOBAL const stored* array) {
          return values::template read<AreAligned, known>(array + signal.first, i, signal.count);
        };
        const auto value = read(memory_.in);
        if constexpr (n.has_gate_before) {
          const auto gate = read(memory_.gate_before);
          WINGBEAT_UNROLL
          for (unsigned j = 0; j < 4; ++j)
            x[v][u][j] = static_cast<float>(value.value[j]) * static_cast<float>(gate.value[j]);
        } else {
          x[v][u].set(value);
        }
      }
    }
  }

  /// Sets the sum of the squares of each signal.
  WINGBEAT_FN void find_energies(const held (&x)[n_signals][n_quads],
                                 float (&energy)[n_signals]) const {
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < n_signals; ++v) {
      typename held::sum squares{};
      WINGBEAT_UNROLL
      for (const held& values : x[v]) values.add_squares(squares);
      const float sum = units_.sum(held::total(squares));
      if (lane_ == 0) shared_[v * subgroups + subgroup_] = bits_of(sum);
    }
    group_.barrier();
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < n_signals; ++v) {
      energy[v] = 0;
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < subgroups; ++i) energy[v] += float_of(shared_[v * subgroups + i]);
    }
  }

  /// Divides each signal by a power of two, so that its largest value is in [1, 2); one of 0 stays
  /// so, and NaN and infinities make a signal of NaN.
  WINGBEAT_FN void divide_by_largest(held (&x)[n_signals][n_quads],
                                     float (&bias)[n_signals]) const {
    group_.barrier();  // all have read the shared words
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < n_signals; ++v) {
      unsigned largest = 0;
      WINGBEAT_UNROLL
      for (const held& values : x[v]) {
        const unsigned most = values.largest();
        largest = most > largest ? most : largest;
      }
      largest = units_.largest(largest);
      if (lane_ == 0) shared_[v * subgroups + subgroup_] = largest;
    }
    group_.barrier();
    WINGBEAT_UNROLL
    for (unsigned v = 0; v < n_signals; ++v) {
      unsigned largest = 0;
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < subgroups; ++i) {
        const unsigned other = shared_[v * subgroups + i];
        largest = other > largest ? other : largest;
      }
      unsigned exponent = largest >> 23;
      exponent = exponent < 1 ? 1 : exponent > 253 ? 253 : exponent;
      const bool is_finite = largest < 0x7f800000u;
      const float scale = is_finite ? float_of((254 - exponent) << 23) : float_of(0x7fc00000u);
      bias[v] = float_of(exponent << 23);
      WINGBEAT_UNROLL
      for (held& values : x[v]) values.scale(scale);
    }
    group_.barrier();
  }

  /// Returns the first of this thread's columns m = n1 + 16 n2 in a block.
  WINGBEAT_FN unsigned column(unsigned b) const {
    const unsigned number = subgroup_ + subgroups * b;
    return 16 * (4 * (number >> 1) + 2 * (g_ & 1) + (number & 1)) + 4 * (g_ >> 1);
  }

  /// Transforms along n3 and stores pairs (n2, n2 + 2).
  WINGBEAT_FN void transform_outer(const right_part (&inputs)[n_rows][blocks][steps][4],
                                   unsigned b) const {
    const unsigned number = subgroup_ + subgroups * b;
    const auto matrix = memory_.table + places.first() + lane_;
    const auto twiddles = memory_.table + places.twiddles() + number * (tiles * 64) + lane_;
    constexpr unsigned results = is_folded ? 2 : 1, turns = tiles / results;
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < turns; ++m) {
      left_part f[steps];
      quad w[results][2];
      WINGBEAT_UNROLL
      for (unsigned s = 0; s < steps; ++s)
        f[s] = left_of(table_entry(matrix + (m * steps + s) * 32));
      WINGBEAT_UNROLL
      for (unsigned h = 0; h < results; ++h) WINGBEAT_UNROLL
      for (unsigned q = 0; q < 2; ++q)
        w[h][q] = table_entry(twiddles + ((m + h * turns) * 2 + q) * 32);
      WINGBEAT_UNROLL
      for (unsigned v = 0; v < n_rows; ++v) WINGBEAT_UNROLL
      for (unsigned q = 0; q < 2; ++q) {
        product_part sums[results][2];
        WINGBEAT_UNROLL
        for (unsigned j = 0; j < 2; ++j) sum_outer(f, inputs[v][b], 2 * q + j, sums, j);
        WINGBEAT_UNROLL
        for (unsigned h = 0; h < results; ++h) {
          const auto place = forward_place(4 * (m + h * turns) + (g_ >> 1), g_ & 1, number & 1,
                                           number >> 1, 2 * t_ + q);
          exchange_[v * row_quads + place] = both_of(sums[h], w[h][q]);
        }
      }
    }
  }
  template <unsigned Results>
  WINGBEAT_FN void sum_outer(const left_part (&f)[steps], const right_part (&inputs)[steps][4],
                             unsigned column, product_part (&sums)[Results][2], unsigned j) const {
    product_part even{};
    if constexpr (is_folded) {
      WINGBEAT_UNROLL
      for (unsigned s = 0; s < steps; s += 2)
        even = units_.multiply_add(f[s], inputs[s][column], even);
      sums[0][j] = sums[1][j] = even;
      WINGBEAT_UNROLL
      for (unsigned s = 1; s < steps; s += 2) {
        sums[0][j] = units_.multiply_add(f[s], inputs[s][column], sums[0][j]);
        sums[1][j] = units_.multiply_add(-f[s], inputs[s][column], sums[1][j]);
      }
    } else {
      WINGBEAT_UNROLL
      for (unsigned s = 0; s < steps; ++s)
        even = units_.multiply_add(f[s], inputs[s][column], even);
      sums[0][j] = even;
    }
  }
  /// Returns both complex pairs of sums, times twiddles.
  WINGBEAT_FN static quad both_of(const product_part (&sums)[2], const quad& w) {
    quad out;
    WINGBEAT_UNROLL
    for (unsigned j = 0; j < 2; ++j) {
      const complex_pair z = rounded_product(sums[j], pair_of(w.value[2 * j], w.value[2 * j + 1]));
      out.value[2 * j] = z.re.bits;
      out.value[2 * j + 1] = z.im.bits;
    }
    return out;
  }
  WINGBEAT_FN static complex_pair pair_of(unsigned re, unsigned im) {
    return {half_pair::of_bits(re), half_pair::of_bits(im)};
  }

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
      spectrum[i] = load_past(memory_.spectra + channel * row_quads + (r * 4 + i) * 32 + lane_);
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

  template <bool AreAligned>
  WINGBEAT_FN void store_rows(size channel, size first, const float (&back)[n_signals]) const {
    WINGBEAT_UNROLL
    for (unsigned b = 0; b < blocks; ++b) {
      product_part sums[n_rows][steps][4];
      transform_outer_back(b, sums);
      WINGBEAT_UNROLL
      for (unsigned v = 0; v < n_signals; ++v)
        store_block<AreAligned>(place_of(channel, first + v / 2, v % 2), b, v % 2, sums[v / 2],
                                back[v]);
    }
  }
  template <bool AreAligned>
  WINGBEAT_FN void store_block(signal_place signal, unsigned b, unsigned which,
                               const product_part (&sums)[steps][4], float back) const {
    using values = neighbours<stored, n.length, 8>;
    WINGBEAT_UNROLL
    for (unsigned s = 0; s < steps; ++s) {
      float y[8];
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < 8; ++i) y[i] = sums[s][i % 4].sum[2 * which + i / 4];
      const unsigned i =
          256 * outer_input(outer, s, g_) + 32 * (subgroup_ + subgroups * b) + 8 * t_;
      if constexpr (n.has_gate_after) {
        const auto gate = values::template read<AreAligned, known>(
            memory_.gate_after + signal.first, i, signal.count);
        WINGBEAT_UNROLL
        for (unsigned j = 0; j < 8; ++j) y[j] *= static_cast<float>(gate.value[j]);
      }
      values::template write<AreAligned, known>(memory_.out + signal.first, i, signal.count, y,
                                                back);
    }
  }

  /// Transforms the rows of a block back along ka.
  WINGBEAT_FN void transform_outer_back(unsigned b, product_part (&sums)[n_rows][steps][4]) const {
    const unsigned number = subgroup_ + subgroups * b;
    const auto matrix = memory_.table + places.last() + lane_;
    constexpr unsigned folds = is_folded ? 2 : 1, turns = tiles / folds;
    WINGBEAT_UNROLL
    for (unsigned k = 0; k < turns; ++k) {
      left_part f[steps];
      WINGBEAT_UNROLL
      for (unsigned s = 0; s < steps; ++s)
        f[s] = left_of(table_entry(matrix + (s * turns + k) * 32));
      WINGBEAT_UNROLL
      for (unsigned v = 0; v < n_rows; ++v) WINGBEAT_UNROLL
      for (unsigned q = 0; q < 2; ++q) {
        right_part z[folds][2];
        read_outer(number, k, v, q, z);
        WINGBEAT_UNROLL
        for (unsigned s = 0; s < steps; ++s) WINGBEAT_UNROLL
        for (unsigned j = 0; j < 2; ++j) {
          product_part& sum = sums[v][s][2 * q + j];
          sum = k == 0 ? units_.multiply(f[s], z[s % folds][j])
                       : units_.multiply_add(f[s], z[s % folds][j], sum);
        }
      }
    }
  }
  /// Reads pairs of ka, or their sums and differences with those R / 2 further.
  template <unsigned Folds>
  WINGBEAT_FN void read_outer(unsigned number, unsigned k, unsigned v, unsigned q,
                              right_part (&z)[Folds][2]) const {
    const auto row = exchange_ + v * row_quads;
    const auto at = [&](unsigned tile) {
      return row[inverse_place(4 * tile + t_, 2 * number + (g_ >> 2), 2 * (g_ & 3) + q)];
    };
    const quad x = at(k);
    if constexpr (is_folded) {
      const quad y = at(k + tiles / 2);
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const half_pair a = half_pair::of_bits(x.value[i]), c = half_pair::of_bits(y.value[i]);
        z[0][i / 2].word[i % 2] = (a + c).bits;
        z[1][i / 2].word[i % 2] = (a - c).bits;
      }
    } else {
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < 4; ++i) z[0][i / 2].word[i % 2] = x.value[i];
    }
  }

  convolution_memory<stored> memory_;
  Group group_;
  WINGBEAT_LOCAL quad* exchange_;
  WINGBEAT_LOCAL unsigned* shared_;
  unsigned subgroup_, lane_, g_, t_;
  units units_;
};

}  // namespace wingbeat::device::tensor
