// SPDX-License-Identifier: Apache-2.0
// Spectra of kernels as `tensor::convolve` reads them: the body of a kernel. A spectrum is divided
// by the power of two that brings its largest part into [1/2, 1), and rounded to fp16.
#pragma once

#include "wingbeat/device/complex.hpp"                // complex, copied_from
#include "wingbeat/device/half.hpp"                   // fp16, bits_of, float_of
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_LOCAL, group, maths
#include "wingbeat/device/tensor/matrix_product.hpp"  // matrices, quad

namespace wingbeat::device::tensor {

struct spectra_numbers {
  size channels = 1;
  unsigned outer = 16;  ///< R
  size origin = 0;      ///< Index of the first result: spectra are shifted there.
  unsigned threads = 256;

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("channels", channels);
    visit("outer", outer);
    visit("origin", origin);
    visit("threads", threads);
  }
  WINGBEAT_FN constexpr unsigned local_bytes() const {
    return threads / 32 * unsigned(sizeof(unsigned));
  }
};

struct spectra_memory {
  WINGBEAT_GLOBAL const complex<float>* bins;  // [channel][N]
  WINGBEAT_GLOBAL quad* out;                   // see `convolution_memory`
};

/// A launch has a workgroup for each channel.
/// Callers: `threads` of a workgroup.  Memory: local_bytes() of local memory, and the exchange of
/// `matrices` for each subgroup behind it.
template <class Policy, class Group = group>
class spectra {
  static constexpr spectra_numbers n = Policy::numbers();
  static constexpr unsigned points = 256 * n.outer, quads = points / 4;

 public:
  WINGBEAT_FN spectra(const spectra_memory& memory, WINGBEAT_LOCAL char* scratch, Group group = {})
      : memory_(memory),
        group_(group),
        largest_(reinterpret_cast<WINGBEAT_LOCAL unsigned*>(scratch)),
        units_(group,
               scratch + n.local_bytes() + group.thread() / 32 * matrices<Group>::exchange_bytes) {}

  WINGBEAT_FN void run() const {
    const size channel = group_.index();
    float magnitude = 0;
    for (unsigned k = group_.thread(); k < points; k += n.threads) {
      const complex<float> z = bin(channel, k);
      magnitude = maths::maximum(magnitude,
                                 maths::maximum(z.re < 0 ? -z.re : z.re, z.im < 0 ? -z.im : z.im));
    }
    const unsigned most = units_.largest(bits_of(magnitude));
    if (group_.thread() % 32 == 0) largest_[group_.thread() / 32] = most;
    group_.barrier();
    unsigned top = 0;
    for (unsigned i = 0; i < n.threads / 32; ++i) top = largest_[i] > top ? largest_[i] : top;
    const unsigned exponent = top >> 23 < 2 ? 2 : (top >> 23 > 252 ? 252 : top >> 23);
    const float scale = float_of((253 - exponent) << 23);  // 2^126 / 2^exponent
    for (unsigned i = group_.thread(); i < quads; i += n.threads) {
      const unsigned lane = i % 32, h = i / 32 % 2, ka = i / 64, g = lane / 4, t = lane % 4;
      quad out;
      for (unsigned v = 0; v < 2; ++v) {
        complex<float> z[2];
        for (unsigned e = 0; e < 2; ++e) {
          const unsigned kb = g + 8 * h, kc = 2 * t + e + 8 * v;
          z[e] = bin(channel, ka + n.outer * (kb + 16 * kc));
        }
        out.value[2 * v] = fp16::pair_of(z[0].re * scale, z[1].re * scale);
        out.value[2 * v + 1] = fp16::pair_of(z[0].im * scale, z[1].im * scale);
      }
      memory_.out[channel * quads + i] = out;
    }
    if (group_.thread() != 0) return;
    const auto scales = reinterpret_cast<WINGBEAT_GLOBAL float*>(memory_.out + n.channels * quads);
    scales[channel] = float_of((exponent + 1) << 23);
  }

 private:
  /// Returns a bin of the kernel, shifted so that the first result has index 0.
  WINGBEAT_FN complex<float> bin(size channel, unsigned k) const {
    const complex<float> z = copied_from(memory_.bins + channel * points + k);
    if constexpr (n.origin == 0) return z;
    const auto turns = static_cast<float>(n.origin * k % points) / static_cast<float>(points);
    return z * complex<float>{maths::cosine_of_turns(turns), maths::sine_of_turns(turns)};
  }

  spectra_memory memory_;
  Group group_;
  WINGBEAT_LOCAL unsigned* largest_;
  matrices<Group> units_;
};

}  // namespace wingbeat::device::tensor
