// SPDX-License-Identifier: Apache-2.0
// The one call of a method has the bits of its run: rows alone and many, from where memory begins
// and from behind that, complex and of reals.
#include "backend/host/rows/row_method.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/signal.hpp"  // real_noise

namespace {

using namespace wingbeat;
using namespace wingbeat::backend::host;

template <class Real>
void expect_same(const row_method<Real>& method, prepared_rows<Real> prepared,
                 std::size_t row_reals) {
  if (method.workspace_bytes() > 0) return;  // which have no one call
  const std::size_t count = prepared.shape.count, n = count * row_reals + 2;
  prepared.shape.in_pitch = prepared.shape.out_pitch = row_reals;
  const auto in = test::real_noise<Real>(n, row_reals);
  std::vector<Real> expected(n, 7), got = expected;
  const auto bytes_of = [](auto* reals) { return reinterpret_cast<std::byte*>(reals); };
  auto* const input = bytes_of(const_cast<Real*>(in.data()));
  method.run(prepared.placed(input, bytes_of(expected.data())), nullptr, 2);
  const auto direct = method.direct(prepared);
  direct.call(direct.prepared, input, bytes_of(got.data()));
  EXPECT_EQ(got, expected) << method.explain() << ", " << count << " from " << prepared.in_first;
}

template <class Real>
class row_methods : public ::testing::Test {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(row_methods, reals);

TYPED_TEST(row_methods, are_one_call_with_the_bits_of_their_run) {
  using Real = TypeParam;
  for (const named_set& set : supported_sets()) {
    for (const std::size_t n :
         {1, 2, 4, 7, 8, 16, 17, 20, 32, 36, 64, 66, 97, 128, 200, 260, 1000}) {
      const auto complex = complex_rows(kernels_of<Real>(set), n, 1);
      for (const std::size_t count : {1, 3, 40}) {
        for (const std::size_t first : {0, 2}) {
          prepared_rows<Real> prepared{.in_first = first, .out_first = first};
          prepared.shape.count = count;
          for (const bool is_swapped : {false, true}) {
            prepared.shape.is_swapped = is_swapped;
            expect_same(*complex, prepared, 2 * n);
          }
          for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
            const auto method = real_rows<Real>(set, {request::traits_of(kind), n}, count, 1);
            if (method) expect_same(*method, prepared, n / 2 * 2 + 2);
          }
        }
      }
    }
  }
}

}  // namespace
