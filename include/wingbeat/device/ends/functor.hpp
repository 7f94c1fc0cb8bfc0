// SPDX-License-Identifier: Apache-2.0
// The ends of a pass that call a functor, given to the host plan, in place of plain memory:
//
//     struct yours {
//       using element = short;                // of your buffer
//       struct parameters { float gain; };    // plain data; leave it and its argument out if none
//       WINGBEAT_FN static value load(WINGBEAT_GLOBAL const element* in,
//                                     WINGBEAT_GLOBAL const parameters& with, size row, size i);
//       WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out,
//                                     WINGBEAT_GLOBAL const parameters& with, size row, size i,
//                                     value z);
//       static constexpr bool in_order = false;  // for a load that reads elsewhere: docs/fusion.md
//     };
//
// If each run adds operands, a struct operands follows the parameters.
//
// `value` is complex<Real>, or Real at a real end of the transform. There two neighbours form one
// complex element, z[i] = x[2i] + i x[2i+1]; in rows of odd length each value forms its own,
// z[i] = x[i]. Places number the elements of packed rows. See docs/fusion.md.
#pragma once

#include "wingbeat/device/complex.hpp"                // complex
#include "wingbeat/device/ends/functor_contract.hpp"  // element_of, has_load
#include "wingbeat/device/ends/functor_row.hpp"       // fused_given
#include "wingbeat/device/ends/row_parts.hpp"         // parts_of
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::ends {

/// How the values of a real end form complex elements.
enum class reals {
  in_pairs,    ///< Two per element; places count pairs.
  one_by_one,  ///< Two per element; places count reals, because ranges may split a pair.
  unpaired     ///< One per element, with imaginary part 0: the rows' length is odd.
};

/// The numbering of a functor's elements.
struct fused_numbers {
  /// Elements of a row: complex ones, or pairs of reals; reals if they are not taken in pairs.
  size length = 1;
  bool is_dense = false;  ///< Elements along the pass's axis are consecutive; never for a plane.
  size first = 0;         ///< First index of a dense axis that is in memory.
  bool is_real = false;   ///< This end of the transform has reals.
  reals taken = reals::in_pairs;  ///< How these form elements.
  /// Number of lines in a row that alternate element by element, each a row of the functor (1: rows
  /// are lines); 0: rows have all axes.
  size lines = 0;
  bool has_parameters = false;
  size block_at = 0;  ///< First byte of the parameter block in the table.
  unsigned n_operands = 0;
  size outputs = 0;  ///< Made of each whole row by a store that gathers; 0: it takes elements.

  template <class Visit>
  WINGBEAT_FN constexpr void each(Visit visit) const {
    visit("length", length);
    visit("is_dense", is_dense);
    visit("first", first);
    visit("is_real", is_real);
    visit("taken", taken);
    visit("lines", lines);
    visit("has_parameters", has_parameters);
    visit("block_at", block_at);
    visit("n_operands", n_operands);
    visit("outputs", outputs);
  }
};

/// The numbering as constants. Policy: `real` and numbers().
template <class Policy>
struct fused_as {
  static constexpr fused_numbers numbers = Policy::numbers();
  using real = typename Policy::real;
  static constexpr size length = numbers.length, first = numbers.first, lines = numbers.lines;
  static constexpr bool is_dense = numbers.is_dense, is_real = numbers.is_real;
  static constexpr bool has_parameters = numbers.has_parameters;
  static constexpr size block_at = numbers.block_at;
  static constexpr unsigned n_operands = numbers.n_operands;
  static constexpr bool has_operands = n_operands > 0;
  static constexpr bool has_parts = numbers.taken == reals::one_by_one;
  static constexpr bool has_pairs = is_real && numbers.taken == reals::in_pairs;
  static constexpr bool has_singles = is_real && numbers.taken == reals::unpaired;
  static_assert(is_real || numbers.taken == reals::in_pairs, "complex elements are taken whole");
  static_assert(block_at % block_alignment == 0, "the planner aligns parameter blocks");
};

/// The type of an end's values: complex<Real> or Real.
template <class Real, bool IsReal>
struct value_of {
  using type = complex<Real>;
};
template <class Real>
struct value_of<Real, true> {
  using type = Real;
};

template <class A, class B>
inline constexpr bool is_same_type = false;
template <class A>
inline constexpr bool is_same_type<A, A> = true;

/// The row that an element belongs to, and its index there.
struct spot {
  size row, i;
};

/// Returns n / Divisor for a multiple n of Divisor, by the inverse of the odd part modulo 2^64.
template <size Divisor>
WINGBEAT_FN constexpr size exact_quotient(size n) {
  size odd = Divisor;
  while (odd % 2 == 0) {
    odd /= 2;
    n /= 2;
  }
  size inverse = odd;  // exact in 3 bits; each step doubles that
  for (unsigned bits = 3; bits < 64; bits *= 2) inverse *= 2 - odd * inverse;
  return n * inverse;
}

/// Returns the row of the element at a place; for lines the place must be of their first element.
template <class As>
WINGBEAT_FN size row_of(size offset) {
  if constexpr (As::lines == 0) return offset / As::length;
  if constexpr (As::lines == 1) return exact_quotient<As::length>(offset);
  return offset / As::length * As::lines + offset % As::length;
}

/// Returns the spot of the element at a place; `index` is its index on the axis. On a dense axis it
/// is found from the place of the axis's first element, which all elements of a thread share: their
/// spots are then constants apart, which compilers fold.
template <class As>
WINGBEAT_FN spot spot_of(size offset, size index) {
  if constexpr (As::lines > 0) {
    const size i = index - As::first;
    return {row_of<As>(offset - i * As::lines), i};
  }
  const size of_axis = As::is_dense ? index - As::first : 0;
  const size start = offset - of_axis;
  return {start / As::length, start % As::length + of_axis};
}

/// Returns the spot of the real at a place, if reals are taken one by one. behind: its distance
/// from a place that all elements of a thread share.
template <class As>
WINGBEAT_FN spot spot_of_real(size offset, size behind = 0) {
  const size start = offset - behind;
  return {start / As::length, start % As::length + behind};
}

/// Reads elements through the functor's load.
template <class Functor, class As>
class fused_load {
  using given = fused_given<Functor, As>;
  static constexpr bool has_types =
      element_of<Functor>::is_given && (parameters_of<Functor>::is_given || !As::has_parameters);
  static_assert(element_of<Functor>::is_given,
                "your load functor has no type named element; write using element = your buffer's "
                "type in the struct");
  static_assert(parameters_of<Functor>::is_given || !As::has_parameters,
                "load.source.parameters holds bytes and your load functor has no type named "
                "parameters; declare struct parameters in it, or leave the bytes out");
  static_assert(!has_types || has_load<Functor, typename given::list>,
                "your load functor needs WINGBEAT_FN static value load(in, row, i), or load(in, "
                "with, row, i) where load.source.parameters holds bytes; where load.operands has "
                "entries, the operands stand before row");

 public:
  using element = typename element_of<Functor>::type;
  using parameters = typename parameters_of<Functor>::type;
  using value = typename value_of<typename As::real, As::is_real>::type;

  static constexpr bool has_parts = As::has_parts, computes = true;
  static constexpr bool has_singles = As::has_singles;
  template <class... Operands>
  WINGBEAT_FN fused_load(WINGBEAT_GLOBAL const element* in, WINGBEAT_GLOBAL const char* blocks,
                         Operands... operands)
      : in_(in), given_(blocks, operands...) {}

  /// Returns the element at a place; `index` as for spot_of.
  WINGBEAT_FN complex<typename As::real> get(size offset, size index) const {
    if constexpr (As::has_parts) {
      return {re(offset), im(offset)};
    } else {
      const spot place = spot_of<As>(offset, index);
      if constexpr (As::has_pairs) {
        return {one(place.row, 2 * place.i), one(place.row, 2 * place.i + 1)};
      } else if constexpr (As::is_real) {
        return {one(place.row, place.i), value(0)};
      } else {
        return one(place.row, place.i);
      }
    }
  }
  /// Return the first and the second real of the pair at `offset`, if reals are taken one by one.
  WINGBEAT_FN value re(size offset) const { return real(spot_of_real<As>(offset), 0); }
  WINGBEAT_FN value im(size offset) const { return re(offset + 1); }
  /// Return the spot of a real on a dense axis, and the real `further` behind a spot.
  WINGBEAT_FN static spot real_at(size offset, size behind) {
    return spot_of_real<As>(offset, behind);
  }
  WINGBEAT_FN value real(spot first, size further) const {
    return one(first.row, first.i + further);
  }

  /// Returns the changed bin k of the row at `offset`.
  template <class Bin>
  WINGBEAT_FN Bin changed(size offset, size k, Bin bin) const {
    return given_.of_row(in_, row_of<As>(offset)).changed(k, bin);
  }

  /// Fetch an element, and compute two of them, in two steps instead of get().
  static constexpr bool in_steps = loads_in_steps<Functor>;
  WINGBEAT_FN value fetched(size offset, size index) const {
    const spot place = spot_of<As>(offset, index);
    return given_.of_row(in_, place.row).fetched(place.i);
  }
  WINGBEAT_FN void make_pair(size offset, size index, value& z, value& mirrored) const {
    const spot place = spot_of<As>(offset, index);
    given_.of_row(in_, place.row).make_pair(place.i, z, mirrored);
  }
  /// Whether the functor loads a thread's pairs of reals at once, and loads them; see contract.hpp.
  static constexpr bool fills = As::has_pairs && fills_pairs<Functor>;
  template <unsigned Count, unsigned Step, class Pairs>
  WINGBEAT_FN void fill(size offset, unsigned first, Pairs& z) const {
    given_.of_row(in_, row_of<As>(offset)).template fill<Count, Step>(first, z);
  }
  /// Read a whole row into a thread, and return its elements.
  static constexpr unsigned held = held_of<Functor>;
  template <class Values>
  WINGBEAT_FN void hold(size offset, Values& values) const {
    given_.of_row(in_, row_of<As>(offset)).hold(values);
  }
  template <class Values>
  WINGBEAT_FN complex<typename As::real> get_held(size offset, size i, const Values& values) const {
    const auto functor = given_.of_row(in_, row_of<As>(offset));
    if constexpr (As::has_pairs) {
      return {functor.load_held(values, 2 * i), functor.load_held(values, 2 * i + 1)};
    } else if constexpr (As::is_real) {
      return {functor.load_held(values, i), value(0)};
    } else {
      return functor.load_held(values, i);
    }
  }
  /// Prefetches the input of `count` elements in a row; see grid/prefetch.hpp.
  WINGBEAT_FN void prefetch(size offset, size count) const {
    constexpr size each = As::has_pairs ? 2 : 1;
    constexpr bool is_whole = !As::has_parts;
    if constexpr (prefetches_rows<Functor>) {
      given_.of_row(in_, row_of<As>(offset)).prefetch();
    } else if constexpr (is_in_order<Functor> && is_whole) {
      device::prefetch(in_ + each * offset, each * count);
    }
  }

 private:
  WINGBEAT_FN auto loaded(size row, size i) const {
    constexpr row_parts parts = parts_of<Functor>::get();
    const auto functor = given_.of_row(in_, parts.signal(row));
    if constexpr (parts.elements > 0 && parts.elements == line_length_of<Functor>) {
      return functor.load_line(parts.part(row), i);
    } else {
      return functor.load(parts.element(row, i));
    }
  }
  WINGBEAT_FN value one(size row, size i) const {
    static_assert(is_same_type<decltype(loaded(row, i)), value>,
                  "your load functor must return complex<Real>, or Real where the plan's input "
                  "is real (forward_from_real), Real being the plan's precision");
    return loaded(row, i);
  }

  WINGBEAT_GLOBAL const element* in_;
  given given_;
};

/// The types of a functor at an end that stores or reduces.
template <class Functor, class As>
struct store_types {
  static_assert(element_of<Functor>::is_given,
                "your store functor has no type named element; write using element = your "
                "buffer's type in the struct");
  static_assert(parameters_of<Functor>::is_given || !As::has_parameters,
                "store.source.parameters holds bytes and your store functor has no type named "
                "parameters; declare struct parameters in it, or leave the bytes out");
  static constexpr bool are_given =
      element_of<Functor>::is_given && (parameters_of<Functor>::is_given || !As::has_parameters);
};

/// Calls one(row, i, value) for each value of the element at a place; `index` as for spot_of.
template <class As, class One>
WINGBEAT_FN void each_value(size offset, size index, complex<typename As::real> z,
                            const One& visit) {
  const spot place = spot_of<As>(offset, index);
  if constexpr (As::has_pairs) {
    visit(place.row, 2 * place.i, z.re);
    visit(place.row, 2 * place.i + 1, z.im);
  } else if constexpr (As::is_real) {
    visit(place.row, place.i, z.re);
  } else {
    visit(place.row, place.i, z);
  }
}

/// Writes elements through the functor's store.
template <class Functor, class As>
class fused_store {
 public:
  using element = typename element_of<Functor>::type;
  using parameters = typename parameters_of<Functor>::type;
  using value = typename value_of<typename As::real, As::is_real>::type;

 private:
  using given = fused_given<Functor, As>;
  using given_list = typename given::list;
  static_assert(!store_types<Functor, As>::are_given || As::numbers.outputs > 0 ||
                    has_store<Functor, value, given_list>,
                "your store functor needs WINGBEAT_FN static void store(out, row, i, value), or "
                "store(out, with, row, i, value) where store.source.parameters holds bytes; where "
                "store.operands has entries, the operands stand before row");
  static_assert(!store_types<Functor, As>::are_given || As::numbers.outputs == 0 ||
                    has_output<Functor, value, given_list>,
                "store.row_outputs is not 0, so your store functor needs WINGBEAT_FN static "
                "functions output(values, row, t), a template that returns output t of the row "
                "whose element i is values(i), and store(out, row, t, output); parameters and "
                "operands stand before row");

 public:
  static constexpr bool has_parts = As::has_parts, reduces = false, computes = true;
  static constexpr bool has_singles = As::has_singles;
  static constexpr bool has_outputs = As::numbers.outputs > 0;  ///< Of any type, one by one.
  /// Outputs of a row; 0: it does not gather.
  static constexpr size gathered = has_outputs ? As::numbers.outputs : gathered_by<Functor>::count;
  static constexpr unsigned at_once = gathered_by<Functor>::at_once;
  static constexpr bool is_across = gathers_across<Functor>;
  template <class... Operands>
  WINGBEAT_FN fused_store(WINGBEAT_GLOBAL element* out, WINGBEAT_GLOBAL const char* blocks,
                          Operands... operands)
      : out_(out), given_(blocks, operands...) {}

  /// Stores an element; see each_value.
  WINGBEAT_FN void put(size offset, size index, complex<typename As::real> z) const {
    if constexpr (As::has_parts) {
      put_re(offset, z.re);
      put_im(offset, z.im);
    } else {
      each_value<As>(offset, index, z, [&](size row, size i, value x) { one(row, i, x); });
    }
  }
  WINGBEAT_FN void put_re(size offset, value x) const { put_real(spot_of_real<As>(offset), 0, x); }
  WINGBEAT_FN void put_im(size offset, value x) const { put_re(offset + 1, x); }
  /// See fused_load.
  WINGBEAT_FN static spot real_at(size offset, size behind) {
    return spot_of_real<As>(offset, behind);
  }
  WINGBEAT_FN void put_real(spot first, size further, value x) const {
    one(first.row, first.i + further, x);
  }

  /// Returns output t of the row at `offset`, made from its elements, or pairs of reals, of_row(i).
  template <class Row>
  WINGBEAT_FN auto output(size offset, unsigned t, const Row& of_row) const {
    const auto value_at = [&](unsigned i) {
      if constexpr (As::has_pairs) {
        const complex<typename As::real> pair = of_row(i / 2);
        return i % 2 == 0 ? pair.re : pair.im;
      } else if constexpr (As::is_real) {
        return of_row(i).re;
      } else {
        return of_row(i);
      }
    };
    return given_.of_row(out_, row_of<As>(offset)).output(t, value_at);
  }
  /// Returns element i of the row at `offset`, prepared for output().
  WINGBEAT_FN complex<typename As::real> prepared(size offset, size i,
                                                  complex<typename As::real> z) const {
    if constexpr (As::is_real || !prepares<Functor, value, given_list>) {
      return z;
    } else {
      return given_.of_row(out_, row_of<As>(offset)).prepared(i, z);
    }
  }
  /// Stores outputs from number t on.
  template <class Run>
  WINGBEAT_FN void put_outputs(size offset, size t, const Run& y) const {
    if constexpr (has_outputs) {
      given_.of_row(out_, row_of<As>(offset)).store(t, y.value[0]);
    } else {
      given_.of_row(out_, row_of<As>(offset)).put(t, y);
    }
  }

 private:
  WINGBEAT_FN void one(size row, size i, value z) const {
    constexpr row_parts parts = parts_of<Functor>::get();
    given_.of_row(out_, parts.signal(row)).store(parts.element(row, i), z);
  }

  WINGBEAT_GLOBAL element* out_;
  given given_;
};

}  // namespace wingbeat::device::ends
