// SPDX-License-Identifier: Apache-2.0
// The stages of a workgroup's transform, and the exchanges between them.
//
// A schedule is a list of radices, N = R0 R1 .. Rm, in the order of the forward stages; everything
// else follows from it by products and divisions. The place value P of a stage's digit is
//   natural              the product of the radices before it: the length transformed so far
//   nabla and scrambled  the product of the radices behind it
//
// natural     Stockham stages of any radices: thread t holds elements t + r T, r < E, before the
//             first and after the last. T E = N, and the first radix divides E. A stage of radix R
//             has N/R butterflies, and thread t computes t, t + T, t + 2T .. If R does not
//             divide E, some threads compute one less than others, and hold up to R - 1 numbers
//             more than E; if the last radix does not divide E, one more exchange returns the
//             elements to their threads.
// nabla and scrambled work in place. Every element keeps one position p, 0 <= p < N, whose digits
// are those of its sample index, R0's the most significant. A stage replaces a digit of the sample
// by one of the bin. Place values of bins have the opposite order, also within the radix of a
// stage, so position p ends with the bin of p's digits reversed, to the base of N's prime factors.
// In a window of place value P, the registers of a thread count the digits from P on, E positions,
// and the threads the others:
//     p(t, r) = t / P * P E  +  r P  +  t mod P             (t / P rounded down)
// The first window has P = T: the natural order. The last has P = 1 (scrambled), or is
//     p(t, 2 q + b) = q 2T + 2 t + b                                                (nabla).
// Here E is the number of elements that a thread holds at once, at most 32. It is the first radix
// and a multiple of every other radix, so each butterfly lies within one thread, and windows tile
// the positions. Nabla order requires powers of two; scrambled order requires that E has the prime
// factors of T.
#pragma once

#include "wingbeat/device/direction.hpp"  // direction
#include "wingbeat/device/factors.hpp"    // radix_list, greatest_factor
#include "wingbeat/device/index.hpp"      // is_power_of_two, bits_reversed, log2_of, minimum
#include "wingbeat/device/order.hpp"      // order
#include "wingbeat/device/port.hpp"       // WINGBEAT_FN
#include "wingbeat/device/scrambled.hpp"  // digit_map
#include "wingbeat/device/twiddle.hpp"    // rows

namespace wingbeat::device::workgroup {

/// Elements a thread can hold in registers; more travel through the accessor (order::nabla).
inline constexpr unsigned max_held = 32;

/// The search for the stages of a transform whose length is not a power of two: among all lists
/// with the fewest radices, or one more, finds the list of least estimated cost for a thread.
struct stage_search {
  unsigned elements = 1;
  radix_list usable;  ///< The radices that divide the length, largest first.
  radix_list trial;
  radix_list best;
  unsigned best_cost = ~0u;

  /// Tries every list whose first radix divides the elements of a thread.
  WINGBEAT_FN constexpr void run(unsigned length) {
    // Larger radices would hold more than E numbers.
    const unsigned largest = maximum(maximum(16u, elements), greatest_factor(length));
    for (unsigned radix = minimum(largest, length); radix > 1; --radix) {
      if (length % radix == 0 && is_radix(radix)) usable.add(radix);
    }
    for (unsigned left = 1; left <= log2_of(length) + 1; ++left) {
      const bool is_last = best.count > 0;
      for (unsigned i = 0; i < usable.count; ++i) {
        const unsigned first = usable.radices[i];
        if (elements % first == 0) extend(first, length / first, 0, left, 0);
      }
      if (is_last) return;
    }
  }

  /// Returns twice the operations of a thread: 9 + R/2 for each number of a stage, with its twiddle
  /// and counting idle threads, and 24 for each element of an exchange.
  WINGBEAT_FN constexpr unsigned cost_of(const radix_list& list) const {
    unsigned cost = 0;
    for (unsigned i = 0; i < list.count; ++i) cost += cost_of(list.radices[i]);
    const bool returns = elements % list.radices[list.count - 1] != 0;
    return cost + cost_of_exchange() * (list.count - 1 + (returns ? 1 : 0));
  }

