// SPDX-License-Identifier: Apache-2.0
// The transforms of a matrix's columns. Neighbouring threads take neighbouring columns, so that
// strided reads and writes still touch whole runs of memory.
#pragma once

#include "wingbeat/device/io.hpp"
#include "wingbeat/device/workgroup/fft.hpp"

namespace example {

using namespace wingbeat::device;

struct columns {
  static constexpr unsigned n = 64;  // rows
  static constexpr unsigned n_columns = 50;
  using shape = workgroup::shape<n, 8, 8>;
  using fft = workgroup::fft<shape, float, direction::forward>;
  using in_type = complex<float>;
  using out_type = complex<float>;

  /// Eight columns a workgroup, the last fewer.  in, out: [n][n_columns];  batch: n_columns
  template <class Group>
  WINGBEAT_FN static void run(Group group, WINGBEAT_GLOBAL const complex<float>* in,
                              WINGBEAT_GLOBAL complex<float>* out,
                              WINGBEAT_GLOBAL const complex<float>* roots, size batch,
                              WINGBEAT_LOCAL char* memory) {
    const workgroup::team<shape, workgroup::lanes::across_transforms, Group> team{group};
    const io::member column = io::member_of(team, group.index(), batch);
    fft::execute(team, io::column_of(in, n_columns, column), io::column_of(out, n_columns, column),
                 fft::scratch_type{memory}, roots);
  }
};

}  // namespace example
