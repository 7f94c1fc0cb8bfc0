// SPDX-License-Identifier: Apache-2.0
// Rows convolved in one crossing by the host engine, against two plans and a product in between.
#include <gtest/gtest.h>

#include <complex>
#include <thread>  // hardware_concurrency

#include "backend/host/rows/row_convolution.hpp"
#include "support/memory.hpp"  // contents, filled, transformed
#include "support/signal.hpp"  // fill_noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using wingbeat::test::fill_noise;

template <class Real>
std::vector<std::complex<Real>> noise(std::size_t count, std::uint64_t seed) {
  std::vector<std::complex<Real>> x(count);
  fill_noise(reinterpret_cast<Real*>(x.data()), 2 * count, seed);
  return x;
}

template <class Real>
class row_convolution_check {
 public:
  using number = std::complex<Real>;
  static constexpr precision real = sizeof(Real) == 8 ? precision::fp64 : precision::fp32;

  explicit row_convolution_check(std::size_t length) : n_(length) {}

  /// 2 items of `n_columns` rows, which each of 3 spectra meets, in the valid ranges given.
  void check(std::size_t n_columns, index_range in, index_range out, product times) {
    SCOPED_TRACE(n_);
    const std::size_t read = in.end - in.first, kept = out.end - out.first, row = read + 3;
    const auto x = noise<Real>(2 * n_columns * row, 1);
    const auto h = noise<Real>(3 * n_columns * n_, 2);
    const number untouched{7, 7};
    std::vector<number> y(6 * n_columns * kept, untouched);
    plan_spec rows{
        .lengths = {n_}, .batch = {2, 3, n_columns}, .real = real, .scale = scaling::by_length};
    rows.in = {.strides = {1}, .distances = {n_columns * row, 0, row}, .origin = {in.first}};
    rows.out = {.strides = {n_columns},
                .distances = {3 * n_columns * kept, n_columns * kept, 1},
                .origin = {out.first}};
    rows.valid_in = {in};
    rows.valid_out = {out};
    run(rows, {.stored = real, .distances = {0, n_columns * n_, n_}, .times = times}, x, h, y);
    for (std::size_t pair = 0; pair < 6; ++pair) {
      for (std::size_t column = 0; column < n_columns; ++column) {
        const auto expected = convolved(x.data() + (pair / 3 * n_columns + column) * row, in,
                                        h.data() + (pair % 3 * n_columns + column) * n_, times);
        for (std::size_t i = out.first; i < out.end; ++i) {
          const number got = y[(pair * kept + i - out.first) * n_columns + column];
          ASSERT_LE(std::abs(got - expected[i]), bound()) << pair << ", " << column << ", " << i;
        }
      }
    }
  }

 private:
  [[nodiscard]] double bound() const {
    return 16 * std::numeric_limits<Real>::epsilon() * std::sqrt(static_cast<double>(n_));
  }

  void run(const plan_spec& rows, const spectrum_array& spectra, const std::vector<number>& x,
           const std::vector<number>& h, std::vector<number>& y) {
    const auto made =
        backend::host::make_row_convolution(backend::host::chosen_set(), rows, spectra);
    ASSERT_TRUE(made);
    const buffer in = test::filled(on_, x), filter = test::filled(on_, h);
    const buffer out = test::filled(on_, y), work{on_, made->workspace_bytes()};
    made->enqueue(*on_.impl(), {in.view(), out.view(), work.view(), filter.view(), {}, {}});
    y = test::contents<number>(out);
  }

  std::vector<number> convolved(const number* x, index_range in, const number* h, product times) {
    std::vector<number> row(n_);
    for (std::size_t i = in.first; i < in.end; ++i) row[i] = x[i - in.first];
    row = transformed(row, transform::forward, scaling::none);
    for (std::size_t k = 0; k < n_; ++k) {
      row[k] = (times == product::conjugate_row ? std::conj(row[k]) : row[k]) *
               (times == product::conjugate_spectrum ? std::conj(h[k]) : h[k]);
    }
    return transformed(row, transform::inverse, scaling::by_length);
  }

  std::vector<number> transformed(const std::vector<number>& row, transform kind, scaling scale) {
    const plan_spec spec{.lengths = {n_}, .kind = kind, .real = real, .scale = scale};
    return test::transformed(on_, spec, row);
  }

  queue on_{first_device(engine::host)};
  std::size_t n_;
};

TEST(host_row_convolution, is_two_transforms_and_a_product) {
  for (std::size_t n = 2; n <= 4096; n *= 2) {
    const index_range half{0, n / 2}, most{n / 4, n};
    for (const product times :
         {product::plain, product::conjugate_row, product::conjugate_spectrum}) {
      row_convolution_check<float>{n}.check(5, half, most, times);
      row_convolution_check<double>{n}.check(19, most, half, times);
    }
  }
}

/// In lanes, and as matrices.
TEST(host_row_convolution, takes_lengths_that_are_no_powers_of_two) {
  for (const std::size_t n : {6, 15, 36, 77, 240, 364, 1000, 1001, 6240}) {
    const index_range half{0, n / 2}, most{n / 4, n};
    for (const product times :
         {product::plain, product::conjugate_row, product::conjugate_spectrum}) {
      row_convolution_check<float>{n}.check(5, half, most, times);
      row_convolution_check<double>{n}.check(19, most, half, times);
    }
  }
}

TEST(host_row_convolution, takes_rows_that_outgrow_the_inner_cache) {
  // Fewer rows than threads are left to plans.
  const std::size_t count = 2 + std::thread::hardware_concurrency() / 6;
  row_convolution_check<float>{24000}.check(count, {5, 20000}, {11, 23999}, product::plain);
  row_convolution_check<float>{32768}.check(count, {5, 20000}, {11, 32768}, product::plain);
  row_convolution_check<double>{16384}.check(count, {5, 10000}, {11, 16384}, product::plain);
}

TEST(host_row_convolution, leaves_rows_that_threads_share_to_plans) {
  const plan_spec rows{.lengths = {std::size_t{1} << 20}, .batch = {1, 1, 8}};
  EXPECT_FALSE(backend::host::make_row_convolution(backend::host::chosen_set(), rows,
                                                   {.distances = {0, 0, 0}}));
}

}  // namespace
