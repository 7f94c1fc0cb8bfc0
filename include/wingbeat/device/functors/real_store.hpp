// SPDX-License-Identifier: Apache-2.0
// What becomes of the elements of the inner transform of a transform from reals to reals: lines of
// reals.
#pragma once

#include "wingbeat/device/bfloat.hpp"               // bfloat
#include "wingbeat/device/functors/real_lines.hpp"  // real_line, line_numbers
#include "wingbeat/device/functors/reductions.hpp"  // folded_samples
#include "wingbeat/device/half.hpp"                 // half_float
#include "wingbeat/device/port.hpp"                 // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Reduction: one of reductions.hpp. Stored: as of `line_source`.
template <class Reduction, class Stored, class Real>
class real_store {
  using source = line_source<Stored, Real>;

 public:
  using numbers = line_numbers;
  using memory = typename source::written;
  using element = typename source::element;
  using operands = typename source::operands;
  static constexpr bool in_order = false;

  WINGBEAT_FN real_store(const numbers& n, typename memory::target out, operands given, size row)
      : memory_(out, given), line_(n, memory_, given, row), numbers_(n), given_(given), row_(row) {}
  /// Value: Real or complex<Real>.
  template <class Value>
  WINGBEAT_FN void store(size i, Value value) const {
    if (numbers_.columns == 1) return Reduction::template store<Real>(line_, i, value);
    const line_element place = numbers_.element_of(row_, i);
    Reduction::template store<Real>(line{numbers_, memory_, given_, place.line}, place.i, value);
  }
  /// Returns the outputs of a row that output() and put() make, where rows are lines.
  WINGBEAT_FN static constexpr size gathered(const numbers& n) {
    return Reduction::gathers && n.columns == 1 ? n.length : 0;
  }
  /// Returns output t of the elements value(i) of the inner transform.
  template <class Value>
  WINGBEAT_FN Real output(size t, const Value& value) const {
    return Reduction::template output<Real>(line_, t, value);
  }
  WINGBEAT_FN void put(size t, Real y) const { line_.put(t, y); }
  /// Stores value(i) for each of `count` elements of a row from `first` on.
  template <class Value>
  WINGBEAT_FN void store_run(size first, size count, const Value& value) const {
    if (numbers_.columns > 1) {
      for (size i = 0; i < count; ++i) store(first + i, value(i));
      return;
    }
    line_.in_its_form([&](const auto& form) {
      for (size i = 0; i < count; ++i) {
        Reduction::template store<Real>(form, first + i, value(i));
      }
    });
  }
  /// Hands over what a functor that reduces has added of one of the lines of a row, which are all
  /// of one of its rows.
  WINGBEAT_FN void finish(WINGBEAT_GLOBAL element* out) const {
    memory_.from(numbers_.offset_of(row_ * numbers_.columns)).finish(out);
  }

 private:
  using line = real_line<memory, Real>;

  memory memory_;
  line line_;
  numbers numbers_;
  operands given_;
  size row_;
};

}  // namespace wingbeat::device::functors
