// SPDX-License-Identifier: Apache-2.0
// Oracle: the sum over pairs of bins that are found by all their indices.
#include "wingbeat/device/functors/correlation_sum.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "device/functors/named.hpp"  // names_numbers, names_operands

namespace {

using namespace wingbeat::device;
using functor = functors::correlation_sum<double>;

constexpr size n_terms = 3, n_channels = 2, n_bins = 4;

TEST(functors_correlation_sum, is_over_all_terms_of_a_channel) {
  std::vector<complex<double>> x, y;
  for (size i = 0; i < n_terms * n_channels * n_bins; ++i) {
    const auto number = static_cast<double>(i);
    x.push_back({number, 2 - number});
    y.push_back({3 * number + 1, number * number});
  }
  for (size channel = 0; channel < n_channels; ++channel) {
    for (size bin = 0; bin < n_bins; ++bin) {
      std::complex<double> sum = 0;
      for (size term = 0; term < n_terms; ++term) {
        const size place = (channel * n_terms + term) * n_bins + bin;
        sum += std::conj(std::complex{x[place].re, x[place].im}) *
               std::complex{y[place].re, y[place].im};
      }
      const complex<double> z = functor{{n_terms, n_bins}, x.data(), {y.data()}, channel}.load(bin);
      EXPECT_EQ((std::complex{z.re, z.im}), sum);
    }
  }
}

TEST(functors_correlation_sum, names_its_members) {
  EXPECT_TRUE((ends::has_members<functors::correlation_sum_numbers, 2>));
  EXPECT_TRUE(wingbeat::test::names_numbers(functors::correlation_sum_numbers{}, 2));
  EXPECT_TRUE((wingbeat::test::names_operands<functor, 1>({})));
}

}  // namespace
