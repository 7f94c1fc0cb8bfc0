// SPDX-License-Identifier: Apache-2.0
// Ends of a pass on the bins of real transforms of length 2N, where the two bins of a mirror pair
// are held by different threads of a workgroup. The formulas are those of device/real.hpp, M = N.
//
// A body (bodies/transform.hpp) has these functions for them, and the same for its outputs;
// `column` is the index of the lane's butterfly on the axis:
//   entries()                  local memory, one entry for each number of a thread
//   entry_in(r), opposite_in(column, r)    the entries of x[r] and of its opposite
//   has_first_in(column)       whether this thread has a first bin: in x[0], for a plane in any
//   behind_in(r)               places from the lane's first element to the bin after the others
//   reads_bin_behind_first     read that bin before anything else
//   is_plane                   whether each row of a butterfly has bins of its own
#pragma once

#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/grid/numbers.hpp"        // pass_numbers
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_LOCAL
#include "wingbeat/device/thread/dft.hpp"          // times_root
#include "wingbeat/device/twiddle.hpp"             // roots
#include "wingbeat/device/workgroup/exchange.hpp"  // exchange_each

namespace wingbeat::device::ends {

/// Returns bin k of the real transform from z = Z[k], other = Z[N-k], root = w^k, 0 <= k < N; and
/// bin N from z = Z[0], other = Z[0] (for a plane Z[-k1][0]), root = -1.
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

/// Z[0] for an unscaled inverse from x = X[0] and last = X[N], whose imaginary parts are ignored:
///     Z[0] = kept + conj(sent)
///     kept = (1+i)/2 x + (1-i)/2 last,  sent = (1-i)/2 x + (1+i)/2 last
/// For a plane, `kept` is of row k1 and `sent` of row -k1, which keeps the part that real planes
/// have.
template <class Real>
struct ends_of_row {
  complex<Real> kept, sent;

  WINGBEAT_FN ends_of_row(complex<Real> x, complex<Real> last) {
    const complex<Real> sum = scaled(x + last, Real(0.5));
    const complex<Real> half_difference = scaled(times_i(x - last), Real(0.5));
    kept = sum + half_difference;
    sent = sum - half_difference;
  }
};

/// Returns w^(i + r N/E), w of order 2N, from w^i, for a thread with every N/E-th of N bins.
template <unsigned E, class Real>
WINGBEAT_FN complex<Real> root_after(complex<Real> first, unsigned r) {
  return thread::times_root<direction::forward, 2 * E>(first, r);
}

// Rows whose opposite bins are in the same workgroup. Both functions take
//   entries          local memory, one entry per number, free on entry and not on return
//   entry(r), opposite(r)   the entries of x[r] and of its opposite
//   root(r)          w^i for bin i, x[r]
//   is_first(r)      whether x[r] is bin 0 of a row
// Callers: every thread of the workgroup.

/// Separates x: store(r, z) receives the bin of x[r], store_last(r, z) the last bin of its row.
template <class Team, class Real, unsigned E, class Entry, class Opposite, class Root,
          class IsFirst, class Store, class StoreLast>
WINGBEAT_FN void separate_all(const Team& team, WINGBEAT_LOCAL complex<Real>* entries,
                              const complex<Real> (&x)[E], const Entry& entry,
                              const Opposite& opposite, const Root& root, const IsFirst& is_first,
                              const Store& store, const StoreLast& store_last) {
  const auto sent = [&](unsigned r) { return x[r]; };
  workgroup::exchange_each<E>(team, entries, sent, entry, opposite,
                              [&](unsigned r, complex<Real> other) {
                                store(r, separate(x[r], other, root(r)));
                                if (is_first(r))
                                  store_last(r, separate(x[r], other, {Real(-1), Real(0)}));
                              });
}

/// Combines bins x: each x[r] becomes its Z. last(r) is the last bin of a row. On one axis, the
/// imaginary parts of bins 0 and N are ignored; in a plane, the parts of columns 0 and B that a
/// real plane does not have.
template <bool IsPlane, class Team, class Real, unsigned E, class Entry, class Opposite, class Root,
          class IsFirst, class Last>
WINGBEAT_FN void combine_all(const Team& team, WINGBEAT_LOCAL complex<Real>* entries,
                             complex<Real> (&x)[E], const Entry& entry, const Opposite& opposite,
                             const Root& root, const IsFirst& is_first, const Last& last) {
  const auto sent = [&](unsigned r) {
    if (!is_first(r)) return x[r];
    complex<Real> first = x[r], beyond = last(r);
    if constexpr (!IsPlane) first.im = beyond.im = Real(0);
    const ends_of_row<Real> both(first, beyond);
    x[r] = both.kept;
    return both.sent;
  };
  workgroup::exchange_each<E>(team, entries, sent, entry, opposite,
                              [&](unsigned r, complex<Real> other) {
                                if (is_first(r)) {
                                  x[r] = x[r] + conj(other);
                                } else {
                                  x[r] = combine(x[r], other, root(r));
                                }
                              });
  team.workgroup_barrier();
}

/// Returns w^i of order 2N, N the number of bins that belong together.
template <class Policy, class Body>
WINGBEAT_FN auto real_root(const Body& body, size i) {
  constexpr grid::pass_numbers numbers = Policy::numbers();
  constexpr size order = 2 * numbers.bins(), at = numbers.real_roots_at();
  return twiddle::roots<typename Policy::real, order>{body.roots() + at}(i);
}

/// Returns w^(i + r N/E) of order 2N from first = w^i; from the table if E is no power of two.
template <class Policy, unsigned E, class Body, class Real>
WINGBEAT_FN complex<Real> real_root_after(const Body& body, size i, complex<Real> first,
                                          unsigned r) {
  if constexpr (is_power_of_two(E)) {
    return root_after<E>(first, r);
  } else {
    constexpr size apart = Policy::numbers().bins() / E;
    return real_root<Policy>(body, i + r * apart);
  }
}

/// Combines the loaded bins x of a pass, which become Z. Bin N comes with bin 0.
template <class Policy, class Body, class Elements, class Real, unsigned E>
WINGBEAT_FN void combine_bins(const Body& body, const Elements& elements, complex<Real> (&x)[E]) {
  constexpr size bins = Policy::numbers().bins();
  constexpr unsigned n_first = Body::is_plane ? E : 1;
  const unsigned lane = body.lane_in(), column = elements.first_in(lane);
  const bool has_first = elements.has(lane) && body.has_first_in(column);
  const size index = elements.index_in(lane, body.number_in(0));
  const complex<Real> root = real_root<Policy>(body, index);
  const auto bin_behind = [&](unsigned r) {
    return elements.read(elements.in(lane) + body.behind_in(r), bins);
  };
  complex<Real> last[n_first] = {};
  if constexpr (Body::reads_bin_behind_first) {
    if (has_first) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < n_first; ++r) last[r] = bin_behind(r);
    }
  }
  combine_all<Body::is_plane>(
      body.team(), body.entries(), x, [&](unsigned r) { return body.entry_in(r); },
      [&](unsigned r) { return body.opposite_in(column, r); },
      [&](unsigned r) -> complex<Real> {
        if constexpr (Body::is_plane) return root;
        return real_root_after<Policy, E>(body, index, root, r);
      },
      [&](unsigned r) { return has_first && (Body::is_plane || r == 0); },
      [&](unsigned r) {
        if constexpr (!Body::reads_bin_behind_first) return bin_behind(0);
        return last[Body::is_plane ? r : 0];
      });
}

