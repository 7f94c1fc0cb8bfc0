// SPDX-License-Identifier: Apache-2.0
// Twiddles between two passes of one axis: input q of a butterfly times w^(q k), w of order P R.
#pragma once

#include "wingbeat/device/complex.hpp"       // complex
#include "wingbeat/device/grid/numbers.hpp"  // pass_numbers, twiddle_row
#include "wingbeat/device/port.hpp"          // WINGBEAT_FN, WINGBEAT_GLOBAL, size
#include "wingbeat/device/twiddle.hpp"       // apply_powers_from, roots

namespace wingbeat::device::grid {

/// Multiplies a thread's elements of a butterfly, inputs q and q + r R/E, by their twiddles. From
/// `twiddle_roots_at` on, the table holds the rows of a stage of radix E after P, one after
/// another; then all roots of order P R. For butterflies of fewer points than R, that order is P
/// times the points, and the rows are powers of those roots with exponent R/E.
template <class Policy, class Real, unsigned E>
WINGBEAT_FN void apply_twiddles(complex<Real> (&x)[E], WINGBEAT_GLOBAL const complex<Real>* table,
                                unsigned k, size q) {
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr size prior = numbers.prior, length = numbers.shape.elements();
  constexpr size rows_at = numbers.twiddle_roots_at();
  constexpr size roots_at = rows_at + numbers.twiddle_row_entries();
  const device::twiddle::roots<Real, prior * length> root{table + roots_at};
  const auto rows = table + rows_at;
  device::twiddle::apply_powers_from<Policy::dir>(x, root(q * k), [&](unsigned row) {
    constexpr device::twiddle::root_tables each = twiddle_row(prior);
    return device::twiddle::roots<Real, prior, each.direct_limit>{rows + row * each.entries()}(k);
  });
}

}  // namespace wingbeat::device::grid
