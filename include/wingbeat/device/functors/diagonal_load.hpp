// SPDX-License-Identifier: Apache-2.0
// Loads rows of reals from lines, and multiplies the coefficients in their bins by factors that a
// functor of yours loads, before the rows become reals again.
#pragma once

#include "wingbeat/device/complex.hpp"               // complex
#include "wingbeat/device/functors/diagonals.hpp"    // folded_diagonal
#include "wingbeat/device/functors/fused_lines.hpp"  // fused_reader, fused_operands
#include "wingbeat/device/functors/real_load.hpp"    // real_load
#include "wingbeat/device/port.hpp"                  // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// The factors of one line's coefficients, in the order of the cosine transform that makes them.
template <class Functor, class As>
class line_factors {
  using real = typename As::real;

 public:
  WINGBEAT_FN line_factors(const line_numbers& n, const fused_operands<Functor, real>& given,
                           size row)
      : factors_(nullptr, given),
        roots_(given.roots),
        first_(row * n.length),
        length_(n.length),
        fine_bits_(n.fine_bits),
        is_reversed_(n.is_alternating) {}

  WINGBEAT_FN size length() const { return length_; }
  WINGBEAT_FN real get(size j) const {
    return factors_.get(distance(first_ + (is_reversed_ ? length_ - 1 - j : j)));
  }
  WINGBEAT_FN complex<real> root(size e) const { return root_of(roots_, fine_bits_, e); }

 private:
  fused_reader<Functor, As> factors_;
  WINGBEAT_GLOBAL const complex<real>* roots_;
  size first_, length_;
  unsigned fine_bits_;
  bool is_reversed_;
};

/// Reduction: one of diagonals.hpp; Functor, As: as for `fused_reader`, whose rows contain lines.
/// Lines of sines begin with alternating signs, so their coefficients are reversed.
template <class Reduction, class Stored, class Real, class Functor, class As>
class diagonal_load : public real_load<Reduction, Stored, Real> {
  using base = real_load<Reduction, Stored, Real>;

 public:
  using operands = fused_operands<Functor, Real>;

  WINGBEAT_FN diagonal_load(const line_numbers& n, WINGBEAT_GLOBAL const Stored* in,
                            const operands& given, size row)
      : base(n, in, given, row), factors_(n, given, row) {}

  WINGBEAT_FN complex<Real> changed(size k, complex<Real> bin) const {
    return Reduction::template changed<Real>(factors_, k, bin);
  }

 private:
  line_factors<Functor, As> factors_;
};

}  // namespace wingbeat::device::functors
