// SPDX-License-Identifier: Apache-2.0
// Timeout: 300
// A row has the same bits alone and in any batch: those of docs/maths.md.
#include "support/row_bits.hpp"

#include <gtest/gtest.h>

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr precision reals[] = {precision::fp32, precision::fp64};

std::vector<std::size_t> lengths() {
  std::vector<std::size_t> found;
  for (std::size_t n = 2; n <= 100; ++n) found.push_back(n);
  for (const std::size_t n :
       {104,  105,  117,  120,  121,  125,  128,  143,  150,  165,  169,  192,
        195,  200,  210,  225,  231,  243,  256,  273,  300,  343,  375,  455,
        480,  512,  525,  600,  625,  729,  819,  1000, 1001, 1024, 1155, 1200,
        1331, 1440, 2000, 2048, 2187, 3000, 4096, 5040, 5005, 8192, 9009, 16384}) {
    found.push_back(n);
  }
  return found;
}

TEST(row_bits, follow_the_length_alone) {
  queue on{first_device(engine::host)};
  for (const transform kind : {transform::forward, transform::inverse, transform::forward_from_real,
                               transform::inverse_to_real}) {
    for (const precision real : reals) {
      for (const std::size_t n : lengths()) {
        const bool is_matrix = n == 17 && request::traits_of(kind).is_real();
        if (!is_good_length(n) && !is_matrix) continue;
        for (const std::size_t batch : {2, 3, 7, 12, 19, 37, 300}) {
          if (batch * n > 300'000) continue;
          const plan_spec spec{.lengths = {n}, .batch = batch, .kind = kind, .real = real};
          EXPECT_EQ(n_other_alone(on, spec), 0U) << request::traits_of(kind).name << " " << n
                                                 << " x" << batch << ", " << name_of(real);
        }
      }
    }
  }
}

/// Longer cosine and sine transforms are made side by side where rows fill the lanes.
TEST(row_bits, of_short_rows_of_every_kind_follow_the_length_alone) {
  expect_same_bits(first_device(engine::host), {2, 3, 5, 8, 9, 12, 15, 16}, {2, 3, 37});
}

/// Bins of reals along the last axis, then columns, enough of them for any vector.
TEST(row_bits, of_images_follow_their_shape_alone) {
  queue on{first_device(engine::host)};
  for (const transform kind :
       {transform::forward, transform::forward_from_real, transform::inverse_to_real}) {
    for (const precision real : reals) {
      for (const std::vector<std::size_t>& lengths :
           std::vector<std::vector<std::size_t>>{{12, 60}, {48, 20}, {6, 10, 33}}) {
        const plan_spec spec{.lengths = lengths, .batch = 19, .kind = kind, .real = real};
        EXPECT_EQ(n_other_alone(on, spec), 0U)
            << request::traits_of(kind).name << " " << lengths.back() << " " << name_of(real);
      }
    }
  }
}

}  // namespace