 private:
  WINGBEAT_FN constexpr unsigned cost_of(unsigned radix) const {
    const unsigned held = (elements + radix - 1) / radix * radix;
    return held * (18 + radix) + (held > max_held ? 48 * max_held : 0);
  }
  WINGBEAT_FN constexpr unsigned cost_of_exchange() const { return 48 * elements; }

  /// Adds a radix to a list that costs `cost` so far, then completes the list by radices of
  /// `usable` from number `first` on; `left` in all, at most. Gives up lists that cost at least as
  /// much as the best.
  WINGBEAT_FN constexpr void extend(unsigned radix, unsigned rest, unsigned first, unsigned left,
                                    unsigned cost) {
    trial.add(radix);
    if (rest == 1) consider();
    cost += cost_of(radix) + cost_of_exchange();
    const unsigned least = cost + 20 * elements;  // a radix of 2 after the exchange
    for (unsigned i = first; left > 1 && least < best_cost && i < usable.count; ++i) {
      const unsigned next = usable.radices[i];
      if (rest % next != 0) continue;
      if (radix_list::power(next, left - 1) < rest) break;
      extend(next, rest / next, i, left - 1, cost);
    }
    --trial.count;
  }

  /// Compares the list with the best, after moving a radix that divides the elements of a thread,
  /// if there is one, to its end.
  WINGBEAT_FN constexpr void consider() {
    radix_list list = trial;
    const unsigned last = list.count - 1;
    unsigned moved = last;
    while (moved > 0 && elements % list.radices[moved] != 0) --moved;
    for (unsigned i = moved; moved > 0 && i < last; ++i) {
      const unsigned radix = list.radices[i];
      list.radices[i] = list.radices[i + 1];
      list.radices[i + 1] = radix;
    }
    const unsigned cost = cost_of(list);
    if (cost >= best_cost) return;
    best = list;
    best_cost = cost;
  }
};

/// Chooses the stages: returns the radices of a transform of `length` by threads of `elements`.
/// natural: for a power of two, the largest radix first; the others share the rest evenly. A first
/// radix as wide as the banks, counted in entries, keeps every exchange free of conflicts. For
/// other lengths, `stage_search` finds the radices.
/// In place: the factor by which elements exceed those that a thread can hold, then the held
/// elements, then the rest. Nabla order keeps half of the earliest digits in registers at the end,
/// so its last radix is 2.
WINGBEAT_FN constexpr radix_list stage_radices(order how, unsigned length, unsigned elements) {
  radix_list radices;
  if (length <= 1 || elements == 0) return radices;
  if (how == order::natural && !is_power_of_two(length)) {
    stage_search search{};
    search.elements = elements;
    if (length % elements == 0 && is_product_of_radices(length)) search.run(length);
    if (search.best.count == 0) search.best.add(length);  // a shape refuses it
    return search.best;
  }
  if (how == order::natural) {
    const unsigned first = minimum(length, elements);
    radices.add(first);
    radices.add_evenly(length / first, elements);
    return radices;
  }
  const unsigned held = minimum(elements, max_held), threads = length / elements;
  const unsigned last = how == order::nabla && threads > 1 ? 2 : 1;
  if (elements > held) radices.add(elements / held);
  radices.add(held);
  radices.add_evenly(threads / last, held, held);
  if (last > 1) radices.add(last);
  return radices;
}

/// Where stages multiply their elements by roots.
enum class twiddling {
  apart,  ///< Before the butterflies; forward in place, after them.
  fused   ///< Within the butterflies of powers of two: see thread/dft/fused.hpp.
};

/// Returns whether every group of `span` neighbouring threads lies within a subgroup.
WINGBEAT_FN constexpr bool is_within(unsigned span, unsigned subgroup) {
  return subgroup != 0 && subgroup % span == 0;
}

/// The stages of one transform, counted from the forward direction's first; an in-place inverse
/// runs them backwards. Usable as a constant in a kernel and at run time by the host.
struct schedule {
  order how;
  unsigned length;
  unsigned elements_per_thread;
  twiddling twiddles;
  bool is_mirrored;  ///< Forward runs like the inverse, on positions of reversed bits.
  radix_list radices;

