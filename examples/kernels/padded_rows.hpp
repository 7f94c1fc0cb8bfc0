// SPDX-License-Identifier: Apache-2.0
// A batch of rows of 150 samples, transformed as rows of 256: the zeros exist in registers alone.
#pragma once

#include "wingbeat/device/io.hpp"
#include "wingbeat/device/workgroup/fft.hpp"

namespace example {

using namespace wingbeat::device;

struct padded_rows {
  static constexpr unsigned n = 256;
  static constexpr unsigned valid = 150;
  using fft = workgroup::fft<workgroup::shape<n, 8, 4>, float, direction::forward>;
  using in_type = complex<float>;
  using out_type = complex<float>;

  /// Four rows a workgroup, the last perhaps fewer.  in: [row][valid];  out: [row][n]
  template <class Group>
  WINGBEAT_FN static void run(Group group, WINGBEAT_GLOBAL const complex<float>* in,
                              WINGBEAT_GLOBAL complex<float>* out,
                              WINGBEAT_GLOBAL const complex<float>* roots, size batch,
                              WINGBEAT_LOCAL char* memory) {
    const workgroup::team<fft::shape_type, workgroup::lanes::along_transform, Group> team{group};
    const io::member row = io::member_of(team, group.index(), batch);
    const io::padded source{io::row_of(in, valid, row), valid};
    fft::execute(team, source, io::row_of(out, n, row), fft::scratch_type{memory}, roots);
  }
};

}  // namespace example
