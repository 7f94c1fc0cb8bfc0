// SPDX-License-Identifier: Apache-2.0
// Two real rows as one complex one: half the transforms, and half spectra that are stored in rows
// side by side. Row 0 of a half spectrum holds bin 0 as its real part and bin n/2 as the other.
#pragma once

#include "wingbeat/device/workgroup/two_real.hpp"

namespace example {

using namespace wingbeat::device;

struct two_real_rows {
  static constexpr unsigned n = 256;
  using fft = workgroup::two_real_fft<workgroup::shape<n, 4>, float, direction::forward>;
  using in_type = float;
  using out_type = complex<float>;

  struct load {
    WINGBEAT_GLOBAL const float* first;
    WINGBEAT_GLOBAL const float* second;
    WINGBEAT_FN complex<float> operator()(unsigned i) const { return {first[i], second[i]}; }
  };
  struct store {
    WINGBEAT_GLOBAL complex<float>* first;
    WINGBEAT_GLOBAL complex<float>* second;
    WINGBEAT_FN void operator()(unsigned row, complex<float> x, complex<float> y) const {
      first[row] = x;
      second[row] = y;
    }
  };

  /// Two rows a workgroup.  in: [row][n];  out: [row][n/2], bin fft::bin_of(j) at j;  batch: even
  template <class Group>
  WINGBEAT_FN static void run(Group group, WINGBEAT_GLOBAL const float* in,
                              WINGBEAT_GLOBAL complex<float>* out,
                              WINGBEAT_GLOBAL const complex<float>* roots, size,
                              WINGBEAT_LOCAL char* memory) {
    const workgroup::team<fft::shape_type, workgroup::lanes::along_transform, Group> team{group};
    const size row = 2 * group.index();
    fft::execute(team, load{in + row * n, in + (row + 1) * n},
                 store{out + row * (n / 2), out + (row + 1) * (n / 2)}, fft::scratch_type{memory},
                 roots);
  }
};

}  // namespace example
