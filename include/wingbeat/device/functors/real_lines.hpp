// SPDX-License-Identifier: Apache-2.0
// Lines of reals along one axis of an array, and the roots of their transforms: the memory of
// real_load and real_store.
#pragma once

#include "wingbeat/device/complex.hpp"         // complex
#include "wingbeat/device/functors/fixed.hpp"  // no_operands
#include "wingbeat/device/io/adjacent.hpp"     // adjacent, load_constant, store_whole
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// A dimension that lines are numbered over.
struct line_loop {
  size count = 1, stride = 0;
};
inline constexpr unsigned max_line_loops = 6;

/// The elements of lines of `length` reals: element i of line r lies at
///     base + (i - origin) stride + sum over loops of index times stride,
/// and is in memory if first <= i < end. Transforms may see a line reversed, with the signs of odd
/// elements changed (alternating), and with the first or last element times `edge`.
struct line_numbers {
  size length = 1, stride = 1, origin = 0, first = 0, end = 1, base = 0;
  line_loop loops[max_line_loops] = {};  ///< Innermost first.
  unsigned depth = 0;
  bool is_reversed = false, is_alternating = false, has_first_edge = false, has_last_edge = false;
  double edge = 1, scale = 1;  ///< `scale` is of all written elements.
  /// If there are many roots, each is the product of one of 2^fine_bits fine ones and of one of the
  /// coarse ones that follow them. 0: roots are stored one by one.
  unsigned fine_bits = 0;
  bool has_roots = false;

  /// Returns the offset of a line. Fewer than 2^32 lines are divided in 32 bits, because NVRTC 13.0
  /// crashes on some kernels with 64-bit divisions.
  WINGBEAT_FN constexpr size offset_of(size row) const {
    const bool is_short = n_rows() >> 32 == 0;
    return base + offset_along<0>(is_short ? static_cast<unsigned>(row) : row);
  }

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("length", length);
    visit("stride", stride);
    visit("origin", origin);
    visit("first", first);
    visit("end", end);
    visit("base", base);
    each_of(visit, 0, "loops[0].count", "loops[0].stride");
    each_of(visit, 1, "loops[1].count", "loops[1].stride");
    each_of(visit, 2, "loops[2].count", "loops[2].stride");
    each_of(visit, 3, "loops[3].count", "loops[3].stride");
    each_of(visit, 4, "loops[4].count", "loops[4].stride");
    each_of(visit, 5, "loops[5].count", "loops[5].stride");
    visit("depth", depth);
    visit("is_reversed", is_reversed);
    visit("is_alternating", is_alternating);
    visit("has_first_edge", has_first_edge);
    visit("has_last_edge", has_last_edge);
    visit("edge", edge);
    visit("scale", scale);
    visit("fine_bits", fine_bits);
    visit("has_roots", has_roots);
  }

 private:
  WINGBEAT_FN constexpr size n_rows() const {
    static_assert(max_line_loops == 6);
    return loops[0].count * loops[1].count * loops[2].count * loops[3].count * loops[4].count *
           loops[5].count;
  }
  /// Returns the offset over loops D and later. D is a constant, because a run-time index would
  /// move all numbers to memory.
  template <unsigned D>
  WINGBEAT_FN constexpr size offset_along(size row) const {
    if constexpr (D + 1 < max_line_loops) {
      if (D + 1 < depth) {
        return row % loops[D].count * loops[D].stride + offset_along<D + 1>(row / loops[D].count);
      }
    }
    return row * loops[D].stride;
  }
  template <class Visit, class Name>
  WINGBEAT_FN void each_of(const Visit& visit, unsigned d, Name count_name,
                           Name stride_name) const {
    if (d >= depth) return;
    visit(count_name, loops[d].count);
    visit(stride_name, loops[d].stride);
  }
};

/// Returns root e of a table of single roots, or of fine and coarse ones. `load` reads an entry.
template <class Real, class Load>
WINGBEAT_FN complex<Real> root_of(WINGBEAT_GLOBAL const complex<Real>* roots, unsigned fine_bits,
                                  size e, const Load& load) {
  if (fine_bits == 0) return load(roots + e);
  const size fine = size(1) << fine_bits;
  return load(roots + (e & (fine - 1))) * load(roots + fine + (e >> fine_bits));
}
template <class Real>
WINGBEAT_FN complex<Real> root_of(WINGBEAT_GLOBAL const complex<Real>* roots, unsigned fine_bits,
                                  size e) {
  using source = WINGBEAT_GLOBAL const complex<Real>*;
  return root_of(roots, fine_bits, e, [](source at) { return io::load_constant(at); });
}

/// The distance between elements.
using distance = long long;

/// The operands of a functor that reads roots.
template <class Real>
struct line_operands {
  WINGBEAT_GLOBAL const complex<Real>* roots;

  template <class Visit>
  WINGBEAT_FN static void each(const line_numbers& n, Visit visit) {
    if (n.has_roots) visit("roots", &line_operands::roots);
  }
};

