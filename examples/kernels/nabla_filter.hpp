// SPDX-License-Identifier: Apache-2.0
// Filters rows as users of Nabla's FFT do: accessors by index, the spectrum left in nabla order, a
// filter that is looked up by frequency.
#pragma once

#include "wingbeat/device/nabla.hpp"
#include "wingbeat/device/workgroup/fft.hpp"

namespace example {

using namespace wingbeat::device;

struct nabla_filter {
  static constexpr unsigned n = 256;
  static constexpr nabla::parameters chosen =
      nabla::optimal_parameters(/*max_workgroup=*/64, n, /*subgroup=*/32);
  using shape = workgroup::shape<n, 1u << chosen.elements_log2>;
  using fft = workgroup::fft<shape, float, direction::forward, order::nabla>;
  using inverse = workgroup::fft<shape, float, direction::inverse, order::nabla>;
  using in_type = complex<float>;
  using out_type = complex<float>;

  /// Reads samples, writes the spectrum.
  struct row {
    WINGBEAT_GLOBAL const complex<float>* in;
    WINGBEAT_GLOBAL complex<float>* out;
    WINGBEAT_FN void get(unsigned i, complex<float>& z) const { z = in[i]; }
    WINGBEAT_FN void set(unsigned g, complex<float> z) const { out[g] = z; }
  };

  /// Reads the spectrum times the filter, whose bins lie in natural order; writes samples.
  struct filtered {
    WINGBEAT_GLOBAL const complex<float>* filter;
    WINGBEAT_GLOBAL complex<float>* out;
    WINGBEAT_FN void get(unsigned g, complex<float>& z) const {
      constexpr nabla::index_map map{chosen.elements_log2, chosen.workgroup_log2};
      z = out[g] * filter[map.dft_index(g)];
    }
    WINGBEAT_FN void set(unsigned i, complex<float> z) const { out[i] = z; }
  };

  /// One row a workgroup.  in: the filter's spectrum divided by n, then rows [row][n];
  /// out: [row][n]
  template <class Group>
  WINGBEAT_FN static void run(Group group, WINGBEAT_GLOBAL const complex<float>* in,
                              WINGBEAT_GLOBAL complex<float>* out,
                              WINGBEAT_GLOBAL const complex<float>* roots, size,
                              WINGBEAT_LOCAL char* memory) {
    const workgroup::team<shape, workgroup::lanes::along_transform, Group> team{group};
    const fft::scratch_type scratch{memory};
    row samples{in + (group.index() + 1) * n, out + group.index() * n};
    filtered spectrum{in, out + group.index() * n};
    fft::execute(team, samples, scratch, roots);
    inverse::execute(team, spectrum, scratch, roots);
  }
};

}  // namespace example
