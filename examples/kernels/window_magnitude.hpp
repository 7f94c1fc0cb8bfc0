// SPDX-License-Identifier: Apache-2.0
// A window on the way in, magnitudes on the way out: neither costs a crossing of memory.
#pragma once

#include "wingbeat/device/workgroup/fft.hpp"

namespace example {

using namespace wingbeat::device;

struct window_magnitude {
  static constexpr unsigned n = 1024;
  static constexpr unsigned bins = n / 2 + 1;
  using fft = workgroup::fft<workgroup::shape<n, 8>, float, direction::forward>;
  using in_type = float;
  using out_type = float;

  /// Returns sample i under Welch's window, 1 - (2 i / n - 1)^2.
  struct load {
    WINGBEAT_GLOBAL const float* row;
    WINGBEAT_FN complex<float> operator()(unsigned i) const {
      const float x = 2.0f * float(i) / float(n) - 1.0f;
      return {row[i] * (1.0f - x * x), 0.0f};
    }
  };

  /// Keeps the magnitudes of bins 0 .. n/2; the others mirror them.
  struct store {
    WINGBEAT_GLOBAL float* row;
    WINGBEAT_FN void operator()(unsigned k, complex<float> z) const {
      if (k < bins) row[k] = maths::square_root(z.re * z.re + z.im * z.im);
    }
  };

  /// One row a workgroup.  in: [row][n];  out: [row][bins]
  template <class Group>
  WINGBEAT_FN static void run(Group group, WINGBEAT_GLOBAL const float* in,
                              WINGBEAT_GLOBAL float* out,
                              WINGBEAT_GLOBAL const complex<float>* roots, size,
                              WINGBEAT_LOCAL char* memory) {
    const workgroup::team<fft::shape_type, workgroup::lanes::along_transform, Group> team{group};
    const size row = group.index();
    fft::execute(team, load{in + row * n}, store{out + row * bins}, fft::scratch_type{memory},
                 roots);
  }
};

}  // namespace example
