// SPDX-License-Identifier: Apache-2.0
// Subgroups of 32 threads, as on an NVIDIA GPU: several transforms share a workgroup, each of one
// subgroup, and only a barrier of the workgroup joins them. Different transforms follow one another
// on the same scratch with no barrier of the caller's; the thread sanitizer watches.
#include <gtest/gtest.h>

#include "device/workgroup/fft_probe.hpp"  // local_memory
#include "support/oracle.hpp"              // relative_l2
#include "support/signal.hpp"              // noise
#include "wingbeat/device/workgroup/real.hpp"
#include "wingbeat/device/workgroup/two_real.hpp"

namespace {

using namespace wingbeat::test;
using wingbeat::emulated_group_of;
using wingbeat::roots_of;
using wingbeat::run_workgroup;
using wingbeat::device::direction;
using wingbeat::device::order;
using wingbeat::device::workgroup::fft;
using wingbeat::device::workgroup::real_fft;
using wingbeat::device::workgroup::scratch;
using wingbeat::device::workgroup::shape;
using wingbeat::device::workgroup::team;
using wingbeat::device::workgroup::two_real_fft;

constexpr auto forward = direction::forward;
constexpr auto inverse = direction::inverse;

/// Forward and back in one order, in registers.
template <order Order, class Shape, class Team, class Scratch>
void there_and_back(const Team& here, complex<float> (&x)[Shape::elements_per_thread],
                    const Scratch& lent) {
  using there = fft<Shape, float, forward, Order>;
  using back = fft<Shape, float, inverse, Order>;
  static const auto roots = roots_of<there>();
  there::execute(here, x, lent, roots.data());
  back::execute(here, x, lent, roots.data());
}

/// A row of reals to its bins and back; a pair of rows the same way.
template <class Shape, class Team, class Scratch>
void real_there_and_back(const Team& here, complex<float>* row, complex<float>* bins,
                         const Scratch& lent) {
  using there = real_fft<Shape, float, forward>;
  using back = real_fft<Shape, float, inverse>;
  static const auto roots = roots_of<there>();
  const auto load = [&](unsigned i) { return row[i]; };
  const auto store = [&](unsigned i, complex<float> z) { row[i] = z; };
  const auto keep = [&](unsigned k, complex<float> z) { bins[k] = z; };
  const auto reload = [&](unsigned k) { return bins[k]; };
  there::execute(here, load, keep, lent, roots.data());
  here.workgroup_barrier();  // bins travel through memory
  back::execute(here, reload, store, lent, roots.data());
}

template <class Shape, class Team, class Scratch>
void two_there_and_back(const Team& here, complex<float>* row,
                        wingbeat::device::real::pair<float>* rows, const Scratch& lent) {
  using there = two_real_fft<Shape, float, forward>;
  using back = two_real_fft<Shape, float, inverse>;
  static const auto roots = roots_of<there>();
  const auto load = [&](unsigned i) { return row[i]; };
  const auto store = [&](unsigned i, complex<float> z) { row[i] = z; };
  const auto keep = [&](unsigned r, complex<float> x, complex<float> y) { rows[r] = {x, y}; };
  const auto reload = [&](unsigned r) { return rows[r]; };
  there::execute(here, load, keep, lent, roots.data());
  back::execute(here, reload, store, lent, roots.data());
}

template <unsigned Length, unsigned Elements, unsigned Transforms>
void check() {
  using shape_type = shape<Length, Elements, Transforms>;
  constexpr std::size_t n = std::size_t{Length} * Transforms;
  constexpr unsigned bytes = 2 * n * sizeof(complex<float>);  // enough for each of them
  auto x = noise<float>(n, 31);
  const auto given = x;
  std::vector<complex<float>> bins(n + Transforms);
  std::vector<wingbeat::device::real::pair<float>> rows(n / 2);
  const auto memory = local_memory(bytes);
  run_workgroup<32>(shape_type::workgroup_threads, [&](emulated_group_of<32> group) {
    const team<shape_type, lanes::along_transform, emulated_group_of<32>> here{group};
    const scratch<bytes> lent{memory.get()};
    complex<float>* const row = &x[here.transform() * std::size_t{Length}];
    complex<float> z[Elements];
    for (unsigned l = 0; l < Elements; ++l) {
      z[l] = row[here.thread() + l * shape_type::threads];
    }
    there_and_back<order::natural, shape_type>(here, z, lent);
    there_and_back<order::scrambled, shape_type>(here, z, lent);
    there_and_back<order::nabla, shape_type>(here, z, lent);
    for (unsigned l = 0; l < Elements; ++l) {
      const float scale = 1.0f / float(Length) / float(Length) / float(Length);
      row[here.thread() + l * shape_type::threads] = scaled(z[l], scale);
    }
    real_there_and_back<shape_type>(here, row, &bins[here.transform() * (Length + 1)], lent);
    two_there_and_back<shape_type>(here, row, &rows[here.transform() * (Length / 2)], lent);
  });
  exact expected;
  for (const auto& z : given) {
    expected.push_back(widened(z) * (2.0L * Length * Length));  // of the two pairs of real ones
  }
  EXPECT_LT(relative_l2(x, expected), 8e-7L) << Length << " " << Elements;
}

TEST(workgroup_subgroups, of_32_threads_share_scratch_without_a_race) {
  check<64, 2, 2>();
  check<128, 4, 4>();
  check<256, 8, 2>();
  check<512, 8, 2>();
  check<256, 2, 1>();
}

}  // namespace
