// SPDX-License-Identifier: Apache-2.0
// The store of an inner transform that makes a transform from reals to reals, to lines of reals.
#pragma once

#include "wingbeat/device/bfloat.hpp"               // bfloat
#include "wingbeat/device/functors/real_lines.hpp"  // real_line, line_numbers
#include "wingbeat/device/functors/reductions.hpp"  // folded_samples
#include "wingbeat/device/half.hpp"                 // half_float
#include "wingbeat/device/io/adjacent.hpp"          // adjacent
#include "wingbeat/device/port.hpp"                 // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Reduction: one of reductions.hpp. Stored: as for `line_source`.
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
      : line_(n, memory(out, given), given, row) {}
  /// Value: Real or complex<Real>.
  template <class Value>
  WINGBEAT_FN void store(size i, Value value) const {
    Reduction::template store<Real>(line_, i, value);
  }
  /// Returns the number of a line's outputs that output() and put() make; 0: none.
  WINGBEAT_FN static constexpr size gathered(const numbers& n) {
    return Reduction::gathers ? n.length : 0;
  }
  /// Returns the number of outputs that put() takes at a time.
  WINGBEAT_FN static constexpr unsigned at_once(const numbers& n) {
    if constexpr (Reduction::gathers) {
      if (n.length % Reduction::at_once == 0) return Reduction::at_once;
    }
    return 1;
  }
  /// Returns element i of the inner transform, prepared for output().
  template <class Value>
  WINGBEAT_FN Value prepared(size i, Value value) const {
    return Reduction::template prepared<Real>(line_, i, value);
  }
  /// Returns output t of prepared elements value(i).
  template <class Value>
  WINGBEAT_FN Real output(unsigned t, const Value& value) const {
    return Reduction::template output<Real>(line_, t, value);
  }
  /// Stores N outputs from number t on, a multiple of N.
  template <unsigned N>
  WINGBEAT_FN void put(size t, const io::adjacent<Real, N>& y) const {
    line_.put_run(t, y);
  }
  /// Stores value(i) for each of `count` elements of a row from `first` on.
  template <class Value>
  WINGBEAT_FN void store_run(size first, size count, const Value& value) const {
    line_.in_its_form([&](const auto& form) {
      for (size i = 0; i < count; ++i) {
        Reduction::template store<Real>(form, first + i, value(i));
      }
    });
  }
  /// Finishes the partial result of one line of its row, for a functor that reduces.
  WINGBEAT_FN void finish(WINGBEAT_GLOBAL element* out) const { line_.memory().finish(out); }

 private:
  real_line<memory, Real> line_;
};

}  // namespace wingbeat::device::functors
