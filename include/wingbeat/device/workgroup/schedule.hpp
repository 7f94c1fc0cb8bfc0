// SPDX-License-Identifier: Apache-2.0
// Which stages make a workgroup's transform, and which exchanges lie between them.
//
// natural     Stockham stages (`stages` of index.hpp): thread t holds elements t + r T throughout.
// nabla and scrambled work in place. Every element keeps one position p, 0 <= p < N, whose binary
// digits are those of its sample index; a stage that transforms digits [a, a + m) of p, from the
// top down, leaves a bin whose digits are the reverse: position p ends with bin rev_N(p).
// In a window at a, a thread's registers number digits [a, a + e) of p and threads the others:
//     p(t, r) = (t >> a) << (a + e)  |  r << a  |  t mod 2^a
// The first window is at W = log2 T: the natural order. The last is at 0 (scrambled), or
//     p(t, 2 q + b) = q 2T + 2 t + b                                                (nabla).
// Here e = log2 of the elements a thread holds at once, at most 5.
#pragma once

#include "wingbeat/device/index.hpp"    // stages, log2_of
#include "wingbeat/device/order.hpp"    // order
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN
#include "wingbeat/device/twiddle.hpp"  // rows

namespace wingbeat::device::workgroup {

/// Elements a thread can hold in registers; more travel through the accessor (order::nabla).
inline constexpr unsigned most_held = 32;

/// The stages of one transform, counted from the forward direction's first; an in-place inverse
/// runs them backwards. Usable as a constant in a kernel and at run time by the host.
struct schedule {
  order how;
  unsigned length;
  unsigned elements_per_thread;

  WINGBEAT_FN constexpr unsigned held() const { return minimum(elements_per_thread, most_held); }
  WINGBEAT_FN constexpr unsigned held_log2() const { return log2_of(held()); }
  WINGBEAT_FN constexpr unsigned threads_log2() const {
    return log2_of(length / elements_per_thread);
  }

  /// Returns how many stages pass through the accessor because a thread cannot hold its elements.
  WINGBEAT_FN constexpr unsigned travelling() const { return elements_per_thread > held() ? 1 : 0; }

  /// Returns the number of stages.
  WINGBEAT_FN constexpr unsigned count() const {
    if (length == 1) return 0;
    if (how == order::natural) return as_stages().count();
    return travelling() + 1 + middle_stages() + (ends_on_one_digit() ? 1 : 0);
  }

  /// Returns log2 of the radix of a stage.
  WINGBEAT_FN constexpr unsigned digits(unsigned stage) const {
    if (how == order::natural) return log2_of(as_stages().radix(stage));
    if (stage < travelling()) return log2_of(elements_per_thread / held());
    stage -= travelling();
    if (stage == 0) return held_log2();
    if (stage > middle_stages()) return 1;
    const unsigned n = middle_stages();
    return middle_digits() / n + (stage - 1 < middle_digits() % n ? 1 : 0);
  }
  WINGBEAT_FN constexpr unsigned radix(unsigned stage) const { return 1u << digits(stage); }

  /// Returns the number of different roots w^k a stage turns by: k < prior, w of order prior radix.
  WINGBEAT_FN constexpr unsigned prior(unsigned stage) const {
    return how == order::natural ? as_stages().prior(stage) : 1u << lowest(stage);
  }

  /// Returns the lowest digit of a position that a stage of an in-place order transforms.
  WINGBEAT_FN constexpr unsigned lowest(unsigned stage) const {
    unsigned digit = log2_of(length);
    for (unsigned s = 0; s <= stage; ++s) digit -= digits(s);
    return digit;
  }

  /// Returns where a stage's roots start in the table, in entries: see twiddle.hpp.
  WINGBEAT_FN constexpr unsigned table_offset(unsigned stage) const {
    unsigned offset = 0;
    for (unsigned s = 0; s < stage; ++s) {
      if (prior(s) > 1) offset += twiddle::rows(radix(s)) * prior(s);
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
    const unsigned all = 1u << threads_log2();
    if (how == order::natural) return all;
    const unsigned stage = travelling() + x;  // the one before the exchange
    const bool is_final_shift = ends_on_one_digit() && stage + 2 == count() && held_log2() > 1;
    return is_final_shift ? all : 1u << lowest(stage);
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

 private:
  WINGBEAT_FN constexpr stages as_stages() const { return {length, elements_per_thread}; }
  /// Nabla keeps e - 1 early digits in registers at the end: its last stage has room for one.
  WINGBEAT_FN constexpr bool ends_on_one_digit() const {
    return how == order::nabla && threads_log2() > 0;
  }
  WINGBEAT_FN constexpr unsigned middle_digits() const {
    return threads_log2() - (ends_on_one_digit() ? 1 : 0);
  }
  WINGBEAT_FN constexpr unsigned middle_stages() const {
    return (middle_digits() + held_log2() - 1) / maximum(held_log2(), 1u);
  }
};

}  // namespace wingbeat::device::workgroup
