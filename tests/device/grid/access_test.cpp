// SPDX-License-Identifier: Apache-2.0
// A pass on memory that is not packed: strides and distances, ranges of indices, planar numbers,
// reals with gaps, 16-bit numbers. What must not be read is NaN, what must not be written poisoned.
#include "wingbeat/device/grid/access.hpp"

#include <gtest/gtest.h>

#include <cmath>  // NAN

#include "device/grid/pass_probe.hpp"  // run_pass, whole_rows
#include "support/oracle.hpp"          // dft
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // is_accurate
#include "wingbeat/device/bfloat.hpp"  // bfloat
#include "wingbeat/device/half.hpp"    // half_float

namespace {

using namespace wingbeat::test;
using namespace wingbeat::device;

constexpr size n = 32, batch = 5;

/// Every third element, rows 100 apart, behind 7 others; written two apart, rows interleaved.
struct strided_rows : whole_rows<n, 8, 2> {
  static constexpr pass_numbers numbers() {
    pass_numbers rows = whole_rows<n, 8, 2>::numbers();
    rows.in.base = 7;
    rows.in.distance = 100;
    rows.in.stride = rows.in.unit = 3;
    rows.out.base = rows.out.distance = 1;
    rows.out.stride = rows.out.unit = 10;
    return rows;
  }
};

TEST(grid_access, reads_and_writes_with_strides) {
  const auto x = noise<float>(n * batch, 1);
  values<float> in(7 + 100 * batch, {NAN, NAN});
  for (size b = 0; b < batch; ++b) {
    for (size j = 0; j < n; ++j) in[7 + 100 * b + 3 * j] = x[b * n + j];
  }
  const auto out = run_pass<strided_rows>(in, batch, 10 * n);
  for (size b = 0; b < batch; ++b) {
    const auto expected = dft(picked(x, b * n, n), direction::forward);
    EXPECT_TRUE(is_accurate<float>(picked(out, 1 + b, n, 10), expected, n));
  }
  for (size i = 0; i < out.size(); ++i) {
    EXPECT_EQ(is_poison(out[i]), i % 10 == 0 || i % 10 > batch) << "element " << i;
  }
}

struct conjugated_rows : whole_rows<n, 8, 2> {
  static constexpr pass_numbers numbers() {
    pass_numbers rows = whole_rows<n, 8, 2>::numbers();
    rows.in.is_conjugated = rows.out.is_conjugated = true;
    return rows;
  }
};

TEST(grid_access, reads_and_writes_conjugates) {
  const auto x = noise<float>(n * batch, 1);
  const auto out = run_pass<conjugated_rows>(x, batch, n * batch);
  for (size b = 0; b < batch; ++b) {
    const auto expected = dft(picked(x, b * n, n), direction::inverse);
    EXPECT_TRUE(is_accurate<float>(picked(out, b * n, n), expected, n));
  }
}

/// Inputs 5 to 20 exist, outputs 3 to 29 are wanted.
struct limited_rows : whole_rows<n, 8, 2> {
  static constexpr pass_numbers numbers() {
    pass_numbers rows = whole_rows<n, 8, 2>::numbers();
    rows.in.is_limited = rows.out.is_limited = true;
    rows.in.valid_begin = 5;
    rows.in.valid_end = 21;
    rows.out.valid_begin = 3;
    rows.out.valid_end = 30;
    return rows;
  }
};

TEST(grid_access, takes_what_is_outside_as_0_and_leaves_what_is_not_wanted) {
  const auto x = noise<float>(n * batch, 2);
  values<float> in(n * batch, {NAN, NAN}), padded(n * batch);
  for (size i = 0; i < n * batch; ++i) {
    if (i % n >= 5 && i % n < 21) in[i] = padded[i] = x[i];
  }
  const auto out = run_pass<limited_rows>(in, batch, n * batch);
  for (size b = 0; b < batch; ++b) {
    auto expected = dft(picked(padded, b * n, n), direction::forward);
    expected = {expected.begin() + 3, expected.begin() + 30};
    EXPECT_TRUE(is_accurate<float>(picked(out, b * n + 3, 27), expected, n));
    for (const size k : {0, 1, 2, 30, 31}) EXPECT_TRUE(is_poison(out[b * n + k])) << k;
  }
}

/// Real parts, then imaginary parts 1000 further on; out with the two 6 apart.
struct planar_rows : whole_rows<n, 8, 2> {
  static constexpr pass_numbers numbers() {
    pass_numbers rows = whole_rows<n, 8, 2>::numbers();
    rows.out.distance = 12 * n;
    rows.out.stride = rows.out.unit = 12;
    return rows;
  }
};

TEST(grid_access, knows_parts_that_lie_apart) {
  const auto x = noise<float>(n * batch, 3);
  std::vector<float> in(1000 + n * batch, NAN);
  for (size i = 0; i < n * batch; ++i) {
    in[i] = x[i].re;
    in[1000 + i] = x[i].im;
  }
  using load = ends::parts_load<float, float, 1000>;
  using store = ends::parts_store<float, float, 6>;
  const auto out = run_pass<planar_rows, load, store>(in, batch, 12 * n * batch);
  for (size b = 0; b < batch; ++b) {
    values<float> got;
    for (size k = 0; k < n; ++k) {
      const size offset = 12 * (b * n + k);
      got.push_back({out[offset], out[offset + 6]});
    }
    const auto expected = dft(picked(x, b * n, n), direction::forward);
    EXPECT_TRUE(is_accurate<float>(got, expected, n));
  }
}

/// A row of 2N reals, two apart, of which 3 to 50 exist: its first pair has but one of them.
struct real_row : to_bins<whole_rows<n, 8, 2>> {
  static constexpr pass_numbers numbers() {
    pass_numbers rows = to_bins<whole_rows<n, 8, 2>>::numbers();
    rows.in.is_pairs = rows.in.is_limited = rows.out.is_limited = true;
    rows.in.valid_begin = 3;
    rows.in.valid_end = 51;
    rows.out.valid_begin = 1;
    rows.in.distance = 4 * n;
    rows.in.stride = rows.in.unit = 4;
    return rows;
  }
};

TEST(grid_access, cuts_a_range_of_reals_through_a_pair) {
  const auto x = real_noise<float>(2 * n * batch, 4);
  std::vector<float> in(4 * n * batch, NAN), padded(2 * n * batch);
  for (size i = 0; i < padded.size(); ++i) {
    const size j = i % (2 * n);
    if (j >= 3 && j < 51) in[2 * i] = padded[i] = x[i];
  }
  using load = ends::parts_load<float, float, 2>;
  const auto out = run_pass<real_row, load>(in, batch, (n + 1) * batch);
  for (size b = 0; b < batch; ++b) {
    auto expected = dft(as_complex(picked(padded, b * 2 * n, 2 * n)), direction::forward);
    expected = {expected.begin() + 1, expected.begin() + n + 1};
    EXPECT_TRUE(is_accurate<float>(picked(out, b * (n + 1) + 1, n), expected, 2 * n));
    EXPECT_TRUE(is_poison(out[b * (n + 1)])) << "bin 0 is not wanted";
  }
}

struct back_to_reals : from_bins<whole_rows<n, 8, 2>> {
  static constexpr pass_numbers numbers() {
    pass_numbers rows = from_bins<whole_rows<n, 8, 2>>::numbers();
    rows.out.is_pairs = rows.out.is_limited = true;
    rows.out.valid_begin = 7;
    rows.out.valid_end = 40;
    rows.out.distance = 4 * n;
    rows.out.stride = rows.out.unit = 4;
    return rows;
  }
};

TEST(grid_access, writes_a_range_of_reals_through_a_pair) {
  const auto x = real_noise<float>(2 * n * batch, 5);
  values<float> bins;
  for (size b = 0; b < batch; ++b) {
    const auto transformed = dft(as_complex(picked(x, b * 2 * n, 2 * n)), direction::forward);
    for (size k = 0; k <= n; ++k)
      bins.push_back({float(transformed[k].real()), float(transformed[k].imag())});
  }
  using store = ends::parts_store<float, float, 2>;
  const auto out =
      run_pass<back_to_reals, plain_load<back_to_reals>, store>(bins, batch, 4 * n * batch);
  for (size i = 0; i < out.size(); ++i) {
    const size j = i / 2 % (2 * n);
    const bool is_wanted = i % 2 == 0 && j >= 7 && j < 40;
    ASSERT_EQ(is_poison(out[i]), !is_wanted) << "real " << j;
    if (is_wanted) {
      ASSERT_NEAR(out[i], 2.0f * n * x[i / 2], 2.0f * n * 1e-6f);
    }
  }
}

template <class Stored>
void check_narrow(long double unit) {
  std::vector<complex<Stored>> in;
  values<float> x;
  for (const auto& z : noise<float>(n * batch, 6)) {
    in.push_back({Stored(z.re), Stored(z.im)});
    x.push_back({float(in.back().re), float(in.back().im)});
  }
  using rows = whole_rows<n, 8, 2>;
  using load = ends::complex_load<Stored, float, ends::use::once>;
  using store = ends::complex_store<Stored, float, ends::use::once>;
  const auto out = run_pass<rows, load, store>(in, batch, n * batch);
  for (size b = 0; b < batch; ++b) {
    values<float> got;
    for (size k = 0; k < n; ++k)
      got.push_back({float(out[b * n + k].re), float(out[b * n + k].im)});
    // Each part is rounded once on the way out; fp32's own error is far below.
    EXPECT_LE(relative_l2(got, dft(picked(x, b * n, n), direction::forward)), unit);
  }
}

TEST(grid_access, stores_16_bit_numbers_rounded_once) {
  check_narrow<half_float>(0x1p-11L);
  check_narrow<bfloat>(0x1p-8L);
}

/// Planes of 8 rows, of which columns are transformed: three loops, two rows of planes.
struct columns_of_planes : whole_rows<n, 8, 4> {
  static constexpr pass_numbers numbers() {
    pass_numbers rows = whole_rows<n, 8, 4>::numbers();
    add_loop(rows, {6, 1, 1});
    add_loop(rows, {2, 6 * n, 6 * n});
    rows.shape.lanes_across = true;
    rows.in.distance = rows.out.distance = 12 * n;
    rows.in.stride = rows.in.unit = 6;
    rows.out.stride = rows.out.unit = 6;
    return rows;
  }
};

TEST(grid_access, takes_columns_of_several_axes) {
  const auto in = noise<float>(12 * n * 3, 7);
  const auto out = run_pass<columns_of_planes>(in, 3, in.size());
  for (size plane = 0; plane < 6; ++plane) {
    for (size column = 0; column < 6; ++column) {
      const size offset = plane * 6 * n + column;
      const auto expected = dft(picked(in, offset, n, 6), direction::forward);
      ASSERT_TRUE(is_accurate<float>(picked(out, offset, n, 6), expected, n)) << plane << column;
    }
  }
}

}  // namespace
