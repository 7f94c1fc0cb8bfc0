// SPDX-License-Identifier: Apache-2.0
// Two real signals as one complex one against the long double reference: both orders with loads and
// stores, and natural order in registers.
#include "wingbeat/device/workgroup/two_real.hpp"

#include <gtest/gtest.h>

#include "device/workgroup/fft_probe.hpp"  // local_memory
#include "support/oracle.hpp"              // dft
#include "support/signal.hpp"              // noise
#include "support/tolerance.hpp"           // is_accurate

namespace {

using namespace wingbeat;
using namespace wingbeat::device;
using namespace wingbeat::device::workgroup;
using namespace wingbeat::test;

template <class Real>
using pair = wingbeat::device::real::pair<Real>;

template <class Shape, class Real, order Order, trade Trade = trade::whole>
struct both_ways {
  using shape_type = Shape;
  using real = Real;
  using there = two_real_fft<Shape, Real, direction::forward, memory<Trade>, Order>;
  using back = two_real_fft<Shape, Real, direction::inverse, memory<Trade>, Order>;
};

/// What a round trip leaves: rows of both spectra, and the signals again.
template <class Real>
struct trip {
  std::vector<pair<Real>> rows;
  std::vector<complex<Real>> again;
};

/// Compares a round trip of the signals z[i] = x[i] + i y[i] with the definition.
template <class Ways>
void compare(const std::vector<complex<typename Ways::real>>& z,
             const trip<typename Ways::real>& result) {
  using real = typename Ways::real;
  constexpr unsigned n = Ways::there::length;
  for (std::size_t first = 0; first < z.size(); first += n) {
    exact x, y, x_rows, y_rows, got_x, got_y;
    for (std::size_t i = 0; i < n; ++i) {
      x.emplace_back(z[first + i].re);
      y.emplace_back(z[first + i].im);
    }
    x = dft(x, direction::forward);
    y = dft(y, direction::forward);
    for (unsigned row = 0; row < n / 2; ++row) {
      x_rows.push_back(x[Ways::there::bin_of(row)]);
      y_rows.push_back(y[Ways::there::bin_of(row)]);
      got_x.push_back(widened(result.rows[first / 2 + row].first));
      got_y.push_back(widened(result.rows[first / 2 + row].second));
    }
    x_rows[0] = {x[0].real(), x[n / 2].real()};
    y_rows[0] = {y[0].real(), y[n / 2].real()};
    EXPECT_TRUE(is_accurate<real>(got_x, x_rows, 2 * n));
    EXPECT_TRUE(is_accurate<real>(got_y, y_rows, 2 * n));
  }
  auto scaled = z;
  for (auto& value : scaled) value = {value.re * real(n), value.im * real(n)};
  EXPECT_TRUE(is_accurate<real>(result.again, widened_row(scaled), n * n));
}

template <class Ways>
void check_functors() {
  using real = typename Ways::real;
  using there = typename Ways::there;
  using shape_type = typename Ways::shape_type;
  SCOPED_TRACE(::testing::Message() << there::length << ", " << there::stride << " threads");
  const auto z = noise<real>(there::length * there::transforms, 9);
  const auto table = roots_of<there>();
  const auto memory = local_memory(there::scratch_bytes);
  trip<real> result{std::vector<pair<real>>(z.size() / 2), std::vector<complex<real>>(z.size())};
  run_workgroup(shape_type::workgroup_threads, [&](wingbeat::emulated_group group) {
    const team<shape_type, lanes::along_transform, wingbeat::emulated_group> row_team{group};
    const std::size_t first = row_team.transform() * std::size_t{there::length};
    const auto load = [&](unsigned i) { return z[first + i]; };
    const auto keep = [&](unsigned row, complex<real> x, complex<real> y) {
      result.rows[first / 2 + row] = {x, y};
    };
    const auto reload = [&](unsigned row) { return result.rows[first / 2 + row]; };
    const auto store = [&](unsigned i, complex<real> value) { result.again[first + i] = value; };
    const typename there::scratch_type lent{memory.get()};
    there::execute(row_team, load, keep, lent, table.data());
    Ways::back::execute(row_team, reload, store, lent, table.data());
  });
  compare<Ways>(z, result);
}

/// In registers, twice on the same scratch; subgroups of 32 threads, so that several transforms
/// share a workgroup and each is one subgroup's.
template <class Ways, lanes Lanes, reuse Reuse = reuse::at_once>
void check_registers() {
  using real = typename Ways::real;
  using there = typename Ways::there;
  using shape_type = typename Ways::shape_type;
  constexpr unsigned e = there::elements_per_thread, threads = there::threads;
  SCOPED_TRACE(::testing::Message() << there::length << ", " << e << " elements");
  const auto z = noise<real>(there::length * there::transforms, 11);
  const auto table = roots_of<there>();
  const auto memory = local_memory(there::scratch_bytes);
  trip<real> result{std::vector<pair<real>>(z.size() / 2), std::vector<complex<real>>(z.size())};
  run_workgroup<32>(shape_type::workgroup_threads, [&](emulated_group_of<32> group) {
    const team<shape_type, Lanes, emulated_group_of<32>> row_team{group};
    const scratch<there::scratch_bytes, Reuse> lent{memory.get()};
    const std::size_t first = row_team.transform() * std::size_t{there::length};
    for (int time = 0; time < 2; ++time) {
      complex<real> x[e];
      for (unsigned r = 0; r < e; ++r) x[r] = z[first + row_team.thread() + r * threads];
      there::execute(row_team, x, lent, table.data());
      for (unsigned r = 0; r < e / 2; ++r) {
        result.rows[first / 2 + row_team.thread() + r * threads] = {x[r], x[r + e / 2]};
      }
      if constexpr (Reuse == reuse::after_barrier) group.barrier();
      Ways::back::execute(row_team, x, lent, table.data());
      if constexpr (Reuse == reuse::after_barrier) group.barrier();
      for (unsigned r = 0; r < e; ++r) result.again[first + row_team.thread() + r * threads] = x[r];
    }
  });
  compare<Ways>(z, result);
}

TEST(workgroup_two_real_fft, separates_two_signals_and_joins_them_again) {
  check_functors<both_ways<shape<16, 2>, float, order::nabla>>();
  check_functors<both_ways<shape<64, 2, 2>, float, order::nabla>>();
  check_functors<both_ways<shape<128, 4>, double, order::nabla>>();
  check_functors<both_ways<shape<512, 8, 2>, float, order::nabla>>();
  check_functors<both_ways<shape<1024, 32>, float, order::nabla>>();
  check_functors<both_ways<shape<2048, 16>, double, order::nabla>>();
}

TEST(workgroup_two_real_fft, has_rows_in_natural_order) {
  check_functors<both_ways<shape<2, 2, 2>, float, order::natural>>();
  check_functors<both_ways<shape<16, 2>, float, order::natural>>();
  check_functors<both_ways<shape<512, 8, 2>, double, order::natural>>();
  check_functors<both_ways<shape<1024, 32>, float, order::natural, trade::halves>>();
  check_functors<both_ways<shape<1000, 10>, float, order::natural>>();
  check_functors<both_ways<shape<42, 14, 2>, double, order::natural>>();
}

TEST(workgroup_two_real_fft, transforms_registers_in_natural_order) {
  constexpr auto along = lanes::along_transform, across = lanes::across_transforms;
  check_registers<both_ways<shape<2, 2>, float, order::natural>, along>();
  check_registers<both_ways<shape<16, 16, 2>, float, order::natural>, across>();
  check_registers<both_ways<shape<4, 2, 2>, float, order::natural>, along>();
  check_registers<both_ways<shape<64, 4, 4>, float, order::natural>, along>();
  check_registers<both_ways<shape<64, 4, 4>, float, order::natural>, across>();
  check_registers<both_ways<shape<64, 2, 2>, double, order::natural, trade::halves>, along>();
  check_registers<both_ways<shape<512, 16>, double, order::natural>, along, reuse::after_barrier>();
  check_registers<both_ways<shape<120, 12, 2>, float, order::natural>, across>();
  check_registers<both_ways<shape<256, 8, 2>, float, order::natural, trade::halves>, across,
                  reuse::after_barrier>();
}

}  // namespace
