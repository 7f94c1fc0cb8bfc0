// SPDX-License-Identifier: Apache-2.0
// The turn between two passes of one axis: input q of a butterfly times w^(q k), w of order P R.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, WINGBEAT_GLOBAL, size
#include "wingbeat/device/twiddle.hpp"  // turn_from, root_tables, roots, rows

namespace wingbeat::device::grid {

/// How each row of roots of a turn after prior length P is stored, k < P: as one table, or as two,
/// where that would outgrow the caches and take long to make.
WINGBEAT_FN constexpr twiddle::root_tables turn_row(size prior) {
  return {prior, size{1} << 15};
}

/// Turns what a thread holds of a butterfly of R = Length after prior length P: inputs q and
/// q + r R/E. The table holds the rows of a stage of radix E after P, one after another; then all
/// roots of order P R.
template <class Policy, size Length>
struct turn_of {
  using real = typename Policy::real;
  static constexpr unsigned e = Policy::elements_per_thread;
  static constexpr size prior = Policy::prior;
  static constexpr size row_entries = prior == 1 ? 0 : twiddle::rows(e) * turn_row(prior).entries();
  static constexpr size entries =
      prior == 1 ? 0 : row_entries + twiddle::root_tables{prior * Length}.entries();

  WINGBEAT_FN static void apply(complex<real> (&x)[e], WINGBEAT_GLOBAL const complex<real>* table,
                                unsigned k, size q) {
    const twiddle::roots<real, prior * Length> root{table + row_entries};
    twiddle::turn_from<Policy::dir>(x, root(q * k), [&](unsigned row) {
      constexpr twiddle::root_tables as = turn_row(prior);
      return twiddle::roots<real, prior, as.direct_limit>{table + row * as.entries()}(k);
    });
  }
};

}  // namespace wingbeat::device::grid
