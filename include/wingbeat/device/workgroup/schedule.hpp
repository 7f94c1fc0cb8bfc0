// SPDX-License-Identifier: Apache-2.0
// Which stages make a workgroup's transform, and which exchanges lie between them.
//
// A schedule is a list of radices, N = R0 R1 .. Rm, in the order of the forward stages; whatever
// else it says follows by products and divisions. The place value P of a stage's digit is
//   natural              the product of the radices before it: the length transformed so far
//   nabla and scrambled  the product of the radices behind it
//
// natural     Stockham stages: thread t holds elements t + r T throughout.
// nabla and scrambled work in place. Every element keeps one position p, 0 <= p < N, whose digits
// are those of its sample index, R0's the most significant. A stage replaces a digit of the sample
// by one of the bin. Place values of bins go the other way, within a stage's radix too, so
// position p ends with the bin of its digits reversed, to the base of N's prime factors.
// In a window of place value P, the E registers of a thread number digits from P on and the
// threads the others:
//     p(t, r) = t / P * P E  +  r P  +  t mod P             (t / P rounded down)
// The first window has P = T: the natural order. The last has P = 1 (scrambled), or is
//     p(t, 2 q + b) = q 2T + 2 t + b                                                (nabla).
// Here E is what a thread holds at once, at most 32. Lengths and E are powers of two.
#pragma once

#include "wingbeat/device/factors.hpp"  // radix_list
#include "wingbeat/device/index.hpp"    // minimum
#include "wingbeat/device/order.hpp"    // order
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN
#include "wingbeat/device/twiddle.hpp"  // rows

namespace wingbeat::device::workgroup {

/// Elements a thread can hold in registers; more travel through the accessor (order::nabla).
inline constexpr unsigned most_held = 32;

/// Returns the radices of a transform of `length` by threads of `elements`. This is where stages
/// are chosen.
/// natural: the largest first, the others share the rest. A first radix as wide as the banks,
/// counted in entries, keeps every exchange free of conflicts.
/// In place: what a thread cannot hold, then all that it holds, then the rest. Nabla keeps half of
/// the earliest digits in registers at the end: its last stage has room for a radix of 2.
WINGBEAT_FN constexpr radix_list stage_radices(order how, unsigned length, unsigned elements) {
  radix_list radices;
  if (length <= 1 || elements == 0) return radices;
  if (how == order::natural) {
    const unsigned first = minimum(length, elements);
    radices.add(first);
    radices.add_evenly(length / first, elements);
    return radices;
  }
  const unsigned held = minimum(elements, most_held), threads = length / elements;
  const unsigned last = how == order::nabla && threads > 1 ? 2 : 1;
  if (elements > held) radices.add(elements / held);
  radices.add(held);
  radices.add_evenly(threads / last, held);
  if (last > 1) radices.add(last);
  return radices;
}

/// The stages of one transform, counted from the forward direction's first; an in-place inverse
/// runs them backwards. Usable as a constant in a kernel and at run time by the host.
struct schedule {
  order how;
  unsigned length;
  unsigned elements_per_thread;
  radix_list radices;

  WINGBEAT_FN constexpr schedule(order order_of_bins, unsigned n, unsigned elements)
      : how(order_of_bins),
        length(n),
        elements_per_thread(elements),
        radices(stage_radices(order_of_bins, n, elements)) {}

  WINGBEAT_FN constexpr unsigned held() const { return minimum(elements_per_thread, most_held); }
  WINGBEAT_FN constexpr unsigned threads() const { return length / elements_per_thread; }

  /// Returns how many stages pass through the accessor because a thread cannot hold its elements.
  WINGBEAT_FN constexpr unsigned travelling() const { return elements_per_thread > held() ? 1 : 0; }

  /// Returns the number of stages.
  WINGBEAT_FN constexpr unsigned count() const { return radices.count; }
  WINGBEAT_FN constexpr unsigned radix(unsigned stage) const { return radices.radices[stage]; }

  /// Returns the place value P of a stage's digit, which is also the number of different roots w^k
  /// that it multiplies by: k < P, w of order P R.
  WINGBEAT_FN constexpr unsigned place_value(unsigned stage) const {
    return how == order::natural ? radices.prior(stage) : radices.place_value(stage);
  }

  /// Returns where a stage's roots start in the table, in entries: see twiddle.hpp.
  WINGBEAT_FN constexpr unsigned table_offset(unsigned stage) const {
    unsigned offset = 0;
    for (unsigned s = 0; s < stage; ++s) {
      if (place_value(s) > 1) offset += twiddle::rows(radix(s)) * place_value(s);
    }
    return offset;
  }
  WINGBEAT_FN constexpr unsigned table_entries() const { return table_offset(count()); }

  /// Returns how often all elements move between threads.
  WINGBEAT_FN constexpr unsigned exchanges() const {
    return count() <= 1 + travelling() ? 0 : count() - 1 - travelling();
  }

  /// Returns among how many neighbouring threads exchange x moves elements; x counts from 0.
  WINGBEAT_FN constexpr unsigned span(unsigned x) const {
    if (how == order::natural) return threads();
    const unsigned stage = travelling() + x;  // the one before the exchange
    const bool is_to_nabla_end = how == order::nabla && stage + 2 == count() && held() > 2;
    return is_to_nabla_end ? threads() : place_value(stage);
  }

  /// Returns how many exchanges cross from one subgroup to another, and so cost a barrier of the
  /// workgroup; the others stay within subgroups of `subgroup` threads.
  WINGBEAT_FN constexpr unsigned exchanges_beyond(unsigned subgroup) const {
    unsigned n = 0;
    for (unsigned x = 0; x < exchanges(); ++x) n += span(x) > subgroup ? 1 : 0;
    return n;
  }

  /// Returns the barriers of the workgroup (or, with `subgroup` = 0, of any kind) that one
  /// transform passes, but for the one that frees the scratch: one in each exchange, three in
  /// halves, and in natural order one more before each exchange but the first. In place, a thread
  /// next writes the very slots it has just read.
  WINGBEAT_FN constexpr unsigned barriers_beyond(unsigned subgroup, bool in_halves = false) const {
    const unsigned n = exchanges_beyond(subgroup);
    const unsigned between = how == order::natural && n > 0 ? n - 1 : 0;
    return (in_halves ? 3 : 1) * n + between;
  }
};

}  // namespace wingbeat::device::workgroup
