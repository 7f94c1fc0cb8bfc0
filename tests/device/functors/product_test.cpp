// SPDX-License-Identifier: Apache-2.0
// Oracle: the product of two bins that are found by all their indices.
#include "wingbeat/device/functors/product.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "device/functors/named.hpp"  // names_numbers, names_operands

namespace {

using namespace wingbeat::device;
using functors::product_numbers;
using functor = functors::product<half_float, float>;
using spectra = std::vector<functor::element>;

constexpr size n_run = 3, n_prepared = 2, n_columns = 4, n_bins = 5;

/// Every bin has another number, and the imaginary part another than the real one.
spectra numbered(size count, float first) {
  spectra result(count);
  for (size i = 0; i < count; ++i) {
    const float re = first + static_cast<float>(i);
    result[i] = {half_float(re), half_float(-2 * re)};
  }
  return result;
}

std::complex<float> bin_of(const spectra& all_bins, size spectrum, size column, size bin) {
  const functor::element z = all_bins[(spectrum * n_columns + column) * n_bins + bin];
  return {float(z.re), float(z.im)};
}

/// Checks every row of the inverse; `expected` has the product of two bins.
template <class Expected>
void expect_products(const product_numbers& n, const Expected& expected) {
  const spectra x = numbered(n_run * n_columns * n_bins, 1), h = numbered(x.size(), 0.5F);
  const size n_met = n.is_pairwise ? 1 : n_prepared;
  for (size run = 0; run < n_run; ++run) {
    for (size met = 0; met < n_met; ++met) {
      for (size column = 0; column < n_columns; ++column) {
        for (size bin = 0; bin < n_bins; ++bin) {
          const size row = (run * n_met + met) * n_columns + column;
          const size spectrum = n.is_pairwise ? run : met;
          const complex<float> z = functor{n, x.data(), {h.data()}, row}.load(bin);
          const size first = n.has_one_column ? spectrum / n_columns : spectrum;
          const std::complex<float> factor =
              bin_of(h, first, n.has_one_column ? spectrum % n_columns : column, bin);
          EXPECT_EQ((std::complex{z.re, z.im}), expected(bin_of(x, run, column, bin), factor));
        }
      }
    }
  }
}

TEST(functors_product, is_that_of_each_pair_of_spectra) {
  for (const bool is_pairwise : {false, true}) {
    for (const bool has_one_column : {false, true}) {
      const product_numbers n{.prepared = is_pairwise ? 1 : n_prepared,
                              .columns = n_columns,
                              .bins = n_bins,
                              .is_pairwise = is_pairwise,
                              .has_one_column = has_one_column};
      expect_products(n, [](auto x, auto h) { return x * h; });
    }
  }
}

TEST(functors_product, is_of_the_conjugate_that_it_is_asked_for) {
  product_numbers n{.prepared = n_prepared, .columns = n_columns, .bins = n_bins};
  n.times = grid::product::conjugate_row;
  expect_products(n, [](auto x, auto h) { return std::conj(x) * h; });
  n.times = grid::product::conjugate_spectrum;
  expect_products(n, [](auto x, auto h) { return x * std::conj(h); });
}

TEST(functors_product, names_its_members) {
  EXPECT_TRUE((ends::has_members<product_numbers, 6>));
  EXPECT_TRUE(wingbeat::test::names_numbers(product_numbers{}, 6));
  EXPECT_TRUE((wingbeat::test::names_operands<functor, 1>({})));
}

}  // namespace
