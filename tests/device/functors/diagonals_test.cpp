// SPDX-License-Identifier: Apache-2.0
// Rows of reals to bins, changed, and back, by DFTs in long double: every kind that has one, of
// every length, against its sums, the factors, and the sums of the kind that undoes it.
#include "wingbeat/device/functors/diagonals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "device/ends/fixed_rows.hpp"                  // as
#include "reference/real_axis.hpp"                     // real_axis
#include "support/oracle.hpp"                          // dft_by_definition, exact
#include "wingbeat/device/functors/diagonal_load.hpp"  // diagonal_load
#include "wingbeat/device/functors/real_store.hpp"     // real_store
#include "wingbeat/roots.hpp"                          // root

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace wingbeat::device::functors;
using device::complex;

constexpr std::size_t longest = 18;

double factor_of(std::size_t row, std::size_t k) {
  return 1 + static_cast<double>((5 * row + 3 * k) % 7);
}

struct factors {
  using element = double;
  static double load(const double*, device::size row, device::size i) { return factor_of(row, i); }
};

/// Lines of n, two to a row, of which number 3 is made.
template <class Diagonal, std::size_t N>
void check(transform kind, std::size_t length, double scale, bool is_alternating = false) {
  const request::traits row = request::traits_of(kind);
  line_numbers in{.length = N, .end = N};
  in.loops[0].stride = N;
  in.depth = 1;
  in.is_alternating = is_alternating;
  line_numbers out = in;
  std::vector<complex<double>> roots;
  for (std::size_t e = 0; e <= N / 2; ++e) {
    const auto w = root(e, 4 * N);
    roots.push_back({static_cast<double>(w.real()), static_cast<double>(w.imag())});
  }
  std::vector<double> x(4 * N), y(4 * N);
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::sin(1.0 + 7.3 * static_cast<double>(j));

  using rows = as<device::ends::fused_numbers{
                      .length = 2 * N, .is_real = true, .taken = device::ends::reals::unpaired},
                  double>;
  fused_operands<factors, double> given{};
  given.roots = roots.data();
  const diagonal_load<Diagonal, double, double, factors, rows> load{in, x.data(), given, 3};
  std::vector<double> loaded;
  for (std::size_t i = 0; i < length; ++i) loaded.push_back(load.load(i));
  exact bins = dft_by_definition<direction::forward>(loaded);
  for (std::size_t k = 0; k <= length / 2; ++k) {
    const complex<double> bin =
        load.changed(k, {static_cast<double>(bins[k].real()), static_cast<double>(bins[k].imag())});
    const bool is_end = k == 0 || 2 * k == length;  // whose imaginary part is not used
    bins[k] = {bin.re, is_end ? 0 : bin.im};
    if (!is_end) bins[length - k] = std::conj(bins[k]);
  }
  const exact values = dft_by_definition<direction::inverse>(bins);
  const real_store<Diagonal, double, double> store{out, y.data(), {}, 3};
  for (std::size_t i = 0; i < length; ++i) store.store(i, static_cast<double>(values[i].real()));

  reference::row<long double> expected(x.begin() + 3 * N, x.end());
  reference::real_axis{row, N, false}(expected, 1);
  for (std::size_t k = 0; k < N; ++k) expected[k] *= factor_of(1, N + k);
  reference::real_axis{request::traits_of(row.opposite), N, false}(expected, 1);
  for (std::size_t j = 0; j < N; ++j) {
    EXPECT_NEAR(scale * y[3 * N + j], static_cast<double>(expected[j].real()), 1e-11)
        << name_of(kind) << ", element " << j << " of " << N;
  }
}

template <std::size_t N>
void check_all() {
  if constexpr (N > 1) check<even_diagonal, N>(transform::dct1, 2 * N - 2, 1);
  check<odd_diagonal, N>(transform::dst1, 2 * N + 2, 1);
  check<cas_diagonal, N>(transform::dht, N, 1);
  check<folded_diagonal, N>(transform::dct2, N, 2);
  check<folded_diagonal, N>(transform::dst2, N, 2, true);
}

TEST(functors_diagonals, multiply_coefficients_between_a_kind_and_what_undoes_it) {
  [&]<std::size_t... N>(std::index_sequence<N...>) {
    (check_all<N + 1>(), ...);
  }
  (std::make_index_sequence<longest>{});
}

}  // namespace
