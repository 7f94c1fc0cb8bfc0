// SPDX-License-Identifier: Apache-2.0
// The turn between two passes of one axis: input q of a butterfly times w^(q k), w of order P R.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/index.hpp"    // log2_of
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, WINGBEAT_GLOBAL, size
#include "wingbeat/device/twiddle.hpp"  // turn_from, roots, rows

namespace wingbeat::device::grid {

/// How the rows of roots of a turn after prior length P are stored, entries k < P of each: listed,
/// or, where that would outgrow the caches and take long to make, as two short lists of which the
/// products are one rounding away:  fine[k mod S] coarse[k / S],  S = fine_length.
struct turn_rows {
  size prior;

  WINGBEAT_FN constexpr bool is_listed() const { return prior < (size{1} << 16); }
  WINGBEAT_FN constexpr size fine_length() const {
    return is_listed() ? prior : size{1} << ((log2_of(prior) + 1) / 2);
  }
  WINGBEAT_FN constexpr size entries() const {
    return is_listed() ? prior : fine_length() + prior / fine_length();
  }
};

/// Turns what a thread holds of a butterfly of R = Length after prior length P: inputs q and
/// q + r R/E. The table holds the rows of a stage of radix E after P, one after another; then all
/// roots of order P R.
template <class Policy, size Length>
struct turn_of {
  using real = typename Policy::real;
  static constexpr unsigned e = Policy::elements_per_thread;
  static constexpr size prior = Policy::prior;
  static constexpr turn_rows rows{prior};
  static constexpr size row_entries = prior == 1 ? 0 : twiddle::rows(e) * rows.entries();
  static constexpr size entries =
      prior == 1 ? 0 : row_entries + twiddle::root_tables{prior * Length}.entries();

  WINGBEAT_FN static void apply(complex<real> (&x)[e], WINGBEAT_GLOBAL const complex<real>* table,
                                unsigned k, size q) {
    const twiddle::roots<real, prior * Length> root{table + row_entries};
    twiddle::turn_from<Policy::dir>(x, root(q * k), [&](unsigned row) {
      const auto entry = table + row * rows.entries();
      constexpr auto fine = static_cast<unsigned>(rows.fine_length());
      if constexpr (rows.is_listed()) {
        return copied_from(entry + k);
      } else {
        return copied_from(entry + k % fine) * copied_from(entry + fine + k / fine);
      }
    });
  }
};

}  // namespace wingbeat::device::grid
