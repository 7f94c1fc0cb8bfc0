// SPDX-License-Identifier: Apache-2.0
// Circular convolution with one filter in a single kernel: transform, multiply, transform back.
// The spectrum stays in registers, in whatever order is cheapest: scrambled.
#pragma once

#include "wingbeat/device/io.hpp"
#include "wingbeat/device/workgroup/fft.hpp"

namespace example {

using namespace wingbeat::device;

struct convolve {
  static constexpr unsigned n = 512;
  using shape = workgroup::shape<n, 8, 2>;
  using fft = workgroup::fft<shape, float, direction::forward, order::scrambled>;
  using inverse = workgroup::fft<shape, float, direction::inverse, order::scrambled>;
  using in_type = complex<float>;
  using out_type = complex<float>;

  /// Two rows a workgroup, the last one perhaps alone.  in: the filter's spectrum divided by n, in
  /// scrambled order, then rows [row][n];  out: [row][n]
  template <class Group>
  WINGBEAT_FN static void run(Group group, WINGBEAT_GLOBAL const complex<float>* in,
                              WINGBEAT_GLOBAL complex<float>* out,
                              WINGBEAT_GLOBAL const complex<float>* roots, size batch,
                              WINGBEAT_LOCAL char* memory) {
    const workgroup::team<shape, workgroup::lanes::along_transform, Group> team{group};
    // In place, the inverse begins with the slots that each thread has just read: no barrier.
    const workgroup::scratch<fft::scratch_bytes, workgroup::reuse::after_barrier> scratch{memory};
    const io::member row = io::member_of(team, group.index(), batch);
    const auto source = io::row_of(in + n, n, row);
    const auto target = io::row_of(out, n, row);

    complex<float> x[fft::elements_per_thread];
    WINGBEAT_UNROLL
    for (unsigned l = 0; l < fft::elements_per_thread; ++l) {
      x[l] = source(team.thread() + l * fft::stride);
    }
    fft::execute(team, x, scratch, roots);
    WINGBEAT_UNROLL
    for (unsigned l = 0; l < fft::elements_per_thread; ++l) {
      x[l] = x[l] * in[team.thread() + l * fft::stride];
    }
    inverse::execute(team, x, scratch, roots);
    WINGBEAT_UNROLL
    for (unsigned l = 0; l < fft::elements_per_thread; ++l) {
      target(team.thread() + l * fft::stride, x[l]);
    }
  }
};

}  // namespace example
