// SPDX-License-Identifier: Apache-2.0
// The definition has no oracle but mathematics: transforms known in closed form, and the laws.
#include "reference/dft_by_definition.hpp"

#include <gtest/gtest.h>

#include "support/oracle.hpp"  // exact, max_error, widened_row
#include "support/signal.hpp"  // impulse, noise, tone

namespace {

using namespace wingbeat::test;

constexpr long double tiny = 0x1p-56L;

TEST(dft_by_definition, of_four_values_is_what_paper_says) {
  const exact x{{1, 0}, {2, -1}, {0, -1}, {-1, 2}};
  const exact forward{{2, 0}, {-2, -2}, {0, -2}, {4, 4}};
  EXPECT_LE(max_error(dft_by_definition<direction::forward>(x), forward), tiny);
  const exact inverse{{2, 0}, {4, 4}, {0, -2}, {-2, -2}};
  EXPECT_LE(max_error(dft_by_definition<direction::inverse>(x), inverse), tiny);
}

TEST(dft_by_definition, of_an_impulse_is_a_tone_and_of_a_tone_an_impulse) {
  for (const std::size_t n : {2, 3, 7, 16, 31, 64}) {
    for (std::size_t p = 0; p < n; ++p) {
      const auto at_p = impulse<long double>(n, p);
      const auto turning = tone<long double>(n, p);
      auto peak = widened_row(at_p);
      for (auto& z : peak) z *= n;
      EXPECT_LE(max_error(dft_by_definition(at_p, direction::inverse), turning), tiny);
      EXPECT_LE(max_error(dft_by_definition(turning, direction::forward), peak), tiny * n);
    }
  }
}

TEST(dft_by_definition, is_undone_by_the_inverse_up_to_length) {
  for (const std::size_t n : {2, 5, 12, 64, 101}) {
    const auto x = noise<double>(n, /*seed=*/n);
    auto back = dft_by_definition(dft_by_definition(x, direction::forward), direction::inverse);
    for (auto& z : back) z /= n;
    EXPECT_LE(max_error(back, x), tiny) << "length " << n;
  }
}

TEST(dft_by_definition, rounds_once_to_the_type_of_its_input) {
  const auto x = noise<float>(48, /*seed=*/7);
  wingbeat::reference::row<float> narrow;
  for (const auto& z : x) narrow.emplace_back(z.re, z.im);
  const exact wide = dft_by_definition(x, direction::forward);
  const auto got = wingbeat::reference::dft_by_definition(narrow, direction::forward);
  for (std::size_t k = 0; k < got.size(); ++k) {
    EXPECT_EQ(got[k].real(), static_cast<float>(wide[k].real()));
    EXPECT_EQ(got[k].imag(), static_cast<float>(wide[k].imag()));
  }
}

}  // namespace
