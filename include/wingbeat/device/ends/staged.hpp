// SPDX-License-Identifier: Apache-2.0
// Ends of a pass that load and store through local memory, so that neighbouring threads access
// neighbours in memory: elements of a butterfly or, if those are closer, the same element of
// neighbouring butterflies.
#pragma once

#include "wingbeat/device/complex.hpp"             // complex, copy_to, copied_from
#include "wingbeat/device/index.hpp"               // minimum
#include "wingbeat/device/io/adjacent.hpp"         // adjacent
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN
#include "wingbeat/device/workgroup/exchange.hpp"  // padded

namespace wingbeat::device::ends {

/// Returns the elements of each thread in a tile with `Length` elements per lane.
template <unsigned Length, class Body>
WINGBEAT_FN constexpr unsigned staged_rounds() {
  return (Length * Body::lanes + Body::workgroup_threads - 1) / Body::workgroup_threads;
}

/// The order of a tile's elements over threads: along a lane, across lanes, or joined, as if all
/// lanes were one, which needs no divisions.
enum class taken { along, across, joined };

/// Calls call(lane, q) for this thread's elements in one round, in a tile with `Length` elements
/// per lane; if joined, call(0, lane * Length + q).
template <unsigned Length, taken Taken, class Body, class Call>
WINGBEAT_FN void in_round(const Body& body, unsigned round, const Call& call) {
  constexpr unsigned count = Length * Body::lanes, threads = Body::workgroup_threads;
  constexpr unsigned lanes = Body::lanes, step = threads / lanes;
  static_assert(Taken != taken::across || threads % lanes == 0, "a thread stays in its lane");
  const bool is_inside = (round + 1) * threads <= count || body.rank() + round * threads < count;
  if constexpr (lanes == 1 || Taken == taken::joined) {
    if (is_inside) call(0u, body.rank() + round * threads);
  } else if constexpr (Taken == taken::across) {
    if (is_inside) call(body.rank() % lanes, body.rank() / lanes + round * step);
  } else {
    if (is_inside) body.team().template split_rank<Length>(round * threads, call);
  }
}

/// Calls call(lane, q) for all elements of a tile.
template <unsigned Length, taken Taken, class Body, class Call>
WINGBEAT_FN void each_staged(const Body& body, const Call& call) {
  constexpr unsigned rounds = staged_rounds<Length, Body>();
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < rounds; ++r) in_round<Length, Taken>(body, r, call);
}

/// Makes all elements of a tile, `Most` at a time per thread, and then takes them, so that none
/// waits for the previous one: values[r] = make(lane, q), take(lane, q, values[r]).
template <class Value, unsigned Length, taken Taken, unsigned Most, unsigned First = 0, class Body,
          class Make, class Take>
WINGBEAT_FN void make_and_take(const Body& body, const Make& make, const Take& take) {
  constexpr unsigned left = staged_rounds<Length, Body>() - First, count = minimum(left, Most);
  Value values[count];
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < count; ++r) {
    values[r] = {};
    in_round<Length, Taken>(body, First + r,
                            [&](unsigned lane, unsigned q) { values[r] = make(lane, q); });
  }
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < count; ++r) {
    in_round<Length, Taken>(body, First + r,
                            [&](unsigned lane, unsigned q) { take(lane, q, values[r]); });
  }
  if constexpr (count < left)
    make_and_take<Value, Length, Taken, Most, First + count>(body, make, take);
}

/// Reads all elements of a tile and passes them to take(lane, q, element); lanes without a
/// butterfly get elements of others. Then waits for all threads. `IsLinear`: take(0, lane * Length
/// + q, element) does the same.
template <class Policy, unsigned Length, bool IsLinear = false, class Body, class Elements,
          class Take>
