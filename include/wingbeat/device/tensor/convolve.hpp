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

#include "wingbeat/device/port.hpp"                 // WINGBEAT_FN, WINGBEAT_LOCAL, group
#include "wingbeat/device/tensor/inner_stages.hpp"  // inner_stages
#include "wingbeat/device/tensor/numbers.hpp"       // outer_input
#include "wingbeat/device/tensor/signals.hpp"       // neighbours

namespace wingbeat::device::tensor {

/// A launch has channels groups() workgroups.
/// Callers: threads() of a workgroup.  Memory: local_bytes() of local memory, and the exchange of
/// `matrices` for each subgroup behind it.
template <class Policy, class Group = group>
class convolve : inner_stages<Policy, Group> {
  using base = inner_stages<Policy, Group>;
  using base::n, base::outer, base::n_rows, base::subgroups, base::blocks, base::steps,
      base::n_signals, base::known, base::memory_, base::group_, base::subgroup_, base::g_,
      base::t_, base::place_of, base::load, base::transform_outer, base::load_spectrum,
      base::scale_of, base::convolve_inner, base::transform_outer_back;
  using typename base::signal_place, typename base::stored;

 public:
  WINGBEAT_FN convolve(const convolution_memory<stored>& memory, WINGBEAT_LOCAL char* scratch,
                       Group group = {})
      : base(memory, scratch, group) {}

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
  WINGBEAT_FN void store_block(signal_place signal, unsigned b, unsigned second,
                               const product_part (&sums)[steps][4], float back) const {
    using values = neighbours<stored, n.length, 8>;
    WINGBEAT_UNROLL
    for (unsigned s = 0; s < steps; ++s) {
      float y[8];
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < 8; ++i) y[i] = sums[s][i % 4].sum[2 * second + i / 4];
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
};

}  // namespace wingbeat::device::tensor
