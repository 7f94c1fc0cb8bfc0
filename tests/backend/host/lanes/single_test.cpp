// SPDX-License-Identifier: Apache-2.0
// Kernels of one row of 2 to 15 points and of powers of two to 64, with every instruction set.
#include "backend/host/cpu.hpp"  // supported_sets

#include <gtest/gtest.h>

#include "backend/host/accurate_run.hpp"  // check_all_rows, checked_sets, precision_of

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using backend::host::single_row;

template <class Real>
class host_single : public ::testing::Test {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(host_single, reals);

template <class Real>
const backend::host::kernels<Real>& kernels_of(const backend::host::named_set& set) {
  if constexpr (sizeof(Real) == 4) {
    return set.kernels->fp32;
  } else {
    return set.kernels->fp64;
  }
}

TYPED_TEST(host_single, agrees_with_the_definition) {
  for (std::size_t n = 2; n <= 64; n += n < 16 ? 1 : n) {
    for (const transform kind : {transform::forward, transform::inverse}) {
      for (const placement placed : {placement::out_of_place, placement::in_place}) {
        for (const scaling scale : {scaling::none, scaling::by_length}) {
          check_all_rows<TypeParam>({.lengths = {n},
                                     .kind = kind,
                                     .real = precision_of<TypeParam>,
                                     .scale = scale,
                                     .where = placed},
                                    n % 3);
        }
      }
    }
  }
}

/// The kernels alone: each bin of each impulse, which no other bin can hide.
TYPED_TEST(host_single, transforms_an_impulse_at_any_position) {
  using Real = TypeParam;
  for (const auto& set : checked_sets()) {
    for (std::size_t n = 2; n < 16; ++n) {
      for (const bool is_inverse : {false, true}) {
        const auto kernel = kernels_of<Real>(set).single(n, is_inverse);
        ASSERT_NE(kernel, nullptr) << set.name << " " << n;
        const auto sense = is_inverse ? direction::inverse : direction::forward;
        for (std::size_t offset = 0; offset < n; ++offset) {
          std::vector<Real> in(2 * n), out(2 * n);
          in[2 * offset + 1] = 1;  // i
          const single_row<Real> row{nullptr, Real{2}};
          kernel(&row, reinterpret_cast<const std::byte*>(in.data()),
                 reinterpret_cast<std::byte*>(out.data()));
          for (std::size_t k = 0; k < n; ++k) {
            const auto root = reference::root_of_unity<long double>(offset * k, n, sense);
            EXPECT_NEAR(out[2 * k], -2 * root.imag(), 1e-6) << set.name << " " << n << " " << k;
            EXPECT_NEAR(out[2 * k + 1], 2 * root.real(), 1e-6) << set.name << " " << n << " " << k;
          }
        }
      }
    }
  }
}

TYPED_TEST(host_single, has_kernels_only_where_groups_fit) {
  for (const auto& set : checked_sets()) {
    const auto& kernels = kernels_of<TypeParam>(set);
    EXPECT_EQ(kernels.single(16, false) != nullptr, kernels.width >= 4) << set.name;
    EXPECT_EQ(kernels.single(64, true) != nullptr, kernels.width >= 8) << set.name;
    EXPECT_EQ(kernels.single(128, false), nullptr) << set.name;
  }
}

}  // namespace