WINGBEAT_FN void read_staged(const Body& body, const Elements& elements, const Take& take) {
  using complex_type = typename Elements::complex_type;
  constexpr size stride = Policy::numbers().in.stride;
  if constexpr (IsLinear && Elements::template are_inputs_joined<Length>()) {
    const unsigned count = elements.count() * Length;
    const size first = elements.in(0);
    // In a tile known to be full, places are constants apart.
    if (count == Length * Body::lanes) {
      make_and_take<complex_type, Length, taken::joined, ~0u>(
          body, [&](unsigned, unsigned q) { return elements.read(first + q, 0); }, take);
    } else {
      make_and_take<complex_type, Length, taken::joined, ~0u>(
          body, [&](unsigned, unsigned q) { return elements.read(first + (q < count ? q : 0), 0); },
          take);
    }
  } else {
    constexpr taken order = Policy::numbers().is_across_in() ? taken::across : taken::along;
    make_and_take<complex_type, Length, order, ~0u>(
        body,
        [&](unsigned of_tile, unsigned q) {
          const unsigned lane = elements.existing(of_tile);
          return elements.read(elements.in(lane) + size(q) * stride, elements.index_in(lane, q));
        },
        take);
  }
  body.team().workgroup_barrier();
}

/// Writes the bins of two rows of N reals, where element(lane, k) is Z[k] = X[k] + i Y[k]:
///     X[k] = (Z[k] + conj(Z[N - k])) / 2,   Y[k] = (Z[k] - conj(Z[N - k])) / 2i
template <class Policy, class Body, class Elements, class Element>
WINGBEAT_FN void write_separated_rows(const Body& body, const Elements& elements,
                                      const Element& element) {
  constexpr auto numbers = Policy::numbers();
  constexpr size stride = numbers.out.stride, second = numbers.out.second;
  constexpr unsigned n = unsigned(numbers.points()), bins = n / 2 + 1;
  using real = typename Policy::real;
  each_staged<bins, taken::along>(body, [&](unsigned lane, unsigned k) {
    if (!elements.has(lane)) return;
    const complex<real> z = element(lane, k), other = conj(element(lane, k == 0 ? 0 : n - k));
    const complex<real> sum = z + other, difference = z - other;
    const size place = elements.out(lane) + size(k) * stride, index = elements.index_out(lane, k);
    elements.write(place, index, {sum.re / 2, sum.im / 2});
    elements.write(place + second, index, {difference.im / 2, -difference.re / 2});
  });
}

/// Whether the store makes outputs from whole rows, after it has prepared their elements.
template <class Elements>
inline constexpr bool gathers = Elements::access_type::store_type::gathered > 0;

/// Outputs that a thread stores at once: some side by side, or one of any type.
template <class Output, unsigned Count, bool IsAny>
struct output_run {
  using type = io::adjacent<Output, Count>;
};
template <class Output, unsigned Count>
struct output_run<Output, Count, true> {
  struct type {
    Output value[1];
  };
};

/// Writes the outputs that the store makes from whole rows, where element(lane, i) is element i;
/// some neighbours at a time.
template <class Body, class Elements, class Element>
WINGBEAT_FN void write_gathered(const Body& body, const Elements& elements,
                                const Element& element) {
  using store = typename Elements::access_type::store_type;
  const auto output_of = [&](unsigned lane, unsigned t) {
    return elements.target().output(elements.out(elements.existing(lane)), t,
                                    [&](unsigned i) { return element(lane, i); });
  };
  using output = decltype(output_of(0, 0));
  constexpr auto outputs = unsigned(store::gathered);
  constexpr unsigned n =
      store::has_outputs
          ? 1
          : minimum<unsigned>(store::at_once, unsigned(16 / sizeof(output)));  // bytes
  using run = typename output_run<output, n, store::has_outputs>::type;
  constexpr bool is_across = store::is_across && Body::workgroup_threads % Body::lanes == 0;
  constexpr taken order = is_across ? taken::across : taken::along;
  const auto make = [&](unsigned lane, unsigned t) {
    run y;
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < n; ++i) y.value[i] = output_of(lane, t * n + i);
    return y;
  };
  const auto take = [&](unsigned lane, unsigned t, const run& y) {
    if (elements.has(lane)) elements.target().put_outputs(elements.out(lane), size(t) * n, y);
  };
  constexpr unsigned most = 16 / n, rounds = staged_rounds<outputs / n, Body>();
  if constexpr (store::has_outputs && rounds > most) {
    for (unsigned r = 0; r < rounds; ++r) {  // as many as a request states: too many to unroll
      in_round<outputs, order>(body, r,
                               [&](unsigned lane, unsigned t) { take(lane, t, make(lane, t)); });
    }
  } else {
    make_and_take<run, outputs / n, order, most>(body, make, take);
  }
}

