// SPDX-License-Identifier: Apache-2.0
// The turn between two passes of one axis: input q of a butterfly times w^(q k), w of order P R.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, WINGBEAT_GLOBAL, size
#include "wingbeat/device/twiddle.hpp"  // turn_from, roots, rows

namespace wingbeat::device::grid {

/// Turns what a thread holds of a butterfly of R = Length after prior length P: inputs q and
/// q + r R/E. The table holds the rows of a stage of radix E after P, then all roots of order P R.
template <class Policy, size Length>
struct turn_of {
  using real = typename Policy::real;
  static constexpr unsigned e = Policy::elements_per_thread;
  static constexpr size prior = Policy::prior;
  static constexpr size row_entries = prior == 1 ? 0 : twiddle::rows(e) * prior;
  static constexpr size entries =
      prior == 1 ? 0 : row_entries + twiddle::root_tables{prior * Length}.entries();

  WINGBEAT_FN static void apply(complex<real> (&x)[e], WINGBEAT_GLOBAL const complex<real>* table,
                                unsigned k, size q) {
    const twiddle::roots<real, prior * Length> root{table + row_entries};
    twiddle::turn_from<Policy::dir>(x, root(q * k), table + k, prior);
  }
};

}  // namespace wingbeat::device::grid
