// SPDX-License-Identifier: Apache-2.0
// Bins of real transforms of length 2N, one at a time, as a pass of the grid meets them: where the
// two of a mirror pair are in different hands. The formulas are those of device/real.hpp, M = N.
#pragma once

#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_LOCAL
#include "wingbeat/device/thread/dft.hpp"          // turn64
#include "wingbeat/device/workgroup/exchange.hpp"  // show

namespace wingbeat::device::grid {

/// Returns bin k of the real transform from z = Z[k], other = Z[N-k], root = w^k, 0 <= k < N; and
/// bin N from z = Z[0], other = Z[0] (of a plane Z[-k1][0]), root = -1.
template <class Real>
WINGBEAT_FN complex<Real> separate(complex<Real> z, complex<Real> other, complex<Real> root) {
  const complex<Real> even = z + conj(other);
  const complex<Real> odd = (z - conj(other)) * root;
  return {Real(0.5) * (even.re + odd.im), Real(0.5) * (even.im - odd.re)};
}

/// Returns Z[k], 0 < k < N, for an unscaled inverse from x = X[k], other = X[N-k] and w^k.
template <class Real>
WINGBEAT_FN complex<Real> combine(complex<Real> x, complex<Real> other, complex<Real> root) {
  const complex<Real> mirrored = conj(other);
  return (x + mirrored) + times_i((x - mirrored) * conj(root));
}

/// Z[0] for an unscaled inverse from x = X[0] and last = X[N], of which the real parts count:
///     Z[0] = own + conj(shown)
///     own = (1+i)/2 x + (1-i)/2 last,  shown = (1-i)/2 x + (1+i)/2 last
/// Of a plane `own` is of row k1 and `shown` of row -k1: the part that a real plane has.
template <class Real>
struct ends_of_row {
  complex<Real> own, shown;

  WINGBEAT_FN ends_of_row(complex<Real> x, complex<Real> last) {
    const complex<Real> sum = scaled(x + last, Real(0.5));
    const complex<Real> turned = scaled(times_i(x - last), Real(0.5));
    own = sum + turned;
    shown = sum - turned;
  }
};

/// Returns w^(i + r N/E), w of order 2N, from w^i: of a thread that holds each N/E-th of N bins.
template <unsigned E, class Real>
WINGBEAT_FN complex<Real> root_after(complex<Real> first, unsigned r) {
  return thread::turn64<direction::forward>(first, r * (32 / E));
}

// What the threads of a workgroup hold of rows whose opposite bins they hold too. Both take
//   entries          local memory, one for each number, free on entry and not on return
//   entry(r), opposite(r)   where x[r] stands in it, and its opposite
//   root(r)          w^i of bin i, x[r]
//   is_first(r)      is x[r] bin 0 of a row
// Callers: every thread of the workgroup.

/// Separates x: store(r, z) gets the bin of x[r], and store_last(r, z) that behind the others of
/// its row.
template <class Team, class Real, unsigned E, class Entry, class Opposite, class Root,
          class IsFirst, class Store, class StoreLast>
WINGBEAT_FN void separate_all(const Team& team, WINGBEAT_LOCAL complex<Real>* entries,
                              const complex<Real> (&x)[E], const Entry& entry,
                              const Opposite& opposite, const Root& root, const IsFirst& is_first,
                              const Store& store, const StoreLast& store_last) {
  const auto own = [&](unsigned r) { return x[r]; };
  workgroup::show<E>(team, entries, own, entry, opposite, [&](unsigned r, complex<Real> other) {
    store(r, separate(x[r], other, root(r)));
    if (is_first(r)) store_last(r, separate(x[r], other, {Real(-1), Real(0)}));
  });
}

/// Combines bins x: x[r] becomes its Z. last(r) is the bin behind the others of a row. Of an axis
/// the real parts of bins 0 and N count; of a plane the part of columns 0 and B that a real plane
/// has.
template <bool IsPlane, class Team, class Real, unsigned E, class Entry, class Opposite, class Root,
          class IsFirst, class Last>
WINGBEAT_FN void combine_all(const Team& team, WINGBEAT_LOCAL complex<Real>* entries,
                             complex<Real> (&x)[E], const Entry& entry, const Opposite& opposite,
                             const Root& root, const IsFirst& is_first, const Last& last) {
  const auto shown = [&](unsigned r) {
    if (!is_first(r)) return x[r];
    complex<Real> first = x[r], beyond = last(r);
    if constexpr (!IsPlane) first.im = beyond.im = Real(0);
    const ends_of_row<Real> both(first, beyond);
    x[r] = both.own;
    return both.shown;
  };
  workgroup::show<E>(team, entries, shown, entry, opposite, [&](unsigned r, complex<Real> other) {
    if (is_first(r)) {
      x[r] = x[r] + conj(other);
    } else {
      x[r] = combine(x[r], other, root(r));
    }
  });
  team.workgroup_barrier();
}

}  // namespace wingbeat::device::grid
