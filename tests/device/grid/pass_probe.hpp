// SPDX-License-Identifier: Apache-2.0
// Runs every workgroup, or cluster, of a pass on the host. Outputs are poisoned and guarded, and
// sizes that `pass_numbers` computes are compared with those of the types that use them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cstring>    // memset
#include <vector>

#include "device/workgroup/fft_probe.hpp"  // local_memory
#include "planner/roots.hpp"               // table_of
#include "wingbeat/device/bodies/cluster_transform.hpp"
#include "wingbeat/device/bodies/convolve.hpp"
#include "wingbeat/device/bodies/correlate.hpp"
#include "wingbeat/device/bodies/halved_rader.hpp"
#include "wingbeat/device/bodies/rader.hpp"
#include "wingbeat/device/bodies/real_rader.hpp"
#include "wingbeat/device/bodies/real_row.hpp"
#include "wingbeat/device/bodies/transform.hpp"
#include "wingbeat/device/ends/memory.hpp"  // complex_load, complex_store
#include "wingbeat/device/grid/pass.hpp"
#include "wingbeat/emulate.hpp"  // run_workgroup, run_cluster

namespace wingbeat::test {

namespace bodies = device::bodies;
namespace ends = device::ends;
namespace grid = device::grid;
using device::direction;
using device::size;
using namespace grid;

template <class Real>
using values = std::vector<complex<Real>>;

/// Whole rows of N complex numbers, one behind another; the tests derive what differs.
template <class Real>
constexpr pass_numbers plain_rows(size n, unsigned elements_per_thread, unsigned lanes) {
  pass_numbers rows;
  rows.shape.length = rows.total = n;
  rows.shape.elements_per_thread = elements_per_thread;
  rows.shape.lanes = lanes;
  rows.shape.element_bytes = 2 * sizeof(Real);
  rows.shape.bank_bytes = 128;
  rows.in.distance = rows.out.distance = n;
  rows.in.valid_end = rows.out.valid_end = n;
  return rows;
}

/// Adds a loop around those there are.
constexpr void add_loop(pass_numbers& numbers, const loop& outer) {
  numbers.loops[numbers.depth++] = outer;
}

/// Rows that a workgroup transforms.
template <unsigned Length, unsigned Elements, unsigned Lanes, class Real = float>
struct whole_rows {
  using real = Real;
  static constexpr direction dir = direction::forward;
  static constexpr pass_numbers numbers() { return plain_rows<Real>(Length, Elements, Lanes); }
};

/// Lines of A B points that a cluster transforms.
template <unsigned A, unsigned B, unsigned Elements, unsigned Workgroups, unsigned Lanes = 1,
          class Real = float>
struct cluster_rows {
  using real = Real;
  static constexpr direction dir = direction::forward;
  static constexpr pass_numbers numbers() {
    pass_numbers n = plain_rows<Real>(size(A) * B, Elements, Lanes);
    n.shape.makes = body::line;
    n.shape.first = A;
    n.shape.second = B;
    n.shape.workgroups = Workgroups;
    n.in.first_stride = B;
    n.out.stride = A;
    n.out.first_stride = 1;
    return n;
  }
};

template <class Base>
struct backwards : Base {
  static constexpr direction dir = direction::inverse;
};
/// A policy whose tile has another value in one field.
template <class Base, auto Field, auto Value = true>
struct shaped : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.shape.*Field = Value;
    return n;
  }
};
template <class Base>
using in_halves = shaped<Base, &tile_shape::half_trade>;
template <class Base>
using across = shaped<Base, &tile_shape::lanes_across>;
/// Across on the way in only: threads change lanes at an exchange.
template <class Base>
using across_in = shaped<across<Base>, &tile_shape::along_out>;
template <class Base>
using staged = shaped<shaped<Base, &tile_shape::stage_in>, &tile_shape::stage_out>;

// Real transforms. Rows of one workgroup are made by another body, unless bins meet in mirrored
// tiles; planes have bins B + 1 in each of A rows.

constexpr void hold_half_spectrum(tile_shape& shape, row& side) {
  side = row::half_spectrum;
  if (shape.makes == body::transform && !shape.mirrored) shape.makes = body::real_row;
}
constexpr void place_bins(const tile_shape& shape, size bins, grid::side& side) {
  const bool is_plane = shape.makes == body::plane;
  side.distance = is_plane ? shape.first * (bins + 1) : bins + 1;
  if (is_plane) side.first_stride = bins + 1;
  side.valid_end = bins + 1;
}

template <class Base>
struct to_bins : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    hold_half_spectrum(n.shape, n.shape.sink);
    place_bins(n.shape, n.bins(), n.out);
    return n;
  }
};
template <class Base>
struct from_bins : backwards<Base> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    hold_half_spectrum(n.shape, n.shape.source);
    place_bins(n.shape, n.bins(), n.in);
    return n;
  }
};

/// The body of a policy, on emulated threads.
template <class Policy, body Makes = Policy::numbers().shape.makes>
struct emulated_body {
  using type = bodies::cluster_transform<Policy, emulated_cluster_group>;
};
template <class Policy>
struct emulated_body<Policy, body::transform> {
  using type = bodies::transform<Policy, emulated_group>;
};
template <class Policy>
struct emulated_body<Policy, body::convolve> {
  using type = bodies::convolve<Policy, emulated_group>;
};
template <class Policy>
struct emulated_body<Policy, body::correlate> {
  using type = bodies::correlate<Policy, emulated_group>;
};
template <class Policy>
struct emulated_body<Policy, body::rader> {
  using type = bodies::rader<Policy, emulated_group>;
};
template <class Policy>
struct emulated_body<Policy, body::halved_rader> {
  using type = bodies::halved_rader<Policy, emulated_group>;
};
template <class Policy>
struct emulated_body<Policy, body::real_rader> {
  using type = bodies::real_rader<Policy, emulated_group>;
};
template <class Policy>
struct emulated_body<Policy, body::real_row> {
  using type = bodies::real_row<Policy, emulated_group>;
};
template <class Policy>
using body_of = typename emulated_body<Policy>::type;

