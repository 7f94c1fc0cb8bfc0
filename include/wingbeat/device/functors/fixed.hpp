// SPDX-License-Identifier: Apache-2.0
// A functor of this folder, whose numbers are constants of a kernel. Functors are made for a row,
// of numbers and operands, so that a process that knows these at run time has the same text:
//
//     functors::score<float, double> scores{numbers, keys, operands, row};
//     scores.store(i, value);
//
// The policy is generated:
//
//     struct policy {
//       using functor = functors::score<float, double>;
//       WINGBEAT_FN static constexpr functor::numbers numbers();   // each by its name
//       struct operands { .. };                                    // those that a run gives
//       WINGBEAT_FN static functor::operands completed(operands);  // the others are 0
//     };
#pragma once

#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_GLOBAL, size
#include "wingbeat/device/workgroup/contract.hpp"  // is_in_steps

namespace wingbeat::device::functors {

/// The operands of a functor that has none.
struct no_operands {
  template <class Numbers, class Visit>
  WINGBEAT_FN static void each(const Numbers&, Visit) {}
};

template <class Policy>
struct fixed {
  using functor = typename Policy::functor;
  using element = typename functor::element;
  using operands = typename Policy::operands;
  static constexpr bool in_order = functor::in_order;

  WINGBEAT_FN static auto load(WINGBEAT_GLOBAL const element* in, operands given, size row,
                               size i) {
    return functor{Policy::numbers(), in, Policy::completed(given), row}.load(i);
  }
  WINGBEAT_FN static auto load(WINGBEAT_GLOBAL const element* in, size row, size i) {
    return load(in, operands{}, row, i);
  }
  /// Of functors that load in two steps.
  static constexpr bool in_steps = workgroup::contract::is_in_steps<functor>;
  WINGBEAT_FN static auto fetched(WINGBEAT_GLOBAL const element* in, operands given, size row,
                                  size i) {
    return functor{Policy::numbers(), in, Policy::completed(given), row}.fetched(i);
  }
  template <class Value>
  WINGBEAT_FN static void make_pair(operands given, size row, size i, Value& z, Value& mirrored) {
    functor{Policy::numbers(), nullptr, Policy::completed(given), row}.make_pair(i, z, mirrored);
  }
  /// Of functors of whose rows a thread may hold all elements.
  template <class Of = functor>
  WINGBEAT_FN static constexpr auto held() -> decltype(Of::held(Policy::numbers())) {
    return Of::held(Policy::numbers());
  }
  template <class Values>
  WINGBEAT_FN static void hold(WINGBEAT_GLOBAL const element* in, operands given, size row,
                               Values& values) {
    functor{Policy::numbers(), in, Policy::completed(given), row}.hold(values);
  }
  template <class Values>
  WINGBEAT_FN static void hold(WINGBEAT_GLOBAL const element* in, size row, Values& values) {
    hold(in, operands{}, row, values);
  }
  template <class Values>
  WINGBEAT_FN static auto load_held(operands given, size row, const Values& values, size i) {
    return functor{Policy::numbers(), nullptr, Policy::completed(given), row}.load_held(values, i);
  }
  template <class Values>
  WINGBEAT_FN static auto load_held(size row, const Values& values, size i) {
    return load_held(operands{}, row, values, i);
  }
  /// Of functors whose rows can be prefetched.
  template <class Of = functor>
  WINGBEAT_FN static auto prefetch_row(WINGBEAT_GLOBAL const element* in, size row)
      -> decltype(Of::prefetch_row(Policy::numbers(), in, row)) {
    Of::prefetch_row(Policy::numbers(), in, row);
  }
  template <class Of = functor>
  WINGBEAT_FN static auto prefetch_row(WINGBEAT_GLOBAL const element* in, operands given, size row)
      -> decltype(Of{Policy::numbers(), in, Policy::completed(given), row}.prefetch()) {
    Of{Policy::numbers(), in, Policy::completed(given), row}.prefetch();
  }
  /// Of functors that change the bins of their row: see bodies/diagonal_row.hpp.
  template <class Bin>
  WINGBEAT_FN static Bin changed(operands given, size row, size k, Bin bin) {
    return functor{Policy::numbers(), nullptr, Policy::completed(given), row}.changed(k, bin);
  }
  template <class Bin>
  WINGBEAT_FN static Bin changed(size row, size k, Bin bin) {
    return changed(operands{}, row, k, bin);
  }
  template <class Value>
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, operands given, size row, size i,
                                Value z) {
    functor{Policy::numbers(), out, Policy::completed(given), row}.store(i, z);
  }
  template <class Value>
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, size row, size i, Value z) {
    store(out, operands{}, row, i, z);
  }
};

