// SPDX-License-Identifier: Apache-2.0
// Lines of reals whose elements a functor of yours loads, stores or reduces, instead of memory.
// Place p, counted from the first row's first element, is element p % As::length of row p /
// As::length.
#pragma once

#include "wingbeat/device/ends/functor.hpp"         // fused_load, fused_store, fused_given
#include "wingbeat/device/functors/real_lines.hpp"  // line_operands, line_source
#include "wingbeat/device/port.hpp"                 // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// A stand-in for a stored number. Memory: one of the classes below; As: ends::fused_as for
/// unpaired reals with their parameter block at byte 0.
template <template <class, class> class Memory, class Functor, class As>
struct fused {};

/// The operands of lines: roots, then your functor's parameter block and operands.
template <class Functor, class Real>
struct fused_operands : line_operands<Real> {
  WINGBEAT_GLOBAL const char* blocks;
  typename ends::operands_of<Functor>::type yours;
};

template <template <class, class> class Memory, class Functor, class As, class Real>
struct line_source<fused<Memory, Functor, As>, Real> {
  using element = typename Memory<Functor, As>::element;
  using operands = fused_operands<Functor, Real>;
  using read = Memory<Functor, As>;
  using written = Memory<Functor, As>;
};

template <class Functor, class As>
class fused_reader {
 public:
  using element = typename ends::element_of<Functor>::type;
  using target = ends::in_of<Functor>;

  WINGBEAT_FN fused_reader(target in, const fused_operands<Functor, typename As::real>& given)
      : yours_(in, given.blocks, given.yours) {}

  WINGBEAT_FN typename As::real get(distance place) const {
    return yours_.re(first_ + size(place));
  }
  WINGBEAT_FN fused_reader from(size place) const {
    fused_reader later = *this;
    later.first_ += place;
    return later;
  }

 private:
  ends::fused_load<Functor, As> yours_;
  size first_ = 0;
};

/// Reals in memory, each times the factor that your functor, without a buffer, loads for it.
template <class Functor, class As>
class multiplied_memory {
 public:
  using element = typename As::real;
  using target = WINGBEAT_GLOBAL const element*;

  WINGBEAT_FN multiplied_memory(target in, const fused_operands<Functor, element>& given)
      : in_(in), factors_(nullptr, given) {}

  WINGBEAT_FN element get(distance place) const { return in_.get(place) * factors_.get(place); }
  WINGBEAT_FN multiplied_memory from(size place) const {
    multiplied_memory later = *this;
    later.in_ = in_.from(place);
    later.factors_ = factors_.from(place);
    return later;
  }

 private:
  line_memory<const element, element> in_;
  fused_reader<Functor, As> factors_;
};

template <class Functor, class As>
class fused_writer {
 public:
  using element = typename ends::element_of<Functor>::type;
  using target = ends::out_of<Functor>;

  WINGBEAT_FN fused_writer(target out, const fused_operands<Functor, typename As::real>& given)
      : yours_(out, given.blocks, given.yours) {}

  WINGBEAT_FN void put(distance place, typename As::real value) const {
    yours_.put_re(first_ + size(place), value);
  }
  WINGBEAT_FN fused_writer from(size place) const {
    fused_writer later = *this;
    later.first_ += place;
    return later;
  }

 private:
  ends::fused_store<Functor, As> yours_;
  size first_ = 0;
};

}  // namespace wingbeat::device::functors