/// Writes all elements of a tile: element(lane, q). `IsLinear`: the same as
/// element(0, lane * Length + q).
template <class Policy, unsigned Length, bool IsLinear = false, class Body, class Elements,
          class Element>
WINGBEAT_FN void write_staged(const Body& body, const Elements& elements, const Element& element) {
  using complex_type = typename Elements::complex_type;
  if constexpr (Policy::numbers().separates_rows()) {
    write_separated_rows<Policy>(body, elements, element);
  } else if constexpr (gathers<Elements>) {
    write_gathered(body, elements, element);
  } else if constexpr (IsLinear && Elements::template are_outputs_joined<Length>()) {
    const unsigned count = elements.count() * Length;
    const size first = elements.out(0);
    if (count == Length * Body::lanes) {
      make_and_take<complex_type, Length, taken::joined, ~0u>(
          body, element,
          [&](unsigned, unsigned q, complex_type z) { elements.write(first + q, 0, z); });
    } else {
      make_and_take<complex_type, Length, taken::joined, ~0u>(
          body, element, [&](unsigned, unsigned q, complex_type z) {
            if (q < count) elements.write(first + q, 0, z);
          });
    }
  } else {
    constexpr size stride = Policy::numbers().out.stride;
    constexpr taken order = Policy::numbers().is_across_out() ? taken::across : taken::along;
    make_and_take<complex_type, Length, order, ~0u>(
        body, element, [&](unsigned lane, unsigned q, complex_type z) {
          if (elements.has(lane)) {
            elements.write(elements.out(lane) + size(q) * stride, elements.index_out(lane, q), z);
          }
        });
  }
}

/// Whether the slots of a body's team count `Count` elements per lane, lane after lane.
template <class Body, unsigned Count>
inline constexpr bool has_joined_slots = Count == Body::length&& Body::team_type::slot_stride == 1;

/// Returns the place of a slot of the body's team in local memory.
template <class Policy>
WINGBEAT_FN unsigned staged_address(unsigned slot) {
  constexpr auto lies = Policy::numbers().shape.staged_layout();
  return workgroup::padded < lies.pad_every(), lies.bank_bytes == 0 ? 0 : lies.pad > (slot);
}

template <class Policy, class Body, class Elements, class Real, unsigned E>
WINGBEAT_FN void load_staged(const Body& body, const Elements& elements, complex<Real> (&x)[E]) {
  const auto entries = body.entries();
  constexpr auto count = unsigned(Elements::last_read);
  read_staged<Policy, count, has_joined_slots<Body, count>>(
      body, elements, [&](unsigned lane, unsigned q, complex<Real> z) {
        const unsigned slot = Body::team_type::slot_of(lane, q);
        copy_to(entries + staged_address<Policy>(slot), z);
      });
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) {
    if (count < Body::length && r >= count) {
      x[r] = conj(x[E - r]);
      continue;
    }
    x[r] = copied_from(entries + staged_address<Policy>(body.team().slot(body.number_in(r))));
    if constexpr (Elements::reads_reals) x[r].im = 0;  // visible to compilers only here
  }
  if constexpr (Body::has_exchanges) body.team().workgroup_barrier();
}

template <class Policy, class Body, class Elements, class Real, unsigned E>
WINGBEAT_FN void store_staged(const Body& body, const Elements& elements,
                              const complex<Real> (&x)[E]) {
  const auto entries = body.entries();
  if constexpr (Body::has_exchanges || Policy::numbers().shape.stage_in)
    body.team().workgroup_barrier();
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E && r < Elements::last_written; ++r) {
    const unsigned q = body.number_out(r);
    complex<Real> z{x[r].re, Elements::writes_reals ? Real(0) : x[r].im};
    if constexpr (gathers<Elements>)
      z = elements.target().prepared(elements.out(body.lane_out()), q, z);
    copy_to(entries + staged_address<Policy>(body.team().slot(q)), z);
  }
  body.team().workgroup_barrier();
  constexpr auto count = unsigned(minimum<size>(Elements::last_written, Body::length));
  write_staged<Policy, count, has_joined_slots<Body, count>>(
      body, elements, [&](unsigned lane, unsigned q) {
        return copied_from(entries + staged_address<Policy>(Body::team_type::slot_of(lane, q)));
      });
}

}  // namespace wingbeat::device::ends
