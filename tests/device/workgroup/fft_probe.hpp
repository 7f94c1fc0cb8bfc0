// SPDX-License-Identifier: Apache-2.0
// Runs a workgroup transform on the host, one std::thread for each of its threads.
#pragma once

#include <complex>
#include <vector>

#include "planner/roots.hpp"               // table_of
#include "support/emulated_workgroup.hpp"  // run_workgroup
#include "wingbeat/device/workgroup/fft.hpp"

namespace wingbeat::test {

using device::complex;
using device::workgroup::lanes;

/// Rounds a pass's roots as a plan does.
template <class Real>
std::vector<complex<Real>> rounded_table(const planner::pass& one) {
  std::vector<complex<Real>> table;
  for (const auto& w : planner::table_of(one)) {
    table.push_back({static_cast<Real>(w.real()), static_cast<Real>(w.imag())});
  }
  table.push_back({});  // never empty
  return table;
}

/// Transforms `x`, Shape::transforms signals one after another, with `Fft` on `Lanes`.
template <class Fft, class Shape, lanes Lanes, class Real>
std::vector<complex<Real>> run_fft(const std::vector<complex<Real>>& x) {
  planner::pass roots;
  roots.length = roots.total = Shape::length;
  roots.elements_per_thread = Shape::elements_per_thread;
  const auto table = rounded_table<Real>(roots);
  // Exactly as many bytes as the transform says it needs: the address sanitizer watches the end.
  std::vector<complex<Real>> scratch(Fft::scratch_bytes / sizeof(complex<Real>) + 1);
  std::vector<complex<Real>> y(x.size(), {-999, -999});
  run_workgroup(Shape::workgroup_threads, [&](emulated_group group) {
    const device::workgroup::team<Shape, Lanes, emulated_group> team{group};
    const std::size_t first = std::size_t{team.transform()} * Shape::length;
    const auto load = [&](unsigned i) { return x[first + i]; };
    const auto store = [&](unsigned i, complex<Real> z) { y[first + i] = z; };
    Fft::execute(team, load, store, reinterpret_cast<char*>(scratch.data()), table.data());
  });
  return y;
}

}  // namespace wingbeat::test