/// Elements of lines in memory, by their distance from the first. Element: Stored; const for loads.
template <class Element, class Real>
class line_memory {
 public:
  using target = WINGBEAT_GLOBAL Element*;

  WINGBEAT_FN line_memory(target first, const line_operands<Real>& = {}) : first_(first) {}

  WINGBEAT_FN Real get(distance place) const { return static_cast<Real>(first_[place]); }
  WINGBEAT_FN void put(distance place, Real value) const { first_[place] = Element(value); }
  /// Writes N neighbours from `place` on, a multiple of N.
  template <unsigned N>
  WINGBEAT_FN void put(distance place, const io::adjacent<Real, N>& values) const {
    io::adjacent<Element, N> stored;
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < N; ++i) stored.value[i] = Element(values.value[i]);
    if (reinterpret_cast<size>(first_) % sizeof stored == 0) {
      return io::store_whole(first_ + place, stored);
    }
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < N; ++i) first_[place + i] = stored.value[i];
  }
  WINGBEAT_FN void prefetch(size count) const { device::prefetch(first_, count); }
  /// Returns the elements from number `place` on.
  WINGBEAT_FN line_memory from(size place) const { return {first_ + place}; }
  /// Reads the first elements, a multiple of 16 bytes, 16 bytes at a time if aligned. Values: an
  /// array of Real in any address space.
  template <class Values>
  WINGBEAT_FN void read(Values& values) const {
    constexpr unsigned count = sizeof(Values) / sizeof(Real);
    using stored = typename io::without_const<Element>::type;
    constexpr unsigned each = 16 / sizeof(stored);
    const bool is_aligned = reinterpret_cast<size>(first_) % 16 == 0;
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < count; i += each) {
      io::adjacent<stored, each> run;
      if (is_aligned) {
        run = io::load_whole<io::adjacent<stored, each>>(first_ + i);
      } else {
        WINGBEAT_UNROLL
        for (unsigned j = 0; j < each; ++j) run.value[j] = first_[i + j];
      }
      WINGBEAT_UNROLL
      for (unsigned j = 0; j < each; ++j) values[i + j] = static_cast<Real>(run.value[j]);
    }
  }

 private:
  target first_;
};

/// Elements of a line that a thread holds, by their distance from the first.
template <class Real, class Values>
class held_memory {
 public:
  WINGBEAT_FN explicit held_memory(const Values& values, distance first = 0)
      : values_(values), first_(first) {}

  WINGBEAT_FN Real get(distance place) const { return values_[first_ + place]; }
  WINGBEAT_FN held_memory from(size place) const {
    return held_memory{values_, first_ + distance(place)};
  }

 private:
  const Values& values_;
  distance first_;
};

/// Whether a memory writes several neighbours at once.
template <class Memory>
inline constexpr bool has_runs = false;
template <class Element, class Real>
inline constexpr bool has_runs<line_memory<Element, Real>> = true;

/// The types of lines' memory. Stored: a number, or `fused` of fused_lines.hpp.
template <class Stored, class Real>
struct line_source {
  using element = Stored;
  using operands = line_operands<Real>;
  using read = line_memory<const Stored, Real>;
  using written = line_memory<Stored, Real>;
};

/// A line with all elements in memory and no edge, in one of the orders.
template <bool IsReversed, bool IsAlternating, class Memory, class Real>
class whole_line {
 public:
  WINGBEAT_FN whole_line(const line_numbers& n, const Memory& memory,
                         WINGBEAT_GLOBAL const complex<Real>* roots)
      : memory_(memory),
        roots_(roots),
        length_(n.length),
        stride_(n.stride),
        fine_bits_(n.fine_bits) {}

  WINGBEAT_FN size length() const { return length_; }
  WINGBEAT_FN Real get(size j, bool is_from_end = false) const {
    const size i = is_from_end ? length_ - 1 - j : j;
    return signed_as(i, memory_.get(place_of(i)));
  }
  WINGBEAT_FN void put(size k, Real value, bool is_from_end = false) const {
    const size i = is_from_end ? length_ - 1 - k : k;
    memory_.put(place_of(i), signed_as(i, value));
  }
  WINGBEAT_FN complex<Real> root(size e) const { return root_of(roots_, fine_bits_, e); }

 private:
  WINGBEAT_FN distance place_of(size j) const {
    return distance((IsReversed ? length_ - 1 - j : j) * stride_);
  }
  WINGBEAT_FN static Real signed_as(size j, Real value) {
    return IsAlternating && j % 2 == 1 ? -value : value;
  }

  Memory memory_;
  WINGBEAT_GLOBAL const complex<Real>* roots_;
  size length_, stride_;
  unsigned fine_bits_;
};

