// SPDX-License-Identifier: Apache-2.0
// The turn between two passes of one axis: input q of a butterfly times w^(q k), w of order P R.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, WINGBEAT_GLOBAL, size
#include "wingbeat/device/twiddle.hpp"  // turn_from, roots, rows, row_exponent

namespace wingbeat::device::grid {

/// Are the roots of a turn after prior length P listed in rows of P. Longer rows would outgrow the
/// caches, and take long to make.
WINGBEAT_FN constexpr bool is_listed(size prior) {
  return prior < (size{1} << 16);
}

/// Turns what a thread holds of a butterfly of R = Length after prior length P: inputs q and
/// q + r R/E. The table holds the rows of a stage of radix E after P, or all roots of order P E of
/// which those are; then all roots of order P R.
template <class Policy, size Length>
struct turn_of {
  using real = typename Policy::real;
  static constexpr unsigned e = Policy::elements_per_thread;
  static constexpr size prior = Policy::prior;
  static constexpr size row_entries = prior == 1 ? 0
                                      : is_listed(prior)
                                          ? twiddle::rows(e) * prior
                                          : twiddle::root_tables{prior * e}.entries();
  static constexpr size entries =
      prior == 1 ? 0 : row_entries + twiddle::root_tables{prior * Length}.entries();

  WINGBEAT_FN static void apply(complex<real> (&x)[e], WINGBEAT_GLOBAL const complex<real>* table,
                                unsigned k, size q) {
    const twiddle::roots<real, prior * Length> root{table + row_entries};
    twiddle::turn_from<Policy::dir>(x, root(q * k), [&](unsigned row) {
      if constexpr (is_listed(prior)) {
        return copied_from(table + k + row * prior);
      } else {
        return twiddle::roots<real, prior * e>{table}(size(twiddle::row_exponent(row)) * k);
      }
    });
  }
};

}  // namespace wingbeat::device::grid
