// SPDX-License-Identifier: Apache-2.0
// Signals in registers, each scaled to the same norm.
#pragma once

#include "wingbeat/device/half.hpp"                       // bits_of, float_of
#include "wingbeat/device/port.hpp"                       // WINGBEAT_FN
#include "wingbeat/device/tensor/convolving_threads.hpp"  // convolving_threads
#include "wingbeat/device/tensor/signals.hpp"             // neighbours, held_values

namespace wingbeat::device::tensor {

template <class Policy, class Group>
class scaled_signals : public convolving_threads<Policy, Group> {
  using base = convolving_threads<Policy, Group>;

 protected:
  using base::base;
  using base::n, base::outer, base::n_rows, base::subgroups, base::blocks, base::steps,
      base::n_signals, base::n_quads, base::known, base::memory_, base::group_, base::shared_,
      base::subgroup_, base::lane_, base::t_, base::units_, base::column, base::place_of;
  using typename base::signal_place;
  using typename base::stored;

  using held = typename held_values<typename base::stored, base::n.has_gate_before>::type;

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
};

}  // namespace wingbeat::device::tensor