  WINGBEAT_FN constexpr schedule(order order_of_bins, unsigned n, unsigned elements,
                                 twiddling kind = twiddling::apart,
                                 direction dir = direction::inverse)
      : how(order_of_bins),
        length(n),
        elements_per_thread(elements),
        twiddles(kind),
        is_mirrored(kind == twiddling::fused && order_of_bins != order::natural &&
                    dir == direction::forward),
        radices(stage_radices(order_of_bins, n, elements)) {}

  WINGBEAT_FN constexpr unsigned held() const { return minimum(elements_per_thread, max_held); }
  WINGBEAT_FN constexpr unsigned threads() const { return length / elements_per_thread; }

  /// Returns how many stages pass through the accessor because a thread cannot hold its elements.
  WINGBEAT_FN constexpr unsigned travelling() const { return elements_per_thread > held() ? 1 : 0; }

  /// Returns whether the schedule is possible: `elements_per_thread` divides the length, stages
  /// have their radices, and in place these divide the elements that a thread holds.
  WINGBEAT_FN constexpr bool is_possible() const {
    bool result = is_product_of_radices(length) && length % maximum(elements_per_thread, 1u) == 0;
    if (how == order::nabla) result = result && is_power_of_two(length);
    for (unsigned s = 0; s < count(); ++s) {
      result = result && is_radix(radix(s));
      if (how != order::natural && s >= travelling()) result = result && held() % radix(s) == 0;
    }
    return result;
  }

  /// Returns the map between elements and bins of scrambled order.
  WINGBEAT_FN constexpr scrambled::digit_map scrambled_map() const {
    radix_list digits;
    for (unsigned s = 0; s < count(); ++s) {
      const radix_list primes = prime_factors(radix(s));
      for (unsigned i = 0; i < primes.count; ++i) digits.add(primes.radices[i]);
    }
    return {elements_per_thread, threads(), digits};
  }

  /// Returns the number of stages.
  WINGBEAT_FN constexpr unsigned count() const { return radices.count; }
  WINGBEAT_FN constexpr unsigned radix(unsigned stage) const { return radices.radices[stage]; }

  /// Returns the place value P of a stage's digit, which is also the number of different roots w^k
  /// that it multiplies by: k < P, w of order P R.
  WINGBEAT_FN constexpr unsigned place_value(unsigned stage) const {
    return how == order::natural ? radices.prior(stage) : radices.place_value(stage);
  }

  /// Returns the place value of a stage's window: of the digits that registers number.
  WINGBEAT_FN constexpr unsigned window(unsigned stage) const {
    return is_mirrored ? threads() / place_value(stage) : place_value(stage);
  }

  WINGBEAT_FN constexpr bool is_fused(unsigned stage) const {
    return twiddles == twiddling::fused && is_power_of_two(radix(stage));
  }
  /// Returns the rows of a stage's roots, and the exponent of a row: see twiddle.hpp; for fused
  /// butterflies a power of two.
  WINGBEAT_FN constexpr unsigned rows(unsigned stage) const {
    return is_fused(stage) ? log2_of(radix(stage)) : twiddle::rows(radix(stage));
  }
  WINGBEAT_FN constexpr unsigned row_exponent(unsigned stage, unsigned row) const {
    return is_fused(stage) ? 1u << row : twiddle::row_exponent(row);
  }
  /// Returns the k < P of an entry of a stage's rows.
  WINGBEAT_FN constexpr unsigned power_of(unsigned stage, unsigned entry) const {
    return is_mirrored ? bits_reversed(entry, log2_of(place_value(stage))) : entry;
  }

