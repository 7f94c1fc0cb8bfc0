// SPDX-License-Identifier: Apache-2.0
// A convolution as the body of a pass, by itself: registers in, registers out, against the sum that
// defines a circular convolution.
#include "wingbeat/device/bodies/convolve.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // max

#include "device/bodies/body_probe.hpp"  // bin_at
#include "device/grid/pass_probe.hpp"    // body_of, run_threads, rounded_table
#include "support/oracle.hpp"            // dft
#include "support/signal.hpp"            // noise
#include "support/tolerance.hpp"         // is_accurate

namespace {

using namespace wingbeat::test;

template <class Base>
using convolved = shaped<Base, &tile_shape::makes, body::convolve>;
template <class Base>
using fused = shaped<Base, &tile_shape::twiddles, wingbeat::device::workgroup::twiddling::fused>;

/// Returns the lanes of x times the filter's spectrum, transformed back: N times the convolution.
template <class Policy>
values<typename Policy::real> run(const values<typename Policy::real>& x, const exact& spectrum) {
  using real = typename Policy::real;
  using body_type = body_of<Policy>;
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr unsigned n = unsigned(numbers.shape.length);
  constexpr unsigned e = numbers.shape.elements_per_thread;
  expect_sizes_of_types<Policy>();
  const auto table = rounded_table<real>(numbers);
  values<real> y(x.size(), poison<complex<real>>());
  run_threads<Policy>([&](const auto& group, char* scratch) {
    const body_type subject(table.data(), scratch, group);
    complex<real> held[body_type::e];
    const auto index = [&](unsigned r) { return subject.lane_in() * n + subject.number_in(r); };
    for (unsigned r = 0; r < e; ++r) held[r] = x[index(r)];
    subject.run(held, [&](unsigned r) {
      const auto w = spectrum[bin_at<Policy>(subject.number_in(r))];
      return complex<real>{static_cast<real>(w.real()), static_cast<real>(w.imag())};
    });
    for (unsigned r = 0; r < e; ++r) y[index(r)] = held[r];
  });
  return y;
}

/// Rows of which memory holds the first elements alone.
template <class Base, size Valid>
struct padded_rows : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.in.is_limited = true;
    n.in.valid_end = Valid;
    return n;
  }
};

template <class Policy>
void check() {
  using real = typename Policy::real;
  constexpr tile_shape shape = Policy::numbers().shape;
  auto x = noise<real>(shape.length * shape.lanes, 1);
  for (size i = 0; i < x.size(); ++i) {
    if (Policy::numbers().in.is_limited && i % shape.length >= Policy::numbers().in.valid_end) {
      x[i] = {};
    }
  }
  const exact h = widened_row(noise<real>(shape.length, 2));
  const exact spectrum = dft(h, wingbeat::device::direction::forward);
  const auto y = run<Policy>(x, spectrum);
  for (size lane = 0; lane < shape.lanes; ++lane) {
    const exact signal = widened_row(picked(x, lane * shape.length, shape.length));
    exact expected(shape.length);
    for (size i = 0; i < shape.length; ++i) {
      for (size j = 0; j < shape.length; ++j) {
        expected[i] += signal[j] * h[(i + shape.length - j) % shape.length];
      }
      expected[i] *= shape.length;
    }
    ASSERT_LE(relative_l2(picked(y, lane * shape.length, shape.length), expected),
              3 * l2_bound<real>(std::max<size>(shape.length, 2)))
        << "lane " << lane << " of " << shape.lanes;
  }
}

TEST(body_convolve, agrees_with_the_sum_that_defines_it) {
  check<convolved<whole_rows<1, 1, 4>>>();
  check<convolved<whole_rows<8, 8, 4>>>();
  check<convolved<whole_rows<64, 8, 4>>>();
  check<convolved<whole_rows<256, 4, 2, double>>>();
  check<convolved<whole_rows<512, 32, 1>>>();
  check<convolved<whole_rows<1024, 16, 2>>>();
}

/// Their bins are in natural order. Of 7 x 11 in threads of 7, the last stage returns elements.
TEST(body_convolve, takes_lengths_that_are_no_powers_of_two) {
  check<convolved<whole_rows<6, 6, 4>>>();
  check<convolved<whole_rows<60, 10, 4>>>();
  check<convolved<whole_rows<77, 7, 2>>>();
  check<convolved<whole_rows<240, 15, 2, double>>>();
  check<convolved<whole_rows<1200, 20, 1>>>();
  check<convolved<whole_rows<1001, 13, 1>>>();
}

TEST(body_convolve, leaves_out_padding) {
  check<padded_rows<convolved<whole_rows<64, 8, 4>>, 9>>();
  check<padded_rows<convolved<whole_rows<1024, 16, 2>>, 128>>();
  check<padded_rows<convolved<whole_rows<240, 12, 4>>, 40>>();
}

/// Each direction has roots of its own, but in natural order.
TEST(body_convolve, has_roots_in_its_butterflies) {
  check<fused<convolved<whole_rows<8, 8, 4>>>>();
  check<fused<convolved<whole_rows<1024, 32, 1>>>>();
  check<fused<convolved<whole_rows<256, 4, 2, double>>>>();
  check<fused<in_halves<convolved<whole_rows<256, 8, 2>>>>>();
  check<padded_rows<fused<convolved<whole_rows<512, 16, 2>>>, 200>>();
  check<fused<convolved<whole_rows<240, 12, 2>>>>();
}

TEST(body_convolve, exchanges_halves_as_well) {
  check<in_halves<convolved<whole_rows<256, 8, 2>>>>();
  check<in_halves<convolved<whole_rows<1200, 20, 2>>>>();
}

}  // namespace
