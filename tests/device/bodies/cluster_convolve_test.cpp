// SPDX-License-Identifier: Apache-2.0
// A convolution by a cluster as the body of a pass, by itself: registers in, registers out, against
// the sum that defines a circular convolution.
#include "wingbeat/device/bodies/cluster_convolve.hpp"

#include <gtest/gtest.h>

#include "device/grid/pass_probe.hpp"  // body_of, run_threads, rounded_table
#include "support/oracle.hpp"          // dft
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // l2_bound

namespace {

using namespace wingbeat::test;

/// Results of n1 B + n2 are where the signal is.
template <class Base, product Times = product::plain>
struct convolved : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.shape.makes = body::line_convolve;
    n.shape.times = Times;
    n.out.first_stride = 1;
    n.out.stride = n.shape.second;
    return n;
  }
};

/// Returns the lanes of x times the filter's spectrum, transformed back: N times the convolution.
template <class Policy>
values<typename Policy::real> run(const values<typename Policy::real>& x, const exact& spectrum) {
  using real = typename Policy::real;
  using body_type = body_of<Policy>;
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr size n = numbers.shape.length;
  EXPECT_EQ(numbers.shape.threads(), body_type::workgroup_threads);
  EXPECT_EQ(numbers.shape.body_roots(),
            body_type::forward::table_entries + body_type::back::table_entries);
  const auto table = rounded_table<real>(numbers);
  values<real> y(x.size(), poison<complex<real>>());
  run_threads<Policy>([&](const auto& group, char* scratch) {
    const body_type subject(table.data(), scratch, group);
    complex<real> held[body_type::e];
    for (unsigned r = 0; r < body_type::e; ++r) {
      EXPECT_EQ(subject.offset_in(r), subject.number_in(r));
      held[r] = x[subject.lane_in() * n + subject.offset_in(r)];
    }
    subject.run(held, [&](unsigned r) {
      const auto w = spectrum[subject.bin(r)];
      return complex<real>{static_cast<real>(w.real()), static_cast<real>(w.imag())};
    });
    for (unsigned r = 0; r < body_type::e; ++r) {
      EXPECT_EQ(subject.offset_out(r), subject.number_out(r));
      y[subject.lane_out() * n + subject.offset_out(r)] = held[r];
    }
  });
  return y;
}

template <class Policy>
void check() {
  using real = typename Policy::real;
  constexpr tile_shape shape = Policy::numbers().shape;
  constexpr size n = shape.length;
  const auto x = noise<real>(n * shape.lanes, 1);
  const exact h = widened_row(noise<real>(n, 2));
  const exact spectrum = dft(h, direction::forward);
  const auto y = run<Policy>(x, spectrum);
  for (size lane = 0; lane < shape.lanes; ++lane) {
    const exact signal = widened_row(picked(x, lane * n, n));
    exact expected(n);
    for (size i = 0; i < n; ++i) {
      for (size j = 0; j < n; ++j) {
        const bool is_plain = shape.times == product::plain;
        expected[i] += signal[j] * (is_plain ? h[(i + n - j) % n] : std::conj(h[(j + n - i) % n]));
      }
      expected[i] *= n;
    }
    ASSERT_LE(relative_l2(picked(y, lane * n, n), expected), 3 * l2_bound<real>(n))
        << "lane " << lane << " of " << shape.lanes;
  }
}

TEST(body_cluster_convolve, agrees_with_the_sum_that_defines_it) {
  check<convolved<cluster_rows<16, 8, 4, 1, 2>>>();
  check<convolved<cluster_rows<16, 32, 8, 4>>>();
  check<convolved<cluster_rows<16, 16, 8, 2, 2>>>();
  check<convolved<cluster_rows<32, 16, 8, 8, 1, double>>>();
}

TEST(body_cluster_convolve, correlates_with_the_conjugate) {
  check<convolved<cluster_rows<16, 32, 8, 4>, product::conjugate_spectrum>>();
}

TEST(body_cluster_convolve, exchanges_halves_as_well) {
  check<convolved<in_halves<cluster_rows<16, 32, 8, 4>>>>();
}

/// With roots in the butterflies of both steps.
template <class Base>
struct fused : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.shape.twiddles = wingbeat::device::workgroup::twiddling::fused;
    return n;
  }
};

TEST(body_cluster_convolve, has_roots_in_its_butterflies) {
  check<fused<convolved<cluster_rows<16, 32, 8, 4>>>>();
  check<fused<convolved<cluster_rows<32, 16, 8, 8, 1, double>>>>();
}

/// Rows of which memory has the first `Valid` elements, and takes those from `First` on.
template <class Base, size Valid, size First>
struct padded : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.in.distance = n.out.distance = Valid;
    n.in.is_limited = n.out.is_limited = true;
    n.in.valid_end = Valid;
    n.out.valid_begin = First;
    n.out.valid_end = First + Valid;
    n.out.base = -First;  // modulo 2^64
    n.filter_distance = n.total;
    return n;
  }
};

TEST(body_cluster_convolve, multiplies_each_row_of_a_pass_by_its_own_spectrum) {
  constexpr size n = 512, valid = 200, first = 20, batch = 3;
  using policy = padded<convolved<cluster_rows<16, 32, 8, 4>>, valid, first>;
  using spectra_load = ends::complex_load<float, float>;
  using pass =
      grid::pass<policy, body_of<policy>, plain_load<policy>, plain_store<policy>, spectra_load>;
  constexpr pass_numbers numbers = policy::numbers();
  const auto x = noise<float>(batch * valid, 1), spectra = noise<float>(batch * n, 2);
  const auto table = rounded_table<float>(numbers);
  values<float> y(batch * valid, poison<complex<float>>());
  for (size w = 0; w < numbers.workgroups(batch); w += numbers.shape.workgroups) {
    run_threads<policy>(
        [&](const auto& group, char* scratch) {
          const auto tile = static_cast<unsigned>(group.index() / numbers.shape.workgroups);
          pass({x.data()}, {y.data()}, table.data(), scratch, group, spectra_load{spectra.data()})
              .run(tile, batch);
        },
        w);
  }
  for (size row = 0; row < batch; ++row) {
    exact signal = widened_row(picked(x, row * valid, valid));
    signal.resize(n);
    exact bins = dft(signal, direction::forward);
    for (size k = 0; k < n; ++k) {
      const auto h = spectra[row * n + k];
      bins[k] *= std::complex<long double>{h.re, h.im};
    }
    const exact back = dft(bins, direction::inverse);
    EXPECT_LE(relative_l2(picked(y, row * valid, valid),
                          exact(back.begin() + first, back.begin() + first + valid)),
              3 * l2_bound<float>(n));
  }
}

}  // namespace
