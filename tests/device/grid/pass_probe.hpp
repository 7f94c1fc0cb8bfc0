// SPDX-License-Identifier: Apache-2.0
// Runs every workgroup, or cluster, of a pass on the host. Outputs are poisoned and guarded, and
// what the planner computes of the pass is compared with what its templates say.
#pragma once

#include <gtest/gtest.h>

#include <concepts>  // same_as
#include <cstring>   // memset
#include <vector>

#include "device/workgroup/fft_probe.hpp"  // local_memory
#include "planner/pass.hpp"
#include "planner/roots.hpp"  // table_of
#include "wingbeat/device/grid/cluster_pass.hpp"
#include "wingbeat/device/grid/pass.hpp"
#include "wingbeat/emulate.hpp"  // run_workgroup, run_cluster

namespace wingbeat::test {

namespace grid = device::grid;
using device::direction;
using device::size;
using grid::loop;
using grid::nest;
using grid::no_loop;
using grid::row;

template <class Real>
using values = std::vector<complex<Real>>;

/// What both kinds of pass ask of a policy: whole rows of N complex numbers, one behind another.
template <size N, unsigned Elements, unsigned Lanes, class Real>
struct plain_rows {
  using real = Real;
  using loops = nest<>;
  static constexpr direction dir = direction::forward;
  static constexpr size prior = 1, total = N;
  static constexpr unsigned elements_per_thread = Elements, lanes = Lanes, workgroups = 1;
  static constexpr unsigned ahead = 0;
  static constexpr bool lanes_across = false, half_trade = false, mirrored = false, full = false;
  static constexpr bool flat = false;
  static constexpr bool along_out = false;
  static constexpr unsigned bank_bytes = 128;
  static constexpr size in_base = 0, out_base = 0, batch_in = N, batch_out = N;
  static constexpr size in_unit = 1, out_unit = 1, in_step = 1, out_step = 1;
  static constexpr unsigned in_along = no_loop, out_along = no_loop, turn_along = no_loop;
  static constexpr bool limited_in = false, limited_out = false;
  static constexpr bool pairs_in = false, pairs_out = false;
  static constexpr size in_first = 0, in_end = N, out_first = 0, out_end = N;
  static constexpr row source = row::complex_row, sink = row::complex_row;
  static constexpr bool scaled = false;
  static constexpr Real scale = 1;
};

/// Rows that a workgroup transforms; the tests derive what differs.
template <unsigned Length, unsigned Elements, unsigned Lanes, class Real = float>
struct whole_rows : plain_rows<Length, Elements, Lanes, Real> {
  static constexpr unsigned length = Length;
  static constexpr bool stage_in = false, stage_out = false;
  static constexpr size in_stride = 1, out_stride = 1;
};

/// Lines of A B points that a cluster transforms.
template <unsigned A, unsigned B, unsigned Elements, unsigned Workgroups, unsigned Lanes = 1,
          class Real = float>
struct cluster_rows : plain_rows<size(A) * B, Elements, Lanes, Real> {
  static constexpr unsigned first = A, second = B, workgroups = Workgroups;
  static constexpr device::cluster::kind kind = device::cluster::kind::line;
  static constexpr size in_first_stride = B, in_second_stride = 1;
  static constexpr size out_first_stride = 1, out_second_stride = A;
};

template <class Policy>
concept of_clusters = requires {
  Policy::first;
};

template <class... Loops>
std::vector<planner::loop> loops_of(nest<Loops...>) {
  return {planner::loop{Loops::count, Loops::in, Loops::out}...};
}

/// Returns a policy as the planner's numbers.
template <class Policy>
planner::pass as_pass() {
  planner::pass one;
  one.real = std::same_as<typename Policy::real, double> ? precision::fp64 : precision::fp32;
  one.is_forward = Policy::dir == direction::forward;
  if constexpr (of_clusters<Policy>) {
    const bool is_line = Policy::kind == device::cluster::kind::line;
    one.does = is_line ? planner::pass::kind::line : planner::pass::kind::plane;
    one.first = Policy::first;
    one.second = Policy::second;
    one.length = one.first * one.second;
  } else {
    one.length = Policy::length;
    one.stage_in = Policy::stage_in;
    one.stage_out = Policy::stage_out;
  }
  one.prior = Policy::prior;
  one.total = Policy::total;
  one.elements_per_thread = Policy::elements_per_thread;
  one.lanes = Policy::lanes;
  one.workgroups_of_cluster = Policy::workgroups;
  one.bank_bytes = Policy::bank_bytes;
  one.lanes_across = Policy::lanes_across;
  one.along_out = Policy::along_out;
  one.half_trade = Policy::half_trade;
  one.is_mirrored = Policy::mirrored;
  one.is_flat = Policy::flat;
  one.loops = loops_of(typename Policy::loops{});
  one.in.holds = static_cast<planner::row>(Policy::source);
  one.out.holds = static_cast<planner::row>(Policy::sink);
  return one;
}

/// Rounds a pass's roots as a plan does.
template <class Real>
values<Real> rounded_table(const planner::pass& one) {
  values<Real> table;
  for (const auto& w : planner::table_of<long double>(one)) {
    table.push_back({static_cast<Real>(w.real()), static_cast<Real>(w.imag())});
  }
  table.push_back({});  // never empty
  return table;
}

/// Fails where the planner and the templates do not agree.
template <class Pass, class Policy>
void expect_twin() {
  const planner::pass one = as_pass<Policy>();
  EXPECT_EQ(one.threads(), Pass::workgroup_threads) << one.describe();
  EXPECT_EQ(one.scratch_bytes(), Pass::scratch_bytes) << one.describe();
  if (!one.loops.empty()) {
    EXPECT_EQ(one.tiles_of_row(), Pass::tile_type::per_row());
  }
  const bool is_of_bins = Policy::source != row::complex_row || Policy::sink != row::complex_row;
  const bool has_real_roots = is_of_bins && (Policy::mirrored || of_clusters<Policy>);
  const size bins = one.does == planner::pass::kind::plane ? one.second : one.total;
  const size real_roots = has_real_roots ? device::twiddle::root_tables{2 * bins}.entries() : 0;
  EXPECT_EQ(planner::table_of<long double>(one).size(), Pass::step::real_roots_at + real_roots)
      << one.describe();
}

/// An element that no pass writes.
template <class Element>
Element poison() {
  Element made;
  std::memset(&made, 0xc5, sizeof made);
  return made;
}

template <class Element>
bool is_poison(const Element& one) {
  const auto never = poison<Element>();
  return std::memcmp(&one, &never, sizeof one) == 0;
}

/// Runs all tiles of a pass over `batch` rows, in place of a launch.
template <class Policy, class Load, class Store>
void run_tiles(const typename Load::element* in, typename Store::element* out, size batch) {
  using real = typename Policy::real;
  using group = std::conditional_t<of_clusters<Policy>, emulated_cluster_group, emulated_group>;
  const planner::pass one = as_pass<Policy>();
  const auto table = rounded_table<real>(one);
  const auto body = [&]<class Pass>(const group& here, char* scratch, Pass*) {
    const auto tile = static_cast<unsigned>(here.index() / Policy::workgroups);
    Pass({in}, {out}, table.data(), scratch, here).run(tile, {0, 0, batch});
  };
  for (size w = 0; w < one.workgroups(batch); w += Policy::workgroups) {
    if constexpr (of_clusters<Policy>) {
      using pass = grid::cluster_pass<Policy, Load, Store, group>;
      if (w == 0) expect_twin<pass, Policy>();
      run_cluster(
          Policy::workgroups, pass::workgroup_threads, pass::scratch_bytes,
          [&](const group& here, char* scratch) { body(here, scratch, (pass*)nullptr); }, w);
    } else {
      using pass = grid::pass<Policy, Load, Store, group>;
      if (w == 0) expect_twin<pass, Policy>();
      const auto scratch = local_memory(pass::scratch_bytes);
      run_workgroup(
          pass::workgroup_threads,
          [&](const group& here) { body(here, scratch.get(), (pass*)nullptr); }, w);
    }
  }
}

template <class Policy>
using plain_load = grid::complex_load<typename Policy::real, typename Policy::real>;
template <class Policy>
using plain_store = grid::complex_store<typename Policy::real, typename Policy::real>;

/// Runs a pass over `batch` rows; the output has `out_size` elements, poisoned.
template <class Policy, class Load = plain_load<Policy>, class Store = plain_store<Policy>>
std::vector<typename Store::element> run_pass(const std::vector<typename Load::element>& in,
                                              size batch, size out_size) {
  using element = typename Store::element;
  constexpr size guard = 64;
  std::vector<element> out(out_size + 2 * guard, poison<element>());
  run_tiles<Policy, Load, Store>(in.data(), out.data() + guard, batch);
  for (size i = 0; i < guard; ++i) {
    EXPECT_TRUE(is_poison(out[i])) << "before the output, element " << i;
    EXPECT_TRUE(is_poison(out[guard + out_size + i])) << "behind the output, element " << i;
  }
  return {out.begin() + guard, out.end() - guard};
}

/// Returns `count` elements from `first` on, `stride` apart.
template <class Element>
std::vector<Element> picked(const std::vector<Element>& from, size first, size count,
                            size stride = 1) {
  std::vector<Element> made;
  for (size i = 0; i < count; ++i) made.push_back(from[first + i * stride]);
  return made;
}

}  // namespace wingbeat::test