/// Separates the bins of planes in one workgroup, A rows of B numbers each, and stores whole rows
/// of B + 1, so that neighbouring threads store neighbours; a thread's x is a few numbers of one
/// row. Both bins of a pair are read from local memory.
template <class Policy, class Body, class Elements, class Real, unsigned E>
WINGBEAT_FN void store_separated_rows(const Body& body, const Elements& elements,
                                      const complex<Real> (&x)[E]) {
  constexpr grid::pass_numbers numbers = Policy::numbers();
  constexpr unsigned a = numbers.shape.first, b = numbers.shape.second, columns = b + 1;
  constexpr unsigned rows = a * numbers.shape.lanes;
  constexpr unsigned step = Body::workgroup_threads / columns;  // rows stored at once
  constexpr size row_stride = numbers.out.first_stride, stride = numbers.out.stride;
  const auto entries = body.entries();
  if constexpr (Body::has_exchanges) body.team().workgroup_barrier();
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) copy_to(entries + body.entry_out(r), x[r]);
  body.team().workgroup_barrier();
  const unsigned k = body.rank() % columns, first = body.rank() / columns;
  const unsigned own = k % b, other = (b - k) % b;
  const complex<Real> root = real_root<Policy>(body, k);
  WINGBEAT_UNROLL
  for (unsigned s = 0; s < (rows + step - 1) / step; ++s) {
    const unsigned row = first + s * step, lane = row / a, k1 = row % a;
    if (first < step && row < rows && elements.has(lane)) {
      const complex<Real> z = copied_from(entries + body.entry_of_bin(lane, k1, own));
      const complex<Real> opposite =
          copied_from(entries + body.entry_of_bin(lane, (a - k1) % a, other));
      elements.write(elements.out(lane) + k1 * row_stride + k * stride, elements.index_out(lane, k),
                     separate(z, opposite, root));
    }
  }
}

/// Separates x into bins and stores them, bin N with bin 0.
template <class Policy, class Body, class Elements, class Real, unsigned E>
WINGBEAT_FN void store_separated(const Body& body, const Elements& elements,
                                 const complex<Real> (&x)[E]) {
  constexpr size bins = Policy::numbers().bins();
  const unsigned lane = body.lane_out(), column = elements.first_out(lane);
  const bool inside = elements.has(lane), has_first = body.has_first_out(column);
  const size index = elements.index_out(lane, body.number_out(0));
  const complex<Real> root = real_root<Policy>(body, index);
  if constexpr (Body::has_exchanges) body.team().workgroup_barrier();
  separate_all(
      body.team(), body.entries(), x, [&](unsigned r) { return body.entry_out(r); },
      [&](unsigned r) { return body.opposite_out(column, r); },
      [&](unsigned r) { return real_root_after<Policy, E>(body, index, root, r); },
      [&](unsigned r) { return r == 0 && has_first; },
      [&](unsigned r, complex<Real> z) {
        if (!inside) return;
        const size offset = body.offset_out(r);
        elements.write(elements.out(lane) + offset,
                       elements.index_out(lane, body.number_out(r), offset), z);
      },
      [&](unsigned r, complex<Real> z) {
        if (inside) elements.write(elements.out(lane) + body.behind_out(r), bins, z);
      });
}

}  // namespace wingbeat::device::ends
