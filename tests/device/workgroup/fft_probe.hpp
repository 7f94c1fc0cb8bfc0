// SPDX-License-Identifier: Apache-2.0
// Runs a workgroup transform on the host, one std::thread for each of its threads.
#pragma once

#include <complex>
#include <memory>  // unique_ptr
#include <vector>

#include "wingbeat/device/workgroup/fft.hpp"
#include "wingbeat/emulate.hpp"  // run_workgroup
#include "wingbeat/roots.hpp"    // roots_of

namespace wingbeat::test {

using device::complex;
using device::workgroup::lanes;

/// Local memory of exactly `size_bytes`, aligned to 16: the address sanitizer watches its end.
inline std::unique_ptr<char[]> local_memory(std::size_t size_bytes) {
  return std::make_unique<char[]>(size_bytes);
}

/// Transforms `x`, the workgroup's signals one after another, with `Fft` on `Lanes`; with `Live`
/// below a thread's elements, as padded rows.
template <class Fft, lanes Lanes = lanes::along_transform, unsigned Live = Fft::elements_per_thread>
std::vector<typename Fft::value_type> run_fft(const std::vector<typename Fft::value_type>& x) {
  using value = typename Fft::value_type;
  using shape = typename Fft::shape_type;
  const auto table = roots_of<Fft>();
  const auto scratch = local_memory(Fft::scratch_bytes);
  std::vector<value> y(x.size());
  run_workgroup(shape::workgroup_threads, [&](emulated_group group) {
    const device::workgroup::team<shape, Lanes, emulated_group> team{group};
    const std::size_t first = std::size_t{team.transform()} * shape::length;
    const auto load = [&](unsigned i) { return x[first + i]; };
    const auto store = [&](unsigned i, value z) { y[first + i] = z; };
    const typename Fft::scratch_type lent{scratch.get()};
    if constexpr (Live < Fft::elements_per_thread) {
      Fft::template execute_padded<Live>(team, load, store, lent, table.data());
    } else {
      Fft::execute(team, load, store, lent, table.data());
    }
  });
  return y;
}

}  // namespace wingbeat::test
