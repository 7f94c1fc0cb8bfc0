// SPDX-License-Identifier: Apache-2.0
// The load of an inner transform that makes a transform from reals to reals, from lines of reals.
#pragma once

#include "wingbeat/device/bfloat.hpp"               // bfloat
#include "wingbeat/device/functors/real_lines.hpp"  // real_line, line_numbers
#include "wingbeat/device/functors/reductions.hpp"  // folded_samples
#include "wingbeat/device/half.hpp"                 // half_float
#include "wingbeat/device/port.hpp"                 // WINGBEAT_FN, size
#include "wingbeat/device/workgroup/contract.hpp"   // is_in_steps

namespace wingbeat::device::functors {

/// Reduction: one of reductions.hpp. Stored: as for `line_source`.
template <class Reduction, class Stored, class Real>
class real_load {
  using source = line_source<Stored, Real>;
  using memory = typename source::read;

 public:
  using numbers = line_numbers;
  using element = typename source::element;
  using operands = typename source::operands;
  static constexpr bool in_order = false;

  WINGBEAT_FN real_load(const numbers& n, typename memory::target in, operands given, size row)
      : line_(n, memory(in, given), given, row) {}
  WINGBEAT_FN auto load(size i) const { return Reduction::template load<Real>(line_, i); }
  /// Load elements i and M - i of bins 0 .. M in two steps.
  static constexpr bool in_steps = workgroup::contract::is_in_steps<Reduction>;
  WINGBEAT_FN complex<Real> fetched(size i) const {
    return Reduction::template fetched<Real>(line_, i);
  }
  WINGBEAT_FN void make_pair(size i, complex<Real>& z, complex<Real>& mirrored) const {
    Reduction::make_pair(line_, i, z, mirrored);
  }
  /// Returns the number of elements in a line if one thread may hold it; otherwise 0.
  WINGBEAT_FN static constexpr unsigned held(const numbers& n) {
    const bool is_whole = n.stride == 1 && n.origin == 0 && n.first == 0 && n.end == n.length;
    const size bytes = n.length * sizeof(element);
    return has_runs<memory> && is_whole && bytes % 16 == 0 && bytes <= 64 ? unsigned(n.length) : 0;
  }
  template <class Values>
  WINGBEAT_FN void hold(Values& values) const {
    line_.memory().read(values);
  }
  template <class Values>
  WINGBEAT_FN auto load_held(const Values& values, size i) const {
    using held_type = held_memory<Real, Values>;
    return Reduction::template load<Real>(line_.template with_memory<held_type>(held_type{values}),
                                          i);
  }
  WINGBEAT_FN void prefetch() const { line_.prefetch(); }
  /// Calls take(i, element) for elements first + i of a row, i < count.
  template <class Take>
  WINGBEAT_FN void load_run(size first, size count, const Take& take) const {
    line_.in_its_form([&](const auto& form) {
      for (size i = 0; i < count; ++i) take(i, Reduction::template load<Real>(form, first + i));
    });
  }

 private:
  real_line<memory, Real> line_;
};

}  // namespace wingbeat::device::functors