/// The same of a functor that makes the outputs of a row of all of its elements.
template <class Policy>
struct fixed_gathering : fixed<Policy> {
  using typename fixed<Policy>::functor;
  using typename fixed<Policy>::element;
  using typename fixed<Policy>::operands;
  static constexpr size gathered = functor::gathered(Policy::numbers());
  static constexpr unsigned at_once = functor::at_once(Policy::numbers());

  template <class Value>
  WINGBEAT_FN static Value prepared(operands given, size row, size i, Value z) {
    return functor{Policy::numbers(), nullptr, Policy::completed(given), row}.prepared(i, z);
  }
  template <class Value>
  WINGBEAT_FN static Value prepared(size row, size i, Value z) {
    return prepared(operands{}, row, i, z);
  }
  template <class Value>
  WINGBEAT_FN static auto output(operands given, size row, unsigned t, const Value& value) {
    return functor{Policy::numbers(), nullptr, Policy::completed(given), row}.output(t, value);
  }
  template <class Value>
  WINGBEAT_FN static auto output(size row, unsigned t, const Value& value) {
    return output(operands{}, row, t, value);
  }
  template <class Run>
  WINGBEAT_FN static void put(WINGBEAT_GLOBAL element* out, operands given, size row, size t,
                              const Run& y) {
    functor{Policy::numbers(), out, Policy::completed(given), row}.put(t, y);
  }
  template <class Run>
  WINGBEAT_FN static void put(WINGBEAT_GLOBAL element* out, size row, size t, const Run& y) {
    put(out, operands{}, row, t, y);
  }
};

/// The same of a functor that also loads by lines: see ends/functor_contract.hpp.
template <class Policy>
struct fixed_lines : fixed<Policy> {
  using typename fixed<Policy>::functor;
  using typename fixed<Policy>::element;
  using typename fixed<Policy>::operands;
  static constexpr size line_length = functor::line_length(Policy::numbers());

  WINGBEAT_FN static auto load_line(WINGBEAT_GLOBAL const element* in, operands given, size row,
                                    size line, size i) {
    return functor{Policy::numbers(), in, Policy::completed(given), row}.load_line(line, i);
  }
  WINGBEAT_FN static auto load_line(WINGBEAT_GLOBAL const element* in, size row, size line,
                                    size i) {
    return load_line(in, operands{}, row, line, i);
  }
};

/// The same of a functor that may also keep what it stores: see ends/keep.hpp.
template <class Policy>
struct fixed_kept : fixed<Policy> {
  using typename fixed<Policy>::functor;
  using typename fixed<Policy>::element;
  using typename fixed<Policy>::operands;
  using kept = typename functor::kept;

  template <class Kept, class Visit>
  WINGBEAT_FN static void each_member(Kept& held, Visit visit) {
    functor::each_member(held, Policy::numbers(), visit);
  }
  WINGBEAT_FN static kept started(WINGBEAT_GLOBAL element* out, operands given, size row, size i) {
    return functor{Policy::numbers(), out, Policy::completed(given), row}.started(i);
  }
  template <class Value>
  WINGBEAT_FN static bool changes(const kept& held, WINGBEAT_GLOBAL element* out, operands given,
                                  size row, size i, Value z) {
    return functor{Policy::numbers(), out, Policy::completed(given), row}.changes(held, i, z);
  }
  template <class Value>
  WINGBEAT_FN static void keep(kept& held, WINGBEAT_GLOBAL element* out, operands given, size row,
                               size i, Value z) {
    functor{Policy::numbers(), out, Policy::completed(given), row}.keep(held, i, z);
  }
  WINGBEAT_FN static element before(WINGBEAT_GLOBAL element* out, operands given, size row,
                                    size i) {
    return functor{Policy::numbers(), out, Policy::completed(given), row}.before(i);
  }
  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, operands given, size row, size i,
                                 const kept& held, element found) {
    functor{Policy::numbers(), out, Policy::completed(given), row}.finish(i, held, found);
  }
};

/// The same of a functor that reduces: made for a partial result, to which it stores.
template <class Policy>
struct fixed_reduction {
  using functor = typename Policy::functor;
  using element = typename functor::element;
  using operands = typename Policy::operands;
  using reduced = typename functor::memory;
  using partial = typename reduced::partial;

  WINGBEAT_FN static partial start() { return reduced::start(); }
  template <class Value>
  WINGBEAT_FN static void add(partial& sum, operands given, size row, size i, Value z) {
    functor{Policy::numbers(), sum, Policy::completed(given), row}.store(i, z);
  }
  template <class Value>
  WINGBEAT_FN static void add(partial& sum, size row, size i, Value z) {
    add(sum, operands{}, row, i, z);
  }
  WINGBEAT_FN static void combine(partial& sum, partial other) { reduced::combine(sum, other); }
  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, operands given, size row,
                                 partial sum) {
    functor{Policy::numbers(), sum, Policy::completed(given), row}.finish(out);
  }
  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, size row, partial sum) {
    finish(out, operands{}, row, sum);
  }
};

}  // namespace wingbeat::device::functors
