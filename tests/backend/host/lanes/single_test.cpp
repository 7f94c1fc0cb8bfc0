// SPDX-License-Identifier: Apache-2.0
// Kernels of one row: of 2 to 15 points, of powers of two to 64, of numbers as vectors, and of two
// stages without a call between them, with every instruction set.
#include "backend/host/cpu.hpp"  // supported_sets

#include <gtest/gtest.h>

#include "backend/host/on_instruction_set.hpp"     // on_instruction_set, every_instruction_set
#include "backend/host/rows/mirror_transform.hpp"  // mirror_transform
#include "backend/host/rows/real_matrix.hpp"       // real_matrix
#include "backend/host/rows/row_transform.hpp"     // row_transform
#include "reference/root_of_unity.hpp"             // root_of_unity
#include "request/traits.hpp"                      // traits_of
#include "support/oracle.hpp"                      // direction
#include "support/plan_check.hpp"                  // expect_right_plan

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using backend::host::row_transform;

constexpr std::size_t lengths[] = {2,  3,  4,  5,  6,  7,  8,  9,  10,  11,  12,  13, 14,
                                   15, 16, 18, 20, 21, 22, 24, 25, 26,  27,  28,  30, 32,
                                   33, 35, 36, 39, 40, 42, 44, 45, 48,  50,  52,  54, 55,
                                   56, 60, 64, 65, 72, 78, 80, 96, 100, 144, 160, 192};

class host_single_rows : public on_instruction_set {};

TEST_P(host_single_rows, are_right) {
  for (const std::size_t n : lengths) {
    for (const transform kind : {transform::forward, transform::inverse}) {
      for (const precision real : {precision::fp32, precision::fp64}) {
        plan_spec spec{.lengths = {n}, .kind = kind, .real = real};
        expect_right_plan(on, spec, n % 3);
        spec.scale = scaling::by_length;
        spec.where = placement::in_place;
        expect_right_plan(on, spec);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(sets, host_single_rows, every_instruction_set(), name_of_set);

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

/// The kernels alone: each bin of each impulse, which no other bin can hide.
TYPED_TEST(host_single, transforms_an_impulse_at_any_position) {
  using Real = TypeParam;
  for (const auto& set : backend::host::supported_sets()) {
    for (const std::size_t n : lengths) {
      const row_transform<Real> transform{kernels_of<Real>(set), n, 1};
      for (const bool is_inverse : {false, true}) {
        backend::host::rows<Real> alone;
        alone.count = 1;
        alone.scale = 2;
        alone.is_swapped = is_inverse;
        const auto prepared = transform.prepared(alone);
        if (n < 16) ASSERT_NE(prepared.single, nullptr) << set.name << " " << n;
        if (prepared.single == nullptr) continue;  // too wide
        const auto sense = is_inverse ? direction::inverse : direction::forward;
        for (std::size_t offset = 0; offset < n; ++offset) {
          std::vector<Real> in(2 * n), out(2 * n);
          in[2 * offset + 1] = 1;  // i
          prepared.single(&prepared.of_single, reinterpret_cast<const std::byte*>(in.data()),
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

/// Reals as numbers: each bin of each impulse, and each real of each bin.
TYPED_TEST(host_single, transforms_an_impulse_among_reals_and_back) {
  using Real = TypeParam;
  const auto sense = direction::forward;
  for (const auto& set : backend::host::supported_sets()) {
    for (std::size_t n = 2; n <= backend::host::longest_real_numbers; ++n) {
      const auto& kernels = kernels_of<Real>(set);
      const backend::host::single_kernel forward = kernels.single_reals(n, false),
                                         back = kernels.single_reals(n, true);
      ASSERT_EQ(forward != nullptr, backend::host::has_real_numbers(n, sizeof(Real)));
      const bool is_unused =
          n % 2 == 0 && backend::host::real_matrix<Real>::pays(
                            request::traits_of(transform::forward_from_real), n, 1, kernels.width);
      EXPECT_FALSE(forward != nullptr && is_unused) << n << " reals are rows of a matrix";
      if (forward == nullptr) continue;
      const backend::host::mirror_transform<Real> mirror{kernels, n % 2 == 0 ? n / 2 : 0};
      backend::host::single_row<Real> row{nullptr, 1, n};
      if (n % 2 == 0) row = mirror.row_of_one(Real(0.5));
      for (std::size_t offset = 0; offset < n; ++offset) {
        std::vector<Real> in(n), bins(n / 2 * 2 + 2), out(n);
        in[offset] = 1;
        forward(&row, reinterpret_cast<const std::byte*>(in.data()),
                reinterpret_cast<std::byte*>(bins.data()));
        for (std::size_t k = 0; k <= n / 2; ++k) {
          const auto root = reference::root_of_unity<long double>(offset * k, n, sense);
          EXPECT_NEAR(bins[2 * k], root.real(), 1e-6) << set.name << " " << n << " " << k;
          EXPECT_NEAR(bins[2 * k + 1], root.imag(), 1e-6) << set.name << " " << n << " " << k;
        }
        backend::host::single_row<Real> back_row = row;
        back_row.scale = 1;
        back(&back_row, reinterpret_cast<const std::byte*>(bins.data()),
             reinterpret_cast<std::byte*>(out.data()));
        for (std::size_t j = 0; j < n; ++j) {
          EXPECT_NEAR(out[j], j == offset ? Real(n) : 0, 1e-5) << set.name << " " << n << " " << j;
        }
      }
    }
  }
}

TYPED_TEST(host_single, has_kernels_only_where_groups_fit) {
  for (const auto& set : backend::host::supported_sets()) {
    const auto& kernels = kernels_of<TypeParam>(set);
    EXPECT_EQ(kernels.single(16, false) != nullptr, kernels.width >= 4) << set.name;
    EXPECT_EQ(kernels.single(64, true) != nullptr, kernels.width >= 8) << set.name;
    EXPECT_EQ(kernels.single(28, false) != nullptr, kernels.width >= 4) << set.name;
    EXPECT_NE(kernels.single(15, false), nullptr) << set.name << ": numbers as vectors";
    EXPECT_EQ(kernels.single(40, true) != nullptr,
              kernels.width >= (sizeof(TypeParam) == 4 ? 8 : 4))
        << set.name;
    EXPECT_EQ(kernels.single(128, false), nullptr) << set.name;
  }
}

}  // namespace