  /// Returns the offset of a stage's roots in the table, in entries: see twiddle.hpp.
  WINGBEAT_FN constexpr unsigned table_offset(unsigned stage) const {
    unsigned offset = 0;
    for (unsigned s = 0; s < stage; ++s) {
      if (place_value(s) > 1) offset += rows(s) * place_value(s);
    }
    return offset;
  }
  WINGBEAT_FN constexpr unsigned table_entries() const { return table_offset(count()); }
  WINGBEAT_FN constexpr unsigned mirrored_entries() const {
    return is_mirrored ? table_entries() : 0;
  }

  // Natural order: the butterflies of a stage, and the most that a thread computes.
  WINGBEAT_FN constexpr unsigned butterflies(unsigned stage) const { return length / radix(stage); }
  WINGBEAT_FN constexpr unsigned rounds(unsigned stage) const {
    return (elements_per_thread + radix(stage) - 1) / radix(stage);
  }
  /// Returns whether an exchange follows the last stage, because other threads hold its outputs in
  /// the end.
  WINGBEAT_FN constexpr bool returns() const {
    return how == order::natural && count() > 0 && elements_per_thread % radix(count() - 1) != 0;
  }
  /// Returns the numbers that a thread holds in the stage that needs most.
  WINGBEAT_FN constexpr unsigned max_registers() const {
    unsigned most = held();
    for (unsigned s = 0; how == order::natural && s < count(); ++s) {
      most = maximum(most, rounds(s) * radix(s));
    }
    return most;
  }

  /// Returns how often all elements move between threads.
  WINGBEAT_FN constexpr unsigned exchanges() const {
    const unsigned between = count() <= 1 + travelling() ? 0 : count() - 1 - travelling();
    return between + (returns() ? 1 : 0);
  }

  /// Returns the number of neighbouring threads among which exchange x = 0, 1 .. moves elements.
  WINGBEAT_FN constexpr unsigned span(unsigned x) const {
    if (how == order::natural) return threads();
    const unsigned stage = travelling() + x;  // the one before the exchange
    const bool is_to_nabla_end = how == order::nabla && stage + 2 == count() && held() > 2;
    return is_to_nabla_end ? threads() : window(is_mirrored ? stage + 1 : stage);
  }

  /// Returns how many exchanges cross from one subgroup to another, and so cost a barrier of the
  /// workgroup; the others stay within subgroups of `subgroup` threads.
  WINGBEAT_FN constexpr unsigned exchanges_beyond(unsigned subgroup) const {
    unsigned n = 0;
    for (unsigned x = 0; x < exchanges(); ++x) n += is_within(span(x), subgroup) ? 0 : 1;
    return n;
  }

  /// Returns the barriers of the workgroup (or, with `subgroup` = 0, of any kind) that one
  /// transform passes, except the one that frees the scratch: one in each exchange, three in
  /// halves, and in natural order one more before each exchange except the first. In place, a
  /// thread next writes the slots that it has just read.
  WINGBEAT_FN constexpr unsigned barriers_beyond(unsigned subgroup, bool in_halves = false) const {
    const unsigned n = exchanges_beyond(subgroup);
    const unsigned between = how == order::natural && n > 0 ? n - 1 : 0;
    return (in_halves ? 3 : 1) * n + between;
  }
};

/// Returns how many roots exp(-2 pi i k / 2M) a transform of M complex numbers by threads of
/// `elements` reads: those with k < T, from which a thread computes its others, if `elements` is a
/// power of two; otherwise all that are used, k < M/2 or, for odd `elements`, k < M.
WINGBEAT_FN constexpr unsigned real_roots_of(unsigned m, unsigned elements) {
  if (is_power_of_two(elements)) return m / elements;
  return elements % 2 == 0 ? m / 2 : m;
}

}  // namespace wingbeat::device::workgroup