/// One line in a memory of lines.
template <class Memory, class Real>
class real_line {
 public:
  WINGBEAT_FN real_line(const line_numbers& n, const Memory& memory, line_operands<Real> given,
                        size row)
      : numbers_(n), memory_(memory.from(n.offset_of(row))), roots_(given.roots) {}
  /// Takes memory that holds only this line.
  WINGBEAT_FN real_line(const line_numbers& n, const Memory& memory,
                        WINGBEAT_GLOBAL const complex<Real>* roots)
      : numbers_(n), memory_(memory), roots_(roots) {}
  template <class Other>
  WINGBEAT_FN real_line<Other, Real> with_memory(const Other& memory) const {
    return {numbers_, memory, roots_};
  }

  WINGBEAT_FN size length() const { return numbers_.length; }
  WINGBEAT_FN const Memory& memory() const { return memory_; }

  /// Returns element j in the order of the transform, or the j-th from the end; 0 if it is not in
  /// memory.
  WINGBEAT_FN Real get(size j, bool is_from_end = false) const {
    const end_place place = place_of(j, is_from_end);
    if (!place.is_kept) return Real(0);
    return factor_of(j, is_from_end) * memory_.from(place.end).get(place.offset);
  }
  /// Takes element k of a transform, or the k-th from the end.
  WINGBEAT_FN void put(size k, Real value, bool is_from_end = false) const {
    const end_place place = place_of(k, is_from_end);
    if (!place.is_kept) return;
    memory_.from(place.end).put(place.offset, factor_of(k, is_from_end) * value);
  }
  /// Takes N neighbours from number k on; k and the length are multiples of N.
  template <unsigned N>
  WINGBEAT_FN void put_run(size k, const io::adjacent<Real, N>& values) const {
    const line_numbers& n = numbers_;
    if constexpr (has_runs<Memory>) {
      if (n.stride == 1 && n.first == 0 && n.end == n.length) {
        io::adjacent<Real, N> ascending;
        WINGBEAT_UNROLL
        for (unsigned i = 0; i < N; ++i)
          ascending.value[n.is_reversed ? N - 1 - i : i] =
              factor_of(k + i, false) * values.value[i];
        return memory_.put(distance(n.is_reversed ? n.length - N - k : k), ascending);
      }
    }
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < N; ++i) put(k + i, values.value[i]);
  }
  /// Prefetches the line if its elements are contiguous.
  WINGBEAT_FN void prefetch() const {
    if constexpr (has_runs<Memory>) {
      const line_numbers& n = numbers_;
      if (n.stride == 1 && n.first == 0 && n.end == n.length) memory_.prefetch(n.length);
    }
  }
  WINGBEAT_FN complex<Real> root(size e) const { return root_of(roots_, numbers_.fine_bits, e); }
  /// The same, but compilers do not move the load before the previous barrier.
  WINGBEAT_FN complex<Real> root_behind(size e) const {
    using source = WINGBEAT_GLOBAL const complex<Real>*;
    return root_of(roots_, numbers_.fine_bits, e, [](source at) { return copied_from(at); });
  }

  /// Calls work(line) with this line or, if it is whole, with a form that tests nothing: for loops
  /// over many elements where the numbers are not constants.
  template <class Work>
  WINGBEAT_FN void in_its_form(const Work& work) const {
    const line_numbers& n = numbers_;
    const bool is_whole = n.first == 0 && n.end == n.length && n.origin == 0;
    if (!is_whole || n.has_first_edge || n.has_last_edge) return work(*this);
    if (n.is_reversed && n.is_alternating) return work(*this);
    if (n.is_reversed) return work(whole_line<true, false, Memory, Real>{n, memory_, roots_});
    if (n.is_alternating) return work(whole_line<false, true, Memory, Real>{n, memory_, roots_});
    work(whole_line<false, false, Memory, Real>{n, memory_, roots_});
  }

 private:
  /// The place of an element, from the line's first or last one: compilers then see that a thread's
  /// elements lie constants apart.
  struct end_place {
    size end;
    distance offset;
    bool is_kept;
  };
  WINGBEAT_FN end_place place_of(size j, bool is_from_end) const {
    const line_numbers& n = numbers_;
    const bool is_whole = n.first == 0 && n.end == n.length;
    const bool is_last = is_from_end != n.is_reversed;
    const size i = is_last ? n.length - 1 - j : j;
    const auto stride = distance(n.stride), along = distance(j) * stride;
    return {(is_last ? n.length - 1 - n.origin : 0) * n.stride,
            is_last ? -along : along - distance(n.origin) * stride,
            is_whole || (i >= n.first && i < n.end)};
  }
  WINGBEAT_FN Real factor_of(size k, bool is_from_end) const {
    const line_numbers& n = numbers_;
    const size last = n.length - 1, j = is_from_end ? last - k : k;
    const size i = n.is_reversed ? last - j : j;
    const bool is_edge = (n.has_first_edge && i == 0) || (n.has_last_edge && i == last);
    const Real factor = is_edge ? Real(n.edge * n.scale) : Real(n.scale);
    return n.is_alternating && j % 2 == 1 ? -factor : factor;
  }

  line_numbers numbers_;
  Memory memory_;
  WINGBEAT_GLOBAL const complex<Real>* roots_;
};

}  // namespace wingbeat::device::functors
