// SPDX-License-Identifier: Apache-2.0
// Kernels of one row: of 2 to 15 points, of powers of two to 64, of numbers as vectors, and of two
// stages without a call between them, with every instruction set.
#include "backend/host/cpu.hpp"  // supported_sets

#include <gtest/gtest.h>

#include "backend/host/on_instruction_set.hpp"  // on_instruction_set, every_instruction_set
#include "backend/host/rows/row_method.hpp"     // complex_rows, real_rows
#include "reference/root_of_unity.hpp"          // root_of_unity
#include "request/traits.hpp"                   // traits_of
#include "support/oracle.hpp"                   // direction
#include "support/plan_check.hpp"               // expect_right_plan

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

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

/// The kernels alone: each bin of each impulse, which no other bin can hide.
TYPED_TEST(host_single, transforms_an_impulse_at_any_position) {
  using Real = TypeParam;
  for (const auto& set : backend::host::supported_sets()) {
    for (const std::size_t n : lengths) {
      const auto& kernels = backend::host::kernels_of<Real>(set);
      const auto transform = backend::host::complex_rows(kernels, n, 1);
      for (const bool is_inverse : {false, true}) {
        backend::host::prepared_rows<Real> alone;
        alone.shape = {nullptr, nullptr, 2 * n, 2 * n, 1, 2, is_inverse};
        const auto direct = transform->direct(alone);
        if (n < 16) ASSERT_EQ(direct.call, kernels.single(n, is_inverse)) << set.name << " " << n;
        const auto sense = is_inverse ? direction::inverse : direction::forward;
        for (std::size_t offset = 0; offset < n; ++offset) {
          std::vector<Real> in(2 * n), out(2 * n);
          in[2 * offset + 1] = 1;  // i
          direct.call(direct.prepared, reinterpret_cast<const std::byte*>(in.data()),
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
      const auto single = backend::host::kernels_of<Real>(set).single_reals(n, false);
      ASSERT_EQ(single != nullptr, backend::host::has_real_numbers(n, sizeof(Real)));
      if (single == nullptr) continue;
      const auto rows_of = [&](transform kind) {
        return backend::host::real_rows<Real>(set, {request::traits_of(kind), n}, 1, 1);
      };
      const auto forward_rows = rows_of(transform::forward_from_real);
      const auto back_rows = rows_of(transform::inverse_to_real);
      backend::host::prepared_rows<Real> row, back_row;
      row.shape.count = back_row.shape.count = 1;
      const auto forward = forward_rows->direct(row), back = back_rows->direct(back_row);
      EXPECT_EQ(forward.call, single) << n << " reals are rows of a matrix";
      for (std::size_t offset = 0; offset < n; ++offset) {
        std::vector<Real> in(n), bins(n / 2 * 2 + 2), out(n);
        in[offset] = 1;
        forward.call(forward.prepared, reinterpret_cast<const std::byte*>(in.data()),
                     reinterpret_cast<std::byte*>(bins.data()));
        for (std::size_t k = 0; k <= n / 2; ++k) {
          const auto root = reference::root_of_unity<long double>(offset * k, n, sense);
          EXPECT_NEAR(bins[2 * k], root.real(), 1e-6) << set.name << " " << n << " " << k;
          EXPECT_NEAR(bins[2 * k + 1], root.imag(), 1e-6) << set.name << " " << n << " " << k;
        }
        back.call(back.prepared, reinterpret_cast<const std::byte*>(bins.data()),
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
    const auto& kernels = backend::host::kernels_of<TypeParam>(set);
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
