// SPDX-License-Identifier: Apache-2.0
// A spectrogram: overlapping frames are read where they lie, their power is stored in dB. Neither
// frames nor spectra ever exist in memory.
#pragma once

#include "wingbeat/device/io.hpp"
#include "wingbeat/device/workgroup/real.hpp"

namespace example {

using namespace wingbeat::device;

struct spectrogram {
  static constexpr unsigned n = 512;    // samples of a frame
  static constexpr unsigned hop = 128;  // from frame to frame
  static constexpr unsigned bins = n / 2 + 1;
  using fft = workgroup::real_fft<workgroup::shape<n / 2, 4, 2>, float, direction::forward>;
  using in_type = float;
  using out_type = float;

  /// Returns samples 2 j and 2 j + 1 of a frame under Welch's window.
  struct load {
    WINGBEAT_GLOBAL const float* frame;
    bool exists;
    WINGBEAT_FN float sample(unsigned i) const {
      const float x = 2.0f * float(i) / float(n) - 1.0f;
      return frame[i] * (1.0f - x * x);
    }
    WINGBEAT_FN complex<float> operator()(unsigned j) const {
      if (!exists) return {0.0f, 0.0f};
      return {sample(2 * j), sample(2 * j + 1)};
    }
  };

  /// Keeps 10 log10 of the power, -120 dB at least.
  struct store {
    WINGBEAT_GLOBAL float* column;
    bool exists;
    WINGBEAT_FN void operator()(unsigned k, complex<float> z) const {
      if (exists) column[k] = 10.0f * maths::log10(z.re * z.re + z.im * z.im + 1e-12f);
    }
  };

  /// Two frames a workgroup.  in: [hop (batch - 1) + n];  out: [frame][bins];  batch: frames
  template <class Group>
  WINGBEAT_FN static void run(Group group, WINGBEAT_GLOBAL const float* in,
                              WINGBEAT_GLOBAL float* out,
                              WINGBEAT_GLOBAL const complex<float>* roots, size batch,
                              WINGBEAT_LOCAL char* memory) {
    const workgroup::team<fft::shape_type, workgroup::lanes::along_transform, Group> team{group};
    const io::member frame = io::member_of(team, group.index(), batch);
    fft::execute(team, load{in + frame.offset(hop), frame.exists},
                 store{out + frame.offset(bins), frame.exists}, fft::scratch_type{memory}, roots);
  }
};

}  // namespace example