/// Calls work(group, local memory) in every thread of one workgroup, or of one cluster.
template <class Policy, class Work>
void run_threads(const Work& work, size first_workgroup = 0) {
  constexpr tile_shape shape = Policy::numbers().shape;
  constexpr unsigned threads = body_of<Policy>::workgroup_threads;
  if constexpr (shape.is_cluster()) {
    run_cluster(shape.workgroups, threads, shape.scratch_bytes(), work, first_workgroup);
  } else {
    const auto scratch = local_memory(shape.scratch_bytes());
    run_workgroup(
        threads, [&](const emulated_group& group) { work(group, scratch.get()); }, first_workgroup);
  }
}

using planner::convolution_numbers;

/// Returns a pass's table as a plan has it.
template <class Real>
values<Real> rounded_table(const pass_numbers& numbers,
                           const convolution_numbers& convolved_by = {}) {
  values<Real> table;
  for (const auto& w : planner::table_of<Real>(numbers, convolved_by)) {
    table.push_back({w.real(), w.imag()});
  }
  table.push_back({});  // never empty
  return table;
}

/// Fails where `pass_numbers` and the types of a body do not agree.
template <class Policy>
void expect_sizes_of_types(const convolution_numbers& convolved_by = {}) {
  using body_type = body_of<Policy>;
  using fft = typename body_type::fft;
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr tile_shape shape = numbers.shape;
  EXPECT_EQ(shape.threads(), body_type::workgroup_threads);
  EXPECT_EQ(shape.scratch_bytes(), body_type::scratch_bytes);
  EXPECT_EQ(shape.body_roots(), shape.roots_back_at() + fft::table_entries);
  EXPECT_EQ(shape.element_bytes, sizeof(complex<typename Policy::real>));
  if constexpr (shape.is_cluster()) {
    using first = typename fft::first_fft;
    using second = typename fft::second_fft;
    EXPECT_EQ(fft::steps_bytes, std::max(first::scratch_bytes, second::scratch_bytes));
    EXPECT_EQ(fft::second_at, fft::a == fft::b ? 0 : first::table_entries);
    EXPECT_EQ(fft::twiddles_at, fft::second_at + second::table_entries);
  } else {
    EXPECT_EQ(shape.exchange_bytes(), fft::scratch_bytes);
  }
  if constexpr (shape.makes == body::transform) {
    if (shape.stage_in || shape.stage_out) {
      EXPECT_GE(shape.scratch_bytes(), shape.staged_layout().bytes());
    }
  }
  EXPECT_EQ(planner::table_of<long double>(numbers, convolved_by).size(), numbers.table_entries());
}

/// An element that no pass writes.
template <class Element>
Element poison() {
  Element result;
  std::memset(&result, 0xc5, sizeof result);
  return result;
}

template <class Element>
bool is_poison(const Element& element) {
  const auto never = poison<Element>();
  return std::memcmp(&element, &never, sizeof element) == 0;
}

/// Runs all tiles of a pass over `batch` rows, in place of a launch.
template <class Policy, class Load, class Store>
void run_tiles(const typename Load::element* in, typename Store::element* out, size batch,
               const convolution_numbers& convolved_by = {}) {
  using pass = grid::pass<Policy, body_of<Policy>, Load, Store>;
  constexpr pass_numbers numbers = Policy::numbers();
  expect_sizes_of_types<Policy>(convolved_by);
  const auto table = rounded_table<typename Policy::real>(numbers, convolved_by);
  const auto work = [&](const auto& group, char* scratch) {
    pass({in}, {out}, table.data(), scratch, group).run_tiles(group.index(), batch);
  };
  for (size w = 0; w < numbers.workgroups(batch); w += numbers.shape.workgroups)
    run_threads<Policy>(work, w);
}

template <class Policy>
using plain_load = ends::complex_load<typename Policy::real, typename Policy::real>;
template <class Policy>
using plain_store = ends::complex_store<typename Policy::real, typename Policy::real>;

/// Runs a pass over `batch` rows; the output has `out_size` elements, poisoned.
template <class Policy, class Load = plain_load<Policy>, class Store = plain_store<Policy>>
std::vector<typename Store::element> run_pass(const std::vector<typename Load::element>& in,
                                              size batch, size out_size,
                                              const convolution_numbers& convolved_by = {}) {
  using element = typename Store::element;
  constexpr size guard = 64;
  std::vector<element> out(out_size + 2 * guard, poison<element>());
  run_tiles<Policy, Load, Store>(in.data(), out.data() + guard, batch, convolved_by);
  for (size i = 0; i < guard; ++i) {
    EXPECT_TRUE(is_poison(out[i])) << "before the output, element " << i;
    EXPECT_TRUE(is_poison(out[guard + out_size + i])) << "behind the output, element " << i;
  }
  return {out.begin() + guard, out.end() - guard};
}

/// Returns `count` elements from `first` on, `stride` apart.
template <class Element>
std::vector<Element> picked(const std::vector<Element>& array, size first, size count,
                            size stride = 1) {
  std::vector<Element> result;
  for (size i = 0; i < count; ++i) result.push_back(array[first + i * stride]);
  return result;
}

}  // namespace wingbeat::test
